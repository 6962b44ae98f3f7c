actgen bench relu -n 100 --interval 5,1 --isa x86-64
actgen bench relu --type f64 --interval=-1e308,1e308 --isa x86-64
actgen bench relu --interval=-inf,1 --isa x86-64
actgen bench relu --type f64 -n 4096 --interval=-8e307,8e307 --isa x86-64 --json | grep -o '"n": 4096'
actgen bench relu -n 2048 --interval=-300,-200 --isa x86-64
--- exit 0
--- stdout
"n": 4096
kernel *isa *n  ns/element *copy  ratio *libm  speed-up
relu *x86-64 *2048 *0.*

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
--- stderr
actgen: error: --interval wants A,B with A below B, not '5,1'
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --interval wants A,B with B - A of at most 1.7e308, not '-1e308,1e308'
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
actgen: error: --interval wants A,B with B - A of at most 1.7e308, not '-inf,1'
usage: actgen bench WHAT... | --all [OPTION...]
actgen help bench says more.
