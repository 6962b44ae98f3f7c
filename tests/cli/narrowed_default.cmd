# Without a bound, a function of f32 is within 0.51 ulp of a result of 8 or 16 bits, also for a cast within the formula. A
# function within arithmetic on several operands is within 3 ulp of f32.
cat > k.act <<'END'
kernel to_bf16(x: f32) -> (y: bf16) { y = gelu(x) }
kernel to_e4m3(x: f32) -> (y: e4m3) { y = silu(x) }
kernel to_i8(x: f32) -> (y: i8) { y = tanh(x) }
kernel cast(x: f32, s: f32[]) -> (y: f32) { y = f16(silu(x))*s }
kernel scaled(x: f32, s: f32[]) -> (y: e4m3) { y = silu(x)*s }
END
actgen verify k.act --isa x86-64 | awk '$4 == "ulp" { print $1, $3, $4, ($5 <= $3), $8 }'
--- exit 0
--- stdout
to_bf16 0.51 ulp 1 ok
to_e4m3 0.51 ulp 1 ok
to_i8 0.51 ulp 1 ok
cast 0.51 ulp 1 ok
scaled 3 ulp 1 ok
--- stderr
