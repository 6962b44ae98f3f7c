/* Uses the custom kernels of gates.act and one kernel of ffn.act, through one header. */
#include "activations.h"
#include <math.h>
#include <stdio.h>

enum { COUNT = 101 };

static double soft_leak(double x, double leak, double sharpness)
{
    return leak * x + (1 - leak) * log1p(exp(sharpness * x)) / sharpness;
}

static double error_of(double got, double want)
{
    return isnan(got) ? INFINITY : fabs(got - want) / fmax(1, fabs(want));
}

int main(void)
{
    static float x[COUNT], up[COUNT], bent[COUNT], gated[COUNT], plain[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(i - 50) / 10;
        up[i] = 0.5F;
    }
    soft_leak_kernel(1, COUNT, x, bent);
    soft_leak_gate(1, COUNT, x, up, gated);
    ffn_gelu(1, COUNT, x, plain);

    double worst = 0;
    puts("    x   soft_leak        gate        gelu");
    for (int i = 0; i < COUNT; i++) {
        worst = fmax(worst, error_of(bent[i], soft_leak(x[i], 0.1, 4)));
        worst = fmax(worst, error_of(gated[i], soft_leak(x[i], 0.02, 8) * 0.5));
        worst = fmax(worst, error_of(plain[i], x[i] / 2.0 * erfc(-x[i] / sqrt(2))));
        if (i % 20 == 10) printf("%5.1f  %10.6f  %10.6f  %10.6f\n", x[i], bent[i], gated[i], plain[i]);
    }
    int ok = worst <= 0x1p-20;
    printf("largest error %.2g: %s\n", worst, ok ? "all as promised" : "NOT as promised");
    return !ok;
}
