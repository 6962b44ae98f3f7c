actgen verify relu --isa x86-64
--- exit 0
--- stdout
kernel *isa *bound *max ulp *at *plan
relu *x86-64 * 0  ok *
--- stderr
