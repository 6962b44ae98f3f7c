# An unknown name gets a message with names that exist.
printf 'kernel first(x: f32) -> (y: f32) { y = x }\nkernel second(x: f32) -> (y: f32) { y = -x }\n' > k.act
actgen show k.act:frist --stage spec
actgen show k.act:other --stage spec
actgen run k.act --in "$DATA/matrix.npy" --out y.npy --isa x86-64 2>&1 | head -1
actgen show 'x*2' --stage spec
actgen show -e 'silu(gate)*up' --stage spec
actgen show diff --stage spec
actgen show max --stage spec
actgen show bf16 --stage spec
actgen show sec --stage spec
actgen show -e 'sec(x)' --stage spec
actgen show -e 'zork(x)' --stage spec
actgen verify relu --accuracy 3ulp --isa x86-64 --json | grep -o '"accuracy": "[^"]*"'
actgen show gelu --stage spec --accuracy 2^-22
--- exit 1
--- stdout
actgen: error: run takes one kernel and one instruction set, and here are 2: name one with FILE:KERNEL or --isa (first, second)
"accuracy": "3 ulp"
--- stderr
actgen: error: 'k.act' has no kernel 'frist'; did you mean 'first'? It has first, second
actgen: error: 'k.act' has no kernel 'other'; it has first, second
actgen: error: 'x*2' is no name; give a formula of x as -e 'x*2'
expression:1:6: error: unknown name `gate`; a formula alone has the variable `x`, and several operands make a kernel: *
...
actgen: error: `diff` is a function of the language for formulas, such as `diff(gelu(x), x)`
actgen: error: `max` is a function of the language for formulas, such as `max(x, 0)`
actgen: error: `bf16` is a type; a cast of x is the formula `bf16(x)`
actgen: error: unknown built-in `sec`; as a formula, write `1/cos(x)`
actgen: note: actgen list prints the built-ins
expression:1:1: error: unknown function `sec`; write `1/cos(x)`
...
expression:1:1: error: unknown function `zork`; there are exp expm1 * cos * min max clamp diff uniform bernoulli where*, and the built-in activations
...
--accuracy:1:6: error: expected `ulp`, as in `3 ulp`, or `abs` in front, as in `abs 2^-20`, found the end of the *
...
