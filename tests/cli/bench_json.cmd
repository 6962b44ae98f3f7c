TMPDIR=$PWD actgen bench relu -n 100,2048 --json --isa x86-64 && ls
--- exit 0
--- stdout
[
 {"name": "relu", "operands": "(x: f32) -> (y: f32)", "isa": "x86-64", "accuracy": "*", "plan": "*", "n": 100, "rows": 1, "cols": 100, "stride": 100, "ns_per_element": *, "copy_ns_per_element": *, "copy_ratio": *, "copy_relu_ns_per_element": *, "memcpy_ns_per_element": *, "libm_ns_per_element": *, "max_ulp": 0, "max_abs": 0, "object_hash": "*"},
 {"name": "relu", *"isa": "x86-64", *"n": 2048, "rows": 1, "cols": 2048, "stride": 2048, "ns_per_element": 0*}
]
--- stderr
