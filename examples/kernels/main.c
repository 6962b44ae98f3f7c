/* Calls functions of libactgen-kernels, which are ready: nothing is compiled. */
#include <actgen/kernels.h>
#include <stdio.h>

int main(void)
{
    const float x[4] = {-1, -0.5f, 0, 2}, up[4] = {1, 2, 3, 4};
    float y[4], gated[4];
    act_gelu_f32(4, x, y);           /* within 3 ulp */
    act_swiglu_f32(4, x, up, gated); /* silu(x) * up */
    for (int i = 0; i < 4; i++) printf("%.6g %.6g\n", y[i], gated[i]);
    return 0;
}
