# A program that links kernels keeps control-flow protection (CET). The objects are marked for it, and each entry begins with
# a valid target of an indirect jump.
[ "$(uname -m)" = x86_64 ] && command -v objdump > none && command -v readelf > none || { echo 'binutils for x86-64 are not here'; exit 77; }
actgen compile gelu -o gelu.o --isa x86-64,avx2,avx512; readelf -n gelu.o | grep -c 'x86 feature: IBT, SHSTK'
nm gelu.o | sed -n 's/.* T //p' > entries; wc -l < entries; for e in $(cat entries); do objdump -d --no-show-raw-insn --disassemble=$e gelu.o | grep -A 1 "<$e>:" | grep -q endbr64 || echo "$e has no endbr64"; done
--- exit 0
--- stdout
1
6
--- stderr
