cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
ACTGEN_ISA=x86-64 actgen bench relu -n 16 --json | grep -o '"isa": *"[^"]*"'
ACTGEN_ISA=x87 actgen bench relu -n 16
actgen compile gelu --isa all --prefix all_ -o all.o --header all.h
actgen compile gelu --isa all --dispatch ifunc --prefix indirect_ -o indirect.o --header indirect.h
actgen compile gelu --isa x86-64 --prefix least_ -o least.o --header least.h
cat > m.c <<'C'
#include "all.h"
#include "indirect.h"
#include "least.h"
#include <stdio.h>
#include <string.h>
enum { COUNT = 1000 };
int main(void) {
    static float x[COUNT], all[COUNT], again[COUNT], indirect[COUNT], least[COUNT];
    for (int i = 0; i < COUNT; i++) x[i] = (float)i * 0.01f - 5;
    all_gelu(1, COUNT, x, all); all_gelu_strided(1, COUNT, x, 0, again, 0);
    indirect_gelu(1, COUNT, x, indirect); least_gelu(1, COUNT, x, least);
    printf("%s %s %s\n", memcmp(all, again, sizeof all) ? "changed" : "kept", memcmp(all, least, sizeof all) ? "best" : "least",
           memcmp(indirect, least, sizeof all) ? "best" : "least");
    return 0;
}
C
$cc m.c all.o indirect.o least.o -o m && $cc -static m.c all.o indirect.o least.o -o s || exit
best=$([ "$(actgen bench relu -n 16 --json | grep -c '"isa": *"x86-64"')" = 0 ] && echo best || echo least) # of a machine without AVX2
for program in ./m ./s; do
    [ "$($program)" = "kept $best $best" ] && [ "$(ACTGEN_ISA=nonsense $program)" = "kept $best $best" ] || $program
    ACTGEN_ISA=x86-64 $program | cut -d' ' -f 1,2
    ACTGEN_ISA=avx512 $program | cut -d' ' -f 1
done
$cc -shared -nostdlib -Wl,-z,text -Wl,-z,defs all.o indirect.o -o kernels.so # they need nothing
--- exit 0
--- stdout
"isa"*"x86-64"
kept least
kept
kept least
kept
--- stderr
actgen: error: there is no instruction set 'x87'; known are *
