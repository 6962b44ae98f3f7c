printf 'kernel k([a | b]: bf16, [c, d]: f16, x: f64, u: f32[cols], v: bf16[rows], w: f64[]) -> ([y | z]: f32, r: f64) { y = a*b; z = c*d; r = x*u + v*w }\n' > k.act
actgen bench k.act --rows 3 --cols 40 --json --isa x86-64
actgen bench k.act -n 64 --isa x86-64
--- exit 0
--- stdout
[
 {"name": "k", "operands": "([a | b]: bf16, [c, d]: f16, x: f64, u: f32[cols], v: bf16[rows], w: f64[]) -> ([y | z]: f32, r: f64)", "isa": "x86-64", *"n": 120, *"ns_per_element": *.*, "copy_ns_per_element": *.*, "copy_ratio": *.*, "copy_relu_ns_per_element": null, *}
]
kernel *
k *64 *.* *.* *-*

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
--- stderr
