# --torch writes which kernel is the gradient of which: <name>_backward, if it takes and returns what a gradient does.
cat > k.act << 'END'
kernel gated([gate | up]: f32, s: f32[cols]) -> (y: f32) { y = silu(gate)*up*s }
kernel gated_backward = gradient gated of gate, up
kernel silu_backward_backward = gradient silu_backward
kernel silu_backward = gradient silu
kernel silu(x: f32) -> (y: f32) { y = silu(x) }
kernel other(x: f32) -> (y: f32) { y = tanh(x) }
kernel other_backward(x: f32, d_y: f32) -> (z: f32) { z = x + d_y }
END
actgen compile k.act -o k.o --torch k.cpp --ort k.c --isa x86-64
sed -n '/static const int results/p; /gradients\[\]/,/^};/p' k.cpp; grep -c gradients k.c
--- exit 1
--- stdout
static const int results_0[] = {0, -1};
static const int results_3[] = {0, 1};
static const int results_4[] = {0};
static const struct gradient gradients[] = {
    {1, results_0},
    {-1, NULL},
    {-1, NULL},
    {2, results_3},
    {3, results_4},
    {-1, NULL},
    {-1, NULL},
};
0
