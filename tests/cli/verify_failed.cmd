# A failed row says the fault, its place, and the next step. The report is invented: its kernels are not from this build.
actgen verify --merge $DATA/failed.json
--- exit 1
--- stdout
kernel  isa     bound       max error  at input       verdict
gelu    avx2    3 ulp        3.25 ulp  -2.5           WRONG
    12 of 4,294,967,296 results are beyond the bound, *
...
    Please report the kernel and the output of actgen --version.
silu    avx2    abs 2^-22   abs 1e-07  -2.5           WRONG
    The exact value of 7 inputs needs more than 8192 bits, *
...
    5 of 4,294,967,296 results differ from the interpreter's. *
...

0 of 2 rows passed, 2 failed.
Tested: 8,589,934,592 inputs against the exact value, 8,589,934,592 results against the interpreter.
--- stderr
