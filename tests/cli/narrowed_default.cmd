# Without a bound, a function of f32 is within 0.51 ulp of a result of 8 or 16 bits, also for a cast within the formula. So is
# a product of functions and operands, whose functions share 0.01 ulp of that type. A function within other arithmetic, and
# one whose value has another use, is within 3 ulp of f32.
cat > k.act <<'END'
kernel to_bf16(x: f32) -> (y: bf16) { y = gelu(x) }
kernel to_e4m3(x: f32) -> (y: e4m3) { y = silu(x) }
kernel to_i8(x: f32) -> (y: i8) { y = tanh(x) }
kernel cast(x: f32, s: f32[]) -> (y: f32) { y = f16(silu(x))*s }
kernel scaled(x: f32, s: f32[]) -> (y: e4m3) { y = silu(x)*s }
kernel gate(x: bf16, u: bf16) -> (y: bf16) { y = gelu(x)*u }
kernel two(x: f16, u: f16) -> (y: f16) { y = -silu(x)/exp(u) }
kernel in_cast(x: f32, s: f32) -> (y: f32) { y = bf16(silu(x)*s) + s }
kernel sum(x: bf16, u: bf16) -> (y: bf16) { y = silu(x)*u + u }
kernel seen(x: bf16, u: bf16) -> (y: bf16, z: f32) { y = silu(x)*u; z = silu(x) + u }
END
actgen verify k.act --isa x86-64 | sed 's, of f32,,' | awk '$4 == "ulp" { print $1, $3, $4, ($5 <= $3), $8, ($10 < 0.51) }'
--- exit 0
--- stdout
to_bf16 0.51 ulp 1 ok 1
to_e4m3 0.51 ulp 1 ok 1
to_i8 0.51 ulp 1 ok 1
cast 0.51 ulp 1 ok 0
scaled 5120 ulp 1 ok 1
gate 320 ulp 1 ok 1
two 20 ulp 1 ok 1
in_cast 320 ulp 1 ok 0
sum 3 ulp 1 ok 1
seen 3 ulp 1 ok 0
--- stderr
