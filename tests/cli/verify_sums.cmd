printf 'kernel k(x: f32) -> (y: f32) { y = x/sum(x*x) }\nkernel s(x: f32) -> (s: f32[rows]) { s = sum(x) }\n' > k.act
actgen verify k.act --isa x86-64 # by code, though they have no function of their operands alone
--- exit 0
--- stdout
kernel *
k *x86-64 *ok*
...
s *x86-64 *ok*
...
--- stderr
