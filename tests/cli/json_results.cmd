# check, show, compile and run write their results as JSON.
printf 'kernel k(x: f32) -> (y: f32) { y = relu(x) }\nkernel l(x: f32) -> (y: f32) { y = -x }\n' > k.act
printf 'function f(x) = x' > f.act
actgen check k.act f.act --json
actgen show ./k.act --stage expr --isa x86-64,avx2 --json
actgen compile ./k.act:l -o l.o --header l.h --isa x86-64 --json
actgen run ./k.act:k --in "$DATA/matrix.npy" --out y.npy --isa x86-64 --json
cmp y.npy "$DATA/relu_matrix.npy"
--- exit 0
--- stdout
[
 {"file": "k.act", "kernels": ["k", "l"], "ok": true},
 {"file": "f.act", "kernels": [], "ok": true}
]
[
 {"name": "k", "isa": "x86-64", "stage": "expr", "text": "*\n"},
 {"name": "k", "isa": "avx2", "stage": "expr", "text": "*\n"},
 {"name": "l", "isa": "x86-64", "stage": "expr", "text": "*\n"},
 {"name": "l", "isa": "avx2", "stage": "expr", "text": "*\n"}
]
[
 {"name": "l", "operands": "(x: f32) -> (y: f32)", "isa": "x86-64", "accuracy": "3 ulp", "plan": "*", "profile": "portable-nofma", "core": "generic", "whole": true, "exhaustive": *, "inputs": *, "max_ulp": *, "max_ulp_at": *, "max_abs": *, "max_abs_at": *, "compile_ms": *, "object_hash": "*", "object": "l.o", "header": "l.h"}
]
[
 {"name": "k", "operands": "(x: f32) -> (y: f32)", "isa": "x86-64", "accuracy": "3 ulp", "plan": "*", "backend": "machine code", "rows": 3, "cols": 4}
]
--- stderr
