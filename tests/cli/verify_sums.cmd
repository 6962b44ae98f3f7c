printf 'kernel k(x: f32) -> (y: f32) { y = x/sum(x*x) }\nkernel s(x: f32) -> (s: f32[rows]) { s = sum(x) }\nkernel q(x: bf16) -> (q: i8) { q = x/f32(amax(abs(x))/127) }\n' > k.act
actgen verify k.act --isa x86-64 # q saturates: as a whole it is off by no more than its rounding; by code, though they have no function of their operands alone
--- exit 0
--- stdout
kernel *
k *x86-64 *ok*
s *x86-64 *ok*
q *x86-64 *ok*whole 0.499* ulp
...
--- stderr
