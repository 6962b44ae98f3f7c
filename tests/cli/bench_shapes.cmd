actgen bench reglu --rows 4 --cols 60 --stride 100 --json --isa x86-64
actgen bench reglu -n 512 --cols 64 --json --isa x86-64
--- exit 0
--- stdout
[
 {"name": "reglu", *"n": 240, "rows": 4, "cols": 60, "stride": 100, "ns_per_element": *, "copy_ns_per_element": *, "copy_ratio": *, "copy_relu_ns_per_element": null, "memcpy_ns_per_element": null, "libm_ns_per_element": null, *}
]
[
 {"name": "reglu", *"n": 512, "rows": 8, "cols": 64, "stride": 64, *"copy_relu_ns_per_element": *, *}
]
--- stderr
