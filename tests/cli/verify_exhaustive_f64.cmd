# 2^64 inputs cannot be tried, and a sample is not called a proof; the f32 beside it is not touched.
actgen verify relu --type f64 --exhaustive --isa x86-64 --json
--- exit 1
--- stdout
[
 {"name": "relu", *"exhaustive": false, "inputs": 0, *"message": "*2^64 inputs*", "hint": null, "ok": false, *}
]
--- stderr
actgen: error: relu (x86-64): a function of one f64 has 2^64 inputs, too many to try each; *
