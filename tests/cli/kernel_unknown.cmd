printf 'kernel first(x: f32) -> (y: f32) { y = relu(x) }\n' > k.act
actgen show k.act:frist --stage expr
--- exit 1
--- stdout
--- stderr
actgen: error: 'k.act' has no kernel 'frist'; did you mean 'first'? It has first
