actgen verify relu --isa x86-64
--- exit 0
--- stdout
kernel *isa *max ulp *whole ulp *max abs *bound
relu *x86-64 * 0 *- * ok *
...
--- stderr
