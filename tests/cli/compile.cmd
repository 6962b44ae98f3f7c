printf 'kernel a(x: f32) -> (y: f32) { y = relu(x) }\nkernel b(g: f32, u: f32) -> (y: f32) { y = relu(g)*u }\n' > two.act
actgen compile two.act -o two.o --header two.h --isa avx512,avx2,x86-64 && ls && head -c 4 two.o | tail -c 3
grep -q 'b_avx2' two.h && cp two.o first.o && actgen compile two.act -o two.o --isa avx512,avx2,x86-64 && cmp first.o two.o
--- exit 0
--- stdout
two.act
two.h
two.o
ELF
--- stderr
