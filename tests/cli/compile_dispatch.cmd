cc=$(command -v cc || command -v gcc || command -v clang-19) || { echo "there is no C compiler"; exit 77; }
[ "$(uname -m)" = x86_64 ] && getconf GNU_LIBC_VERSION >version 2>&1 || { echo "glibc on x86-64 is not here"; exit 77; }
for dispatch in pointer ifunc; do
    actgen compile gelu --isa avx512,avx2,x86-64 --dispatch $dispatch --prefix ${dispatch}_ -o $dispatch.o --header $dispatch.h || exit
done
cat > m.c <<'C'
#include "ifunc.h"
#include "pointer.h"
#include <stdio.h>
enum { COUNT = 4099 };
int main(int argc, char **argv) {
    static float x[COUNT], y[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = (float)(i - COUNT / 2) * 0.005f;
    if (*argv[1] == 'p') pointer_gelu(1, COUNT, x, y);
    if (*argv[1] == 'i') ifunc_gelu(1, COUNT, x, y);
    return fwrite(*argv[1] == 'x' ? x : y, sizeof *x, COUNT, stdout) != COUNT || argc != 2;
}
C
$cc -Wall -Wextra -Werror m.c pointer.o ifunc.o -o m && $cc -static m.c pointer.o ifunc.o -o static || exit
nm ifunc.o | grep -c ' i ' # resolved by the loader: for calls with pointers, and for all others
{ printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (4099,), }"; ./m x; } > x.npy
here= # the sets that this machine has, the best first
for isa in avx512 avx2 x86-64; do
    actgen run gelu --in x.npy --out y.npy --isa $isa --json 2>said | grep -q '"backend": "machine code"' || continue
    tail -c +129 y.npy > $isa.y
    here="$here $isa"
done
best=$(set -- $here; echo $1)
[ $best = x86-64 ] || ! cmp -s $best.y x86-64.y || echo "the bits of $best are those of x86-64: nothing can be told"
for program in ./m ./static; do
    for form in pointer ifunc; do
        $program $form > y && cmp y $best.y || echo "$program: $form does not choose $best"
        ACTGEN_ISA=nonsense $program $form | cmp - $best.y || echo "$program: $form takes a name that is none"
    done
    for isa in $here; do
        ACTGEN_ISA=$isa $program pointer | cmp - $isa.y || echo "$program: pointer does not choose $isa, as ACTGEN_ISA says"
        ACTGEN_ISA=$isa $program ifunc | cmp - $best.y || echo "$program: ifunc chooses by ACTGEN_ISA, which its loader does not"
    done
done
--- exit 0
--- stdout
2
--- stderr
