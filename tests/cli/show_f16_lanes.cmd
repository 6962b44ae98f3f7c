# Plans in lanes of f16 are found, and kept in the cache, also for a product whose one factor they compute.
cat > l.act <<'ACT'
kernel gelu_loose(x: f16) -> (y: f16) { accuracy abs 2^-8; y = gelu(x) }
kernel swiglu_loose([gate | up]: f16) -> (y: f16) { accuracy abs 2^-8; y = silu(gate) * up }
ACT
for run in 1 2; do for k in gelu_loose swiglu_loose; do actgen show l.act:$k --isa avx512fp16 --stage lane --cache there > $k.$run; grep -c 'f16 = load' $k.$run; done; done
cmp gelu_loose.1 gelu_loose.2; cmp swiglu_loose.1 swiglu_loose.2
--- exit 0
--- stdout
1
2
1
2
--- stderr
