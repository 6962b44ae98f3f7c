# C source refuses options that change arithmetic, and takes others. Each line says what refused.
cc=$(command -v gcc-12 || command -v gcc) || { echo 'no GCC'; exit 77; }
[ "$($cc -dumpmachine | cut -d- -f1)" = x86_64 ] || { echo 'no GCC for x86-64'; exit 77; }
for style in scalar vector 'intrinsics --isa avx2' 'intrinsics --isa avx512' 'intrinsics --isa x86-64'; do
    actgen compile gelu --emit c --style $style -o gelu.h && printf '#include "gelu.h"\n' > gelu.c
    case $style in *avx2) set=-march=x86-64-v3 ;; *avx512) set=-march=x86-64-v4 ;; *) set= ;; esac
    echo "$style"
    for option in -O2 -frounding-math -fno-math-errno -ffp-contract=off -ffast-math -funsafe-math-optimizations -ffinite-math-only \
        -fno-signed-zeros -freciprocal-math '-fassociative-math -fno-trapping-math -fno-signed-zeros' -mfpmath=387; do
        said=$($cc $set $option -fsyntax-only gelu.c 2>&1) && echo "  taken: $option" || echo "  refused: $option:" $(echo "$said" | grep -o 'exact to the last bit\|must not be computed in other types' | head -1)
    done
done
actgen compile gelu --emit c --style intrinsics --isa avx512 -o gelu.h
$cc -march=x86-64-v3 -fsyntax-only gelu.c 2>&1 | grep -o 'this file is for AVX-512' | head -1
actgen compile gelu --emit c --style intrinsics --isa avx2 -o gelu.h
$cc -march=x86-64 -fsyntax-only gelu.c 2>&1 | grep -o 'this file is for AVX2, FMA and F16C' | head -1
--- exit 0
--- stdout
scalar
  taken: -O2
  taken: -frounding-math
  taken: -fno-math-errno
  taken: -ffp-contract=off
  refused: -ffast-math: exact to the last bit
  refused: -funsafe-math-optimizations: exact to the last bit
  refused: -ffinite-math-only: exact to the last bit
  refused: -fno-signed-zeros: exact to the last bit
  refused: -freciprocal-math: exact to the last bit
  refused: -fassociative-math -fno-trapping-math -fno-signed-zeros: exact to the last bit
  refused: -mfpmath=387: must not be computed in other types
vector
  taken: -O2
  taken: -frounding-math
  taken: -fno-math-errno
  taken: -ffp-contract=off
  refused: -ffast-math: exact to the last bit
  refused: -funsafe-math-optimizations: exact to the last bit
  refused: -ffinite-math-only: exact to the last bit
  refused: -fno-signed-zeros: exact to the last bit
  refused: -freciprocal-math: exact to the last bit
  refused: -fassociative-math -fno-trapping-math -fno-signed-zeros: exact to the last bit
  refused: -mfpmath=387: must not be computed in other types
intrinsics --isa avx2
  taken: -O2
  taken: -frounding-math
  taken: -fno-math-errno
  taken: -ffp-contract=off
  refused: -ffast-math: exact to the last bit
  refused: -funsafe-math-optimizations: exact to the last bit
  refused: -ffinite-math-only: exact to the last bit
  refused: -fno-signed-zeros: exact to the last bit
  refused: -freciprocal-math: exact to the last bit
  refused: -fassociative-math -fno-trapping-math -fno-signed-zeros: exact to the last bit
  refused: -mfpmath=387: must not be computed in other types
intrinsics --isa avx512
  taken: -O2
  taken: -frounding-math
  taken: -fno-math-errno
  taken: -ffp-contract=off
  refused: -ffast-math: exact to the last bit
  refused: -funsafe-math-optimizations: exact to the last bit
  refused: -ffinite-math-only: exact to the last bit
  refused: -fno-signed-zeros: exact to the last bit
  refused: -freciprocal-math: exact to the last bit
  refused: -fassociative-math -fno-trapping-math -fno-signed-zeros: exact to the last bit
  refused: -mfpmath=387: must not be computed in other types
intrinsics --isa x86-64
  taken: -O2
  taken: -frounding-math
  taken: -fno-math-errno
  taken: -ffp-contract=off
  refused: -ffast-math: exact to the last bit
  refused: -funsafe-math-optimizations: exact to the last bit
  refused: -ffinite-math-only: exact to the last bit
  refused: -fno-signed-zeros: exact to the last bit
  refused: -freciprocal-math: exact to the last bit
  refused: -fassociative-math -fno-trapping-math -fno-signed-zeros: exact to the last bit
  refused: -mfpmath=387: must not be computed in other types
this file is for AVX-512
this file is for AVX2, FMA and F16C
