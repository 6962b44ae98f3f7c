printf 'kernel centred(x: f32, w: f32[cols]) -> (y: f32) { y = x*w - mean(x) }' > centred.act # whose errors are quickly found
actgen bench softmax ./centred.act -n 512,12300 --isa x86-64
actgen bench ./centred.act -n 600 --cols 200 --isa x86-64
printf 'kernel k(x: f32, y: bf16) -> (s: f32[rows], z: bf16, m: f32[cols]) { s = sum(x*x); z = x*y; m = amax(y) }\n' > k.act
actgen bench k.act --rows 3 --cols 100 --json --isa x86-64
--- exit 0
--- stdout
kernel *isa *n  ns/element *copy  ratio *libm  speed-up
softmax *x86-64 *1x512 *.* *.* *.* *- *-
softmax *x86-64 *3x4096 *.* *.* *.* *- *-
centred *x86-64 *1x512 *.* *.* *.* *- *-
centred *x86-64 *3x4096 *.* *.* *.* *- *-

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
kernel *
centred *x86-64 *3x200 *.* *.* *.* *- *-

Times are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C loop.
[
 {"name": "k", *"n": 300, "rows": 3, "cols": 100, "stride": 100, "call": "actgen_run", "ns_per_element": *.*, "worst_ns_per_element": *.*, "copy_ns_per_element": *.*, "copy_ratio": *.*, "copy_relu_ns_per_element": null, *}
]
--- stderr
