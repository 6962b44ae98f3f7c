for f in exp exp2 sigmoid silu mish softplus gelu gelu_tanh normcdf erfc; do actgen show $f --isa avx512 --stage asm > asm.txt; grep -c 'vscalefps' asm.txt > all; grep -c 'vscalefps.*{%k' asm.txt > masked; cmp all masked && echo $f; done
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
--- stderr
