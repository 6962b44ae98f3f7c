actgen verify --all --type f64 --accuracy '3 upl' --isa x86-64
--- exit 1
--- stdout
--- stderr
*note: left out: `softmax` is not made of f64 operands yet*
...
*left out: `rmsnorm_gated` is not made of f64 operands yet*
*error: expected `ulp`*
...
