# If a kernel has several pieces, the message says which one no plan keeps. For a kernel of one piece it names none.
printf 'kernel k(x: f32, t: f32[], b: f32) -> (y: f32) { y = gelu(x) - b + sin(exp(x/t)) }\n' > k.act
actgen compile ./k.act -o k.o --isa avx512
actgen compile -e 'sin(exp(x))' -o k.o --isa avx512
--- exit 1
--- stderr
actgen: error: k (avx512): `sin(exp(x / t))`: no plan keeps `3 ulp`*
actgen: error: expression (avx512): no plan keeps `3 ulp`*
