actgen verify relu --accuracy 'nonsense' --isa x86-64 --json
--- exit 1
--- stdout
[
 {"name": "relu", "operands": null, "isa": "x86-64", "accuracy": null, *"message": "*", "ok": false, *}
]
--- stderr
--accuracy:1:9: error: *
...
