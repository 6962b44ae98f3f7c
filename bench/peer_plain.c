/* The plain loop, as a compiler makes it. CMake compiles this file several times: for the scalar libm in the
 * usual way, and with -Ofast, which lets gcc call the vector functions of glibc's libmvec. -Ofast is only for
 * compiling. A program linked with -Ofast flushes all subnormals to zero.
 *
 * PEER is the name of the variable. LIBRARY and ISA are its fields. */
#include "bench.h"

#include <math.h>

#define LOOP(name, expression)                                                                               \
    static void name(size_t n, const float *restrict in, float *restrict out)                                \
    {                                                                                                        \
        for (size_t i = 0; i < n; i++) {                                                                     \
            float x = in[i];                                                                                 \
            out[i] = expression;                                                                             \
        }                                                                                                    \
    }

LOOP(gelu_erf, 0.5f * x * (1 + erff(x * 0.70710678f)))
LOOP(gelu_erfc, 0.5f * x * erfcf(x * -0.70710678f))
LOOP(gelu_tanh, 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x))))
LOOP(gelu_sigmoid, x / (1 + expf(-1.702f * x)))
LOOP(silu, x / (1 + expf(-x)))
LOOP(softplus, fmaxf(x, 0) + log1pf(expf(-fabsf(x))))
LOOP(tanh_loop, tanhf(x))
LOOP(sigmoid, 1 / (1 + expf(-x)))
LOOP(mish, x *tanhf(fmaxf(x, 0) + log1pf(expf(-fabsf(x)))))
LOOP(elu, x > 0 ? x : expm1f(x))
LOOP(exp_loop, expf(x))
LOOP(log_loop, logf(x))
LOOP(log2_loop, log2f(x))
LOOP(log10_loop, log10f(x))
LOOP(log1p_loop, log1pf(x))
LOOP(asinh_loop, asinhf(x))
LOOP(acosh_loop, acoshf(x))
LOOP(atanh_loop, atanhf(x))

#define GATE(name, expression)                                                                               \
    static void name(size_t n, const float *restrict in, const float *restrict up, float *restrict out)      \
    {                                                                                                        \
        for (size_t i = 0; i < n; i++) {                                                                     \
            float x = in[i];                                                                                 \
            out[i] = (expression)*up[i];                                                                     \
        }                                                                                                    \
    }

GATE(swiglu, x / (1 + expf(-x)))
GATE(geglu_erf, 0.5f * x * (1 + erff(x * 0.70710678f)))
GATE(geglu_erfc, 0.5f * x * erfcf(x * -0.70710678f))

static void gelu_f64(size_t n, const void *in, void *out)
{
    const double *restrict x = in;
    double *restrict y = out;
    for (size_t i = 0; i < n; i++) y[i] = 0.5 * x[i] * erfc(x[i] * -0.70710678118654752);
}

static float gelu_of_one(float x) { return 0.5f * x * (1 + erff(x * 0.70710678f)); }
static float (*volatile const one)(float) = gelu_of_one; /* no compiler sees into the calls */

static void scalar_calls(size_t n, const void *in, void *out)
{
    const float *x = in;
    float *y = out, (*const function)(float) = one;
    for (size_t i = 0; i < n; i++) y[i] = function(x[i]);
}

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "erf", gelu_erf),
    PEER_LOOP("gelu", "erfc", gelu_erfc),
    PEER_LOOP("gelu_tanh", "tanh", gelu_tanh),
    PEER_LOOP("gelu_sigmoid", "x/(1+exp)", gelu_sigmoid),
    PEER_LOOP("silu", "x/(1+exp)", silu),
    PEER_LOOP("softplus", "log1p, exp", softplus),
    PEER_LOOP("tanh", "", tanh_loop),
    PEER_LOOP("sigmoid", "1/(1+exp)", sigmoid),
    PEER_LOOP("mish", "tanh, log1p, exp", mish),
    PEER_LOOP("elu", "expm1", elu),
    PEER_LOOP("exp", "", exp_loop),
    PEER_LOOP("log", "", log_loop),
    PEER_LOOP("log2", "", log2_loop),
    PEER_LOOP("log10", "", log10_loop),
    PEER_LOOP("log1p", "", log1p_loop),
    PEER_LOOP("asinh", "", asinh_loop),
    PEER_LOOP("acosh", "", acosh_loop),
    PEER_LOOP("atanh", "", atanh_loop),
    PEER_GATE("swiglu", "x/(1+exp)", swiglu),
    PEER_GATE("geglu", "erf", geglu_erf),
    PEER_GATE("geglu", "erfc", geglu_erfc),
    PEER_TYPED("gelu", "f64", gelu_f64),
    PEER_TYPED("gelu of one value", "f32", scalar_calls),
    PEER_ROWS_END,
};

const struct peer PEER = {LIBRARY, ISA, NULL, rows};
