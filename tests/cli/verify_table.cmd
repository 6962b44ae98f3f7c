# The table fits into 95 columns for all bounds and places. A result of several functions shows its whole error.
echo 'kernel cancel(x: f32, b: f32) -> (y: f32) { y = gelu(x) - b }' > cancel.act
actgen verify ./cancel.act gelu --accuracy '1 ulp on [-8.5, 8.5]' --isa x86-64 > table
awk 'length > 95' table; cat table
actgen verify ./cancel.act gelu --isa x86-64 --json | sed 's/.*\("whole_max_ulp": [^,]*\).*/\1/'
# The planner's words stand below a row with --details only.
grep -c -e factored -e piecewise -e composed table; actgen verify gelu --isa x86-64 --details
--- exit 0
--- stdout
kernel  isa     bound                  max error  at input       verdict
cancel  x86-64  1 ulp on [-8.5, 8.5]  * ulp  * ok       whole * ulp
gelu    x86-64  1 ulp on [-8.5, 8.5]  * ulp  * ok

Every tested result was within its bound, and equal to the interpreter's in every bit.
...
'whole' is the error of a result that several functions make. *
[
"whole_max_ulp": *.*
"whole_max_ulp": null
]
0
kernel  isa     bound       max error  at input       verdict
gelu    x86-64  3 ulp * ulp  * ok
    largest error: * ulp at *; |error| / max(1, |y|) is *
...
    compared: * inputs with the reference, *
...
    plan: *
...
Every tested *
...
--- stderr
