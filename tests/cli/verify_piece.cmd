# Names the piece with the largest error if the result has several. Here t is rounded before the sigmoid, and the sigmoid is not
# blamed for this rounding.
printf 'kernel tempered(x: f32, t: f32[]) -> (y: f32) { y = sigmoid(x/t) * x }\n' > k.act
actgen verify ./k.act --isa x86-64 | head -2
actgen verify ./k.act relu --isa x86-64 --json | grep -o '"max_ulp_of": "[^"]*"'
--- exit 0
--- stdout
kernel *
tempered  x86-64  3 ulp *ok *whole *ulp
"max_ulp_of": "sigmoid(x / t)"
--- stderr
