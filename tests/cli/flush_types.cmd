for t in bf16 f64; do actgen compile exp --type $t --accuracy '3 ulp flush' --isa x86-64 -o k.o || ls; done
--- exit 0
--- stdout
--- stderr
actgen: error: exp (x86-64): `flush` is for results of f32, and `exp` has another result or an operand of f64; leave out `flush`
actgen: error: exp (x86-64): `flush` is for results of f32, and `exp` has another result or an operand of f64; leave out `flush`
