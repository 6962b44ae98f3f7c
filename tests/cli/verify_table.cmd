# 80 columns hold the table, whatever the bound and the places; a result of several operands shows the whole error.
echo 'kernel cancel(x: f32, b: f32) -> (y: f32) { y = gelu(x) - b }' > cancel.act
actgen verify ./cancel.act gelu --accuracy '1 ulp on [-8.5, 8.5]' --isa x86-64 > table
awk 'length > 80' table; cat table
actgen verify ./cancel.act gelu --isa x86-64 --json | sed 's/.*\("whole_max_ulp": [^,]*\).*/\1/'
--- exit 0
--- stdout
kernel  isa       max ulp  whole ulp   max abs           bound
cancel  x86-64 *ok       1 ulp on [-8.5, 8.5]
    max ulp at *
...
gelu    x86-64 * - *ok       1 ulp on [-8.5, 8.5]
...
[
"whole_max_ulp": *.*
"whole_max_ulp": null
]
--- stderr
