# C source refuses options that change arithmetic. Those that it takes leave all bits as they are.
gcc=$(command -v gcc-12 || command -v gcc) || { echo 'no GCC'; exit 77; }
[ "$($gcc -dumpmachine | cut -d- -f1)" = x86_64 ] || { echo 'no GCC for x86-64'; exit 77; }
clang=$(command -v clang-19) || { echo 'no Clang 19'; exit 77; }

cat >taken <<'END'
both  -O2
both  -O3 -frounding-math
both  -O2 -fno-math-errno -fno-trapping-math
both  -O2 -ffp-contract=off
gcc   -O2 -ffp-contract=off -DACTGEN_FP_CONTRACT_OFF
gcc   -O3 -ffp-contract=fast
gcc   -O2 -fexcess-precision=fast -ffloat-store -fcx-limited-range
gcc   -O2 -fsingle-precision-constant -fsignaling-nans
both  -O2 -mrecip=all
clang -O2 -ffp-model=strict
clang -O2 -ffp-contract=fast -DOF_VECTORS
END
cat >refused <<'END'
both  -ffast-math
both  -Ofast
both  -funsafe-math-optimizations
both  -ffinite-math-only
both  -fno-signed-zeros
both  -freciprocal-math
both  -fassociative-math -fno-trapping-math -fno-signed-zeros
gcc   -mfpmath=387
gcc   -mfpmath=both
clang -fapprox-func
clang -ffp-model=fast
END
cat >main.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
void run(unsigned style, size_t n, const float *x, float *y);
int main(void)
{
    static float x[1 << 16], y[1 << 16];
    for (unsigned style = 0; style < 3; style++) {
        uint64_t hash = 1;
        for (uint32_t i = 0; i < 1 << 16; i++) memcpy(&x[i], &(uint32_t){i * 65521}, 4);
        run(style, 1 << 16, x, y);
        for (uint32_t i = 0, bits; i < 1 << 16; i++) {
            memcpy(&bits, &y[i], 4);
            hash = (hash ^ ((bits & 0x7fffffff) > 0x7f800000 ? 0 : bits)) * 1099511628211u; /* any NaN */
        }
        printf("%016llx\n", (unsigned long long)hash);
    }
    return 0;
}
END
cat >kernels.c <<'END'
#ifndef OF_VECTORS
#include "scalar.h"
#else
#define scalar_gelu vector_gelu
#endif
#include "vector.h"
#include "intrinsics.h"
void run(unsigned style, size_t n, const float *x, float *y);
void run(unsigned style, size_t n, const float *x, float *y)
{
    (style == 0 ? scalar_gelu : style == 1 ? vector_gelu : intrinsics_gelu)(1, n, x, y);
}
END
for style in scalar vector intrinsics; do
    actgen compile gelu --emit c --style $style --isa x86-64 --prefix ${style}_ -o $style.h || exit 1
done
actgen compile gelu --emit c --style intrinsics --isa avx2 -o avx2.h
actgen compile gelu --emit c --style intrinsics --isa avx512 -o avx512.h
$gcc -c main.c && $gcc kernels.c main.o -lm -o program && ./program >expected && uniq expected | wc -l

# Options are for compiling: Clang links code that flushes subnormals to 0 if it sees some of them.
for name in gcc clang; do
    eval compiler=\$$name
    grep "^both\|^$name" taken | while read -r _ options; do
        $compiler -march=native $options -c kernels.c 2>errors && $compiler kernels.o main.o -lm -o program && ./program >results || cat errors
        cmp -s results expected && echo "$name takes $options" || echo "$name gives other bits: $options"
    done
    grep "^both\|^$name" refused | while read -r _ options; do
        for file in scalar.h vector.h intrinsics.h '-march=x86-64-v3 avx2.h' '-march=x86-64-v4 avx512.h'; do
            $compiler $options -x c -fsyntax-only $file 2>&1 | grep -o 'exact to the last bit\|must not be computed in other types\|illegal when precise is disabled' | head -n 1
        done | uniq -c | sed "s/^ */$name refuses $options: /"
    done
