/* Calls kernels from an object file that was compiled from examples/ffn.act. ffn.h was generated with it. */
#include "ffn.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 3, COLS = 37 }; /* not a multiple of any vector, because kernels handle the tail */

static double gelu(double x) { return x / 2 * erfc(-x / sqrt(2)); }
static double silu(double x) { return x / (1 + exp(-x)); }

/* Returns the largest |y - expected| / max(1, |expected|), for rows that begin `stride` elements apart. */
static double worst_error(const float *y, size_t stride, const double *expected)
{
    double worst = 0;
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t col = 0; col < COLS; col++) {
            double want = expected[row * COLS + col];
            double off = fabs(y[row * stride + col] - want) / fmax(1, fabs(want));
            if (!(off <= worst)) worst = isnan(off) ? INFINITY : off;
        }
    }
    return worst;
}

/* Converts from bf16, which is the upper half of a float. */
static double from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

/* Converts a number that bf16 can hold. */
static uint16_t to_bf16(float value)
{
    uint32_t wide;
    memcpy(&wide, &value, sizeof wide);
    return (uint16_t)(wide >> 16);
}

/* Returns 1 if a bf16 is the nearest one to `want`, or is as near as the f32 arithmetic before it allows. */
static int is_near(uint16_t bits, double want)
{
    return fabs(from_bf16(bits) - want) <= fabs(want) * (0x1p-8 + 0x1p-20) + 0x1p-100;
}

/* Checks gelu(gate) * up and its gradients on packed bf16. The backward kernel writes its results over its
 * operands. */
static int packed_gate(void)
{
    static uint16_t gate_up[ROWS * 2 * COLS], copy[ROWS * 2 * COLS], d_y[ROWS * COLS], y[ROWS * COLS];
    for (size_t i = 0; i < ROWS * 2 * COLS; i++) gate_up[i] = to_bf16((float)((int)(i * 7 % 61) - 30) / 8);
    for (size_t i = 0; i < ROWS * COLS; i++) d_y[i] = to_bf16((float)(i % 5) - 2);
    memcpy(copy, gate_up, sizeof copy);

    ffn_geglu_packed(ROWS, COLS, gate_up, y);
    ffn_geglu_packed_backward(ROWS, COLS, gate_up, d_y, gate_up);

    int wrong = 0;
    for (size_t row = 0; row < ROWS; row++) {
        for (size_t col = 0; col < COLS; col++) {
            const size_t in = row * 2 * COLS + col, out = row * COLS + col;
            const double gate = from_bf16(copy[in]), up = from_bf16(copy[in + COLS]), d = from_bf16(d_y[out]);
            const double slope =
                erfc(-gate / sqrt(2)) / 2 + gate * exp(-gate * gate / 2) / sqrt(2 * acos(-1));
            wrong += !is_near(y[out], gelu(gate) * up) + !is_near(gate_up[in], d * slope * up) +
                     !is_near(gate_up[in + COLS], d * gelu(gate));
        }
    }
    printf("ffn_geglu_packed and its gradient, of bf16: %d wrong\n", wrong);
    return !wrong;
}

int main(void)
{
    static float gate[ROWS * COLS], up[ROWS * COLS], y[ROWS * COLS];
    static double exact[ROWS * COLS], gated[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        gate[i] = (float)(i - 50) / 8;
        up[i] = (float)(i % 7 - 3) / 4;
        exact[i] = gelu(gate[i]);
        gated[i] = silu(gate[i]) * up[i];
    }

    ffn_gelu(ROWS, COLS, gate, y);
    double gelu_error = worst_error(y, COLS, exact);
    printf("ffn_gelu    ffn_gelu(%g) = %.7g, largest error %.2g\n", gate[40], y[40], gelu_error);

    ffn_swiglu(ROWS, COLS, gate, up, y);
    double swiglu_error = worst_error(y, COLS, gated);
    printf("ffn_swiglu  largest error %.2g\n", swiglu_error);

    /* These are rows of a wider array, and strides are in elements. The bits are those of the contiguous
     * call. */
    enum { WIDE = 64 };
    static float wide[ROWS * WIDE];
    ffn_swiglu_strided(ROWS, COLS, gate, COLS, up, COLS, wide, WIDE);
    double strided_error = worst_error(wide, WIDE, gated);
    printf("ffn_swiglu_strided  largest error %.2g\n", strided_error);

    /* Threads may share a call by its rows. These two calls are the parts of two threads. */
    static float shared[ROWS * WIDE];
    enum { FIRST = ROWS / 2 };
    ffn_swiglu_strided(FIRST, COLS, gate, COLS, up, COLS, shared, WIDE);
    ffn_swiglu_strided(ROWS - FIRST, COLS, gate + FIRST * COLS, COLS, up + FIRST * COLS, COLS,
                       shared + FIRST * WIDE, WIDE);
    int rows_agree = !memcmp(shared, wide, sizeof wide);

    double bound = 0x1p-22;
    int ok = packed_gate() && gelu_error <= bound && swiglu_error <= 2 * bound &&
             strided_error == swiglu_error && rows_agree;
    puts(ok ? "all as promised" : "NOT as promised");
    return !ok;
}
