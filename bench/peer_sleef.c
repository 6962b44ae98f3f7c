/* SLEEF's vector functions in the loops that a user would write: full vectors, then one by masks. Compiled
 * for AVX-512 and for AVX2. u10 is 1 ulp, u15 1.5, u35 3.5. If a function can be written in several ways,
 * this file has the better ones. */
#include "bench.h"
#include "peer_vectors.h"

#include <sleef.h>

#if defined(__AVX512F__)
#define SLEEF(name, ulp) Sleef_##name##f16_##ulp##avx512f
#else
#define SLEEF(name, ulp) Sleef_##name##f8_##ulp##avx2
#endif

static vector gelu_erf(vector x)
{
    return mul(mul(x, c(0.5f)), add(c(1), SLEEF(erf, u10)(mul(x, c(0.70710678f)))));
}
static vector gelu_erfc(vector x) { return mul(mul(x, c(0.5f)), SLEEF(erfc, u15)(mul(x, c(-0.70710678f)))); }
static vector gated(vector x, vector scaled) { return divide(x, add(c(1), SLEEF(exp, u10)(scaled))); }
static vector gelu_tanh(vector x) /* x * sigmoid(2u), which equals 0.5*x*(1 + tanh(u)) */
{
    vector cubic = multiply_add(mul(mul(x, x), x), c(0.044715f), x);
    return gated(x, mul(cubic, c(-1.59576912f)));
}
static vector gelu_sigmoid(vector x) { return gated(x, mul(x, c(-1.702f))); }
static vector silu(vector x) { return gated(x, mul(x, c(-1))); }
static vector sigmoid(vector x) { return gated(c(1), mul(x, c(-1))); }
static vector softplus(vector x)
{
    vector tail = SLEEF(log1p, u10)(SLEEF(exp, u10)(negative_abs(x)));
    return add(V(max_ps)(c(0), x), tail); /* in this order, NaN passes through */
}
static vector mish(vector x) { return mul(x, SLEEF(tanh, u10)(softplus(x))); }
static vector elu(vector x) { return where_positive(x, x, SLEEF(expm1, u10)(x)); }
static vector tanh_u10(vector x) { return SLEEF(tanh, u10)(x); }
static vector tanh_u35(vector x) { return SLEEF(tanh, u35)(x); }
static vector exp_u10(vector x) { return SLEEF(exp, u10)(x); }
static vector log_u10(vector x) { return SLEEF(log, u10)(x); }
static vector log_u35(vector x) { return SLEEF(log, u35)(x); }

PEER_LOOP(gelu_erf)
PEER_LOOP(gelu_erfc)
PEER_LOOP(gelu_tanh)
PEER_LOOP(gelu_sigmoid)
PEER_LOOP(silu)
PEER_LOOP(softplus)
PEER_LOOP(tanh_u10)
PEER_LOOP(tanh_u35)
PEER_LOOP(sigmoid)
PEER_LOOP(mish)
PEER_LOOP(elu)
PEER_LOOP(exp_u10)
PEER_LOOP(log_u10)
PEER_LOOP(log_u35)
PEER_GATE(silu)
PEER_GATE(gelu_erf)
PEER_GATE(gelu_erfc)

static const struct peer_row rows[] = {
    {"gelu", "erf u10", gelu_erf_loop},
    {"gelu", "erfc u15", gelu_erfc_loop},
    {"gelu_tanh", "x/(1+exp u10)", gelu_tanh_loop},
    {"gelu_sigmoid", "x/(1+exp u10)", gelu_sigmoid_loop},
    {"silu", "x/(1+exp u10)", silu_loop},
    {"softplus", "log1p, exp u10", softplus_loop},
    {"tanh", "u10", tanh_u10_loop},
    {"tanh", "u35", tanh_u35_loop},
    {"sigmoid", "1/(1+exp u10)", sigmoid_loop},
    {"mish", "tanh, log1p, exp u10", mish_loop},
    {"elu", "expm1 u10", elu_loop},
    {"exp", "u10", exp_u10_loop},
    {"log", "u10", log_u10_loop},
    {"log", "u35", log_u35_loop},
    {NULL, NULL, NULL},
};

static const struct gate_row gates[] = {
    {"swiglu", "x/(1+exp u10)", silu_gate},
    {"geglu", "erf u10", gelu_erf_gate},
    {"geglu", "erfc u15", gelu_erfc_gate},
    {NULL, NULL, NULL},
};

#define TEXT_OF(number)              #number
#define TEXT(number)                 TEXT_OF(number)
#define VERSION(major, minor, patch) "SLEEF " TEXT(major) "." TEXT(minor) "." TEXT(patch)
const struct peer PEER = {VERSION(SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL),
                          ISA,
                          NULL,
                          rows,
                          NULL,
                          gates};
