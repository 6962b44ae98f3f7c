printf 'kernel k(x: f32) -> (y: f32) { y = relu(x) }\n' > k.act && cp k.act copy.act
actgen compile k.act -o k.act; echo $?; actgen compile k.act -o k.o --header ./k.act; echo $?; cmp k.act copy.act
--- exit 0
--- stdout
2
2
--- stderr
actgen: error: 'k.act' is the spec: name another file to write
actgen: error: './k.act' is the spec: name another file to write
