for stage in spec expr plan lane ir asm c libm; do actgen show relu --stage $stage > $stage && test -s $stage && echo $stage; done
--- exit 0
--- stdout
spec
expr
plan
lane
ir
asm
c
libm
--- stderr
