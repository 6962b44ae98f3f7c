/* Calls kernels that were compiled to an object file from examples/ffn.act; ffn.h was generated with it. */
#include "ffn.h"
#include <math.h>
#include <stdio.h>

enum { ROWS = 3, COLS = 37 }; /* not a multiple of any vector: the tail is the kernel's business */

static double gelu(double x) { return x / 2 * erfc(-x / sqrt(2)); }
static double silu(double x) { return x / (1 + exp(-x)); }

/* The largest |y - expected| / max(1, |expected|) of rows that begin `stride` elements apart. */
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

    /* Rows of a wider array: strides are in elements. The bits are those of the contiguous call. */
    enum { WIDE = 64 };
    static float wide[ROWS * WIDE];
    ffn_swiglu_strided(ROWS, COLS, gate, COLS, up, COLS, wide, WIDE);
    double strided_error = worst_error(wide, WIDE, gated);
    printf("ffn_swiglu_strided  largest error %.2g\n", strided_error);

    double bound = 0x1p-22;
    int ok = gelu_error <= bound && swiglu_error <= 2 * bound && strided_error == swiglu_error;
    puts(ok ? "all as promised" : "NOT as promised");
    return !ok;
}
