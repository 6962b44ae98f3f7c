cat > k.act <<'K'
kernel clip(x: f32) -> (y: f32) { y = if sum(x*x) > 1 then x/sqrt(sum(x*x)) else x }
kernel am(x: f32) -> (y: f32) { y = x*amax(x) }
kernel am_backward = gradient am
K
actgen verify k.act --isa avx2 --json | grep -o '"name": "[a-z_]*"\|"ok": [a-z]*'
--- exit 0
--- stdout
"name": "clip"
"ok": true
"name": "am"
"ok": true
"name": "am_backward"
"ok": true
--- stderr
