# A program keeps the checks of its jumps and returns (CET) when it links kernels: they say that they suit them, and each entry may be jumped to.
[ "$(uname -m)" = x86_64 ] && command -v objdump > none && command -v readelf > none || { echo 'binutils for x86-64 are not here'; exit 77; }
actgen compile gelu -o gelu.o --isa x86-64,avx2,avx512; readelf -n gelu.o | grep -c 'x86 feature: IBT, SHSTK'
nm gelu.o | sed -n 's/.* T //p' > entries; wc -l < entries; for e in $(cat entries); do objdump -d --no-show-raw-insn --disassemble=$e gelu.o | grep -A 1 "<$e>:" | grep -q endbr64 || echo "$e has no endbr64"; done
--- exit 0
--- stdout
1
6
--- stderr
