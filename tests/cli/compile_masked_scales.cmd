# Powers of two take the mask that leaves out lanes which have ended. Objects have the loops of the set, where
# compiled kernels have those of the processor, whose stages may lie between mask and power.
[ "$(uname -m)" = x86_64 ] && command -v objdump > none || { echo 'binutils for x86-64 are not here'; exit 77; }
for f in exp exp2 sigmoid silu mish softplus gelu gelu_tanh normcdf erfc; do actgen compile $f --isa avx512 -o $f.o && objdump -d $f.o > asm.txt; grep -c 'vscalefps' asm.txt > all && grep -c 'vscalefps.*{%k' asm.txt > masked; cmp all masked && echo $f; done; for f in exp silu gelu; do actgen compile $f --isa avx512 --emit c --style intrinsics -o $f.h; grep -c '_mm512_scalef_ps(' $f.h > all && grep -c '_mm512_mask_blend_ps((__mmask16)~v[0-9]*, ' $f.h > masked; cmp all masked && echo source of $f; done
--- exit 0
--- stdout
exp
exp2
sigmoid
silu
mish
softplus
gelu
gelu_tanh
normcdf
erfc
source of exp
source of silu
source of gelu
--- stderr
