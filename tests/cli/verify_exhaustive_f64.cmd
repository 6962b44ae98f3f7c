# An f64 function with --exhaustive is an error, because 2^64 inputs cannot be tried. A sample never counts as a proof.
actgen verify relu --type f64 --exhaustive --isa x86-64 --json
--- exit 1
--- stdout
[
 {"name": "relu", *"exhaustive": false, "inputs": 0, *"message": "*2^64 inputs*", "hint": null, "ok": false, *}
]
--- stderr
actgen: error: relu (x86-64): a function of one f64 has 2^64 inputs, too many to try each; *
