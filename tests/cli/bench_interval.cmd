actgen bench relu -n 100 --interval 5,1 --isa x86-64
actgen bench relu -n 2048 --interval=-300,-200 --isa x86-64
--- exit 0
--- stdout
kernel *isa *n  ns/element *copy  ratio *libm  speed-up
relu *x86-64 *2048 *0.*

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
--- stderr
actgen: error: --interval wants A,B with A below B, not '5,1'
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
