for isa in neon x86-64; do for format in elf macho coff; do
    actgen compile relu --isa $isa --format $format -o $format.o && od -An -tx1 -N4 $format.o
done; done
actgen compile relu --isa arm64 -o all.o --header - | grep -o 'Instruction set: .*neon'
actgen compile relu --isa s390x --format macho -o x.o
actgen compile relu --isa wasm --format elf -o x.o
actgen compile relu --isa neon --format pe -o x.o
actgen compile relu --isa neon,avx2 -o x.o
actgen compile relu --isa x86-64 --format coff --dispatch ifunc -o x.o
actgen compile relu --dispatch both -o x.o
ls x.o 2>/dev/null
--- exit 2
--- stdout
 7f 45 4c 46
 cf fa ed fe
 64 aa*
 7f 45 4c 46
 cf fa ed fe
 64 86*
Instruction set: *neon
--- stderr
actgen: error: there is no format of objects for s390x 'macho'; known are elf
actgen: error: there is no format of objects for wasm 'elf'; known are wasm
actgen: error: there is no format of objects for neon 'pe'; known are elf, macho, coff
actgen: error: one object cannot hold code for both neon (arm64) and avx2 (x86-64): compile one for each architecture
actgen: error: an object of the format coff has no indirect functions (ifunc): those are of elf, for glibc; dispatch by a pointer works everywhere
actgen: error: --dispatch is pointer or ifunc, not 'both'
...
