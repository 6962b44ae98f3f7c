actgen verify relu --isa x86-64
--- exit 0
--- stdout
kernel  isa     bound       max error  at input       verdict
relu    x86-64  3 ulp           0 ulp  -              ok

Every tested result was within its bound, and equal to the interpreter's in every bit.
Tested: * inputs against the exact value, * results against the interpreter.
With --exhaustive, each function of one f32 is tested on all 2^32 inputs.
--- stderr
