# A bound that cannot be read is reported once. A bound that no plan keeps belongs to a kernel, whose report has the members of
# failures.
actgen verify relu --accuracy 'nonsense' --isa x86-64 --json
actgen verify relu -e 'sin(exp(x))' --isa x86-64 --json | sed 's/^.*"ok": true.*$/good/'
--- exit 0
--- stdout
[
 {"name": null, "isa": null, "error": "input", "file": "--accuracy", "line": 1, "column": 9, "message": "*", "hint": null}
]
[
good
 {"name": "expression", "operands": null, "isa": "x86-64", "accuracy": null, *"error": "input", "file": null, "line": null, "column": null, "message": "no plan keeps `3 ulp`*", "hint": null, "ok": false, *}
]
--- stderr
--accuracy:1:9: error: *
...
actgen: error: expression (x86-64): no plan keeps *
