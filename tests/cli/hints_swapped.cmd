# Two swapped letters count as one slip, and a word of other letters as none. Commands, options and names have one rule.
printf 'kernel first(x: f32) -> (y: f32) { y = x }\nkernel frost(x: f32) -> (y: f32) { y = -x }\n' > k.act
actgen comiple; actgen show relu --satge spec; actgen show relu --stage plna; actgen show relu --stage abc
actgen show relu --stage spec --isa avx215; actgen show relu --stage spec --tune zne5; actgen show relu --stage spec --type bf61
actgen show gleu --stage spec; actgen show k.act:frist --stage spec
--- exit 1
--- stdout
--- stderr
actgen: error: there is no command 'comiple'; did you mean 'compile'?
...
actgen: error: there is no option '--satge'; did you mean '--stage'?
...
actgen: error: there is no stage 'plna'; did you mean 'plan'?
...
actgen: error: there is no stage 'abc': the stages are spec, expr, plan, lane, ir, asm, c and libm
...
actgen: error: there is no instruction set 'avx215'; did you mean 'avx512'?
actgen: error: there is no core 'zne5'; did you mean 'zen5'?
actgen: error: there is no type 'bf61'; did you mean 'bf16'?
actgen: error: unknown built-in `gleu`; did you mean `gelu`?
actgen: error: 'k.act' has no kernel 'frist'; did you mean 'first'? It has first, frost