done

# Only text with constants of type double refuses this option of GCC.
for type in f32 f64; do
    actgen compile gelu --type $type --emit c -o $type.h && $gcc -O2 -x c -fsyntax-only $type.h &&
        $gcc -fsingle-precision-constant -x c -fsyntax-only $type.h 2>&1 | grep -o 'actgen_constants_are_double\[.*'
done

# A program's own pragma holds again after the header: no fma, then one.
printf '#include "scalar.h"\nfloat f(float a, float b, float c);\nfloat f(float a, float b, float c) { return a*b + c; }\n' >f.c
for pragma in OFF ON; do
    echo "#pragma STDC FP_CONTRACT $pragma" | cat - f.c | $clang -O1 -march=x86-64-v3 -S -x c - -o - | grep -c 'vfmadd.*xmm'
done
$gcc -march=x86-64-v3 -x c -fsyntax-only avx512.h 2>&1 | grep -o 'this file is for AVX-512' | head -1
for set in x86-64 'x86-64-v3 -mno-fma' 'x86-64-v3 -mno-f16c'; do
    $gcc -march=$set -x c -fsyntax-only avx2.h 2>&1 | grep -o 'this file is for AVX2, FMA and F16C' | head -1
done
$gcc -march=x86-64-v4 -mno-fma -x c -fsyntax-only avx512.h && echo 'AVX-512 has its own fma'
--- exit 0
--- stdout
1
gcc takes -O2
gcc takes -O3 -frounding-math
gcc takes -O2 -fno-math-errno -fno-trapping-math
gcc takes -O2 -ffp-contract=off
gcc takes -O2 -ffp-contract=off -DACTGEN_FP_CONTRACT_OFF
gcc takes -O3 -ffp-contract=fast
gcc takes -O2 -fexcess-precision=fast -ffloat-store -fcx-limited-range
gcc takes -O2 -fsingle-precision-constant -fsignaling-nans
gcc takes -O2 -mrecip=all
gcc refuses -ffast-math: 5 exact to the last bit
gcc refuses -Ofast: 5 exact to the last bit
gcc refuses -funsafe-math-optimizations: 5 exact to the last bit
gcc refuses -ffinite-math-only: 5 exact to the last bit
gcc refuses -fno-signed-zeros: 5 exact to the last bit
gcc refuses -freciprocal-math: 5 exact to the last bit
gcc refuses -fassociative-math -fno-trapping-math -fno-signed-zeros: 5 exact to the last bit
gcc refuses -mfpmath=387: 5 must not be computed in other types
gcc refuses -mfpmath=both: 5 must not be computed in other types
clang takes -O2
clang takes -O3 -frounding-math
clang takes -O2 -fno-math-errno -fno-trapping-math
clang takes -O2 -ffp-contract=off
clang takes -O2 -mrecip=all
clang takes -O2 -ffp-model=strict
clang takes -O2 -ffp-contract=fast -DOF_VECTORS
clang refuses -ffast-math: 5 exact to the last bit
clang refuses -Ofast: 5 exact to the last bit
clang refuses -funsafe-math-optimizations: 5 illegal when precise is disabled
clang refuses -ffinite-math-only: 5 exact to the last bit
clang refuses -fno-signed-zeros: 5 illegal when precise is disabled
clang refuses -freciprocal-math: 5 illegal when precise is disabled
clang refuses -fassociative-math -fno-trapping-math -fno-signed-zeros: 5 illegal when precise is disabled
clang refuses -fapprox-func: 5 illegal when precise is disabled
clang refuses -ffp-model=fast: 5 exact to the last bit
actgen_constants_are_double[sizeof 1.0 == 8 ? 1 : -1];
0
1
this file is for AVX-512
this file is for AVX2, FMA and F16C
this file is for AVX2, FMA and F16C
this file is for AVX2, FMA and F16C
AVX-512 has its own fma
