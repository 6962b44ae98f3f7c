actgen bench relu reglu -n 2048 --isa x86-64
actgen bench relu -n 2048 --isa x86-64 --details | sed 2q
--- exit 0
--- stdout
kernel *isa *n  ns/element *copy  ratio *libm  speed-up
relu *x86-64 *2048 *0.*
reglu *x86-64 *2048 *0.*

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
kernel *isa *n  ns/element *copy  ratio *libm  speed-up *worst  copy relu *memcpy *max ulp *max abs
relu *x86-64 *2048 *0.*
--- stderr
