# --torch and --ort write sources that make the kernels operators of PyTorch and of ONNX Runtime. Both have the same tables.
cat > k.act << 'END'
kernel gated([gate | up]: bf16, scale: f32[]) -> (y: bf16) { y = silu(gate)*up*scale }
kernel norms(x: f32, s: f32[cols], h: f32[rows]) -> (m: f32[rows], c: f32[cols]) { m = mean(x*s + h); c = sum(x) }
END
actgen compile k.act gelu -o k.o --torch k.cpp --ort k.c --depfile k.d --isa x86-64 --prefix p_ && cat k.d
for file in k.cpp k.c; do sed -n '/operands_[0-9]*\[\]/,/^};/p; /kernel kernels\[\]/,/^};/p' $file > $file.tables; done
cat k.c.tables && cmp k.cpp.tables k.c.tables
grep -c 'RegisterCustomOps(' k.c; grep -c 'TORCH_LIBRARY_FRAGMENT(' k.cpp
actgen compile dropout -o d.o --torch d.cpp --isa x86-64
printf 'kernel c(x: f32[cols]) -> (y: f32) { y = x }\n' | actgen compile - -o c.o --ort c.c --isa x86-64
actgen compile gelu -o k.o --torch k.o 2>&1 | head -n 1
actgen compile gelu --emit c -o k.h --ort k.c 2>&1 | head -n 1
ls d.o c.o 2> /dev/null
--- exit 2
--- stdout
k.o k.cpp k.c: k.act
static const struct operand operands_0[] = {
    {"gate_up", BF16, MATRIX, 2, 2},
    {"scale", F32, ONE, 1, 4},
    {"y", BF16, MATRIX, 1, 2},
};
static const struct operand operands_1[] = {
    {"x", F32, MATRIX, 1, 4},
    {"s", F32, COLS, 1, 4},
    {"h", F32, ROWS, 1, 4},
    {"m", F32, ROWS, 1, 4},
    {"c", F32, COLS, 1, 4},
};
static const struct operand operands_2[] = {
    {"x", F32, MATRIX, 1, 4},
    {"y", F32, MATRIX, 1, 4},
};
static const struct kernel kernels[] = {
    {"p_gated", p_gated_kernel, NULL, operands_0, 2, 1, false},
    {"p_norms", p_norms_kernel, p_norms_workspace, operands_1, 3, 2, false},
    {"p_gelu", p_gelu_kernel, NULL, operands_2, 1, 1, true},
};
2
1
actgen: error: -o and --torch name the same file: give each its own
actgen: error: --ort is for objects, and --emit c writes C source
--- stderr
actgen: error: `dropout` has the operand `seed` of type u64, for which operators of PyTorch and ONNX Runtime have no tensors
actgen: error: `c` has no input of shape [rows, cols], by which an operator knows its rows
