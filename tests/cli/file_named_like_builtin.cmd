printf 'kernel mine(x: f32) -> (y: f32) { y = x*x }\n' > relu
actgen show ./relu --stage libm | grep -c 'mine_libm(size_t'; actgen show relu --stage libm | grep -c 'relu_libm(size_t'
--- exit 0
--- stdout
1
1
--- stderr
