actgen verify relu -e 'x*x' --isa x86-64 --json
--- exit 0
--- stdout
[
 {"name": "relu", "operands": "(x: f32) -> (y: f32)", "isa": "x86-64", "accuracy": "*", "plan": "*", "profile": "portable-nofma", "exhaustive": false, "inputs": *, "max_ulp": 0, "max_ulp_at": "* (0x*)", "max_abs": 0, "max_abs_at": "* (0x*)", *"undecided": 0, *"bits_compared": *, "bits_differ": 0, "object_hash": "*", "build": "*", "ok": true, "checksum": "*"},
 {"name": "expression", *"isa": "x86-64", *"ok": true, "checksum": "*"}
]
--- stderr
