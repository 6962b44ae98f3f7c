/* SLEEF's vector functions in the loops that a user would write: full vectors, then one by masks. Compiled
 * for AVX-512 and for AVX2. The functions are SLEEF's inline ones if it was built with their headers. u10 is
 * 1 ulp, u15 1.5, u35 3.5. If a function can be written in several ways, this file has the better ones. */
#include "bench.h"
#include "peer_vectors.h"

#if !defined(INLINE_VERSION)
#include <sleef.h>
#define SLEEF_VERSION PEER_VERSION(SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL)
#elif defined(__AVX512F__)
#include <sleefinline_avx512f.h>
#define SLEEF_VERSION INLINE_VERSION
#else
#include <sleefinline_avx2.h>
#define SLEEF_VERSION INLINE_VERSION
#endif

#if defined(__AVX512F__)
#define SLEEF(name, ulp) Sleef_##name##f16_##ulp##avx512f
#else
#define SLEEF(name, ulp) Sleef_##name##f8_##ulp##avx2
#endif

static vector exp_vector(vector x) { return SLEEF(exp, u10)(x); }
#include "peer_by_exp.h"

static vector gelu_erf(vector x)
{
    return mul(mul(x, c(0.5f)), add(c(1), SLEEF(erf, u10)(mul(x, c(0.70710678f)))));
}
static vector gelu_erfc(vector x) { return mul(mul(x, c(0.5f)), SLEEF(erfc, u15)(mul(x, c(-0.70710678f)))); }
static vector softplus(vector x)
{
    vector tail = SLEEF(log1p, u10)(exp_vector(negative_abs(x)));
    return add(most(c(0), x), tail); /* in this order, NaN passes through */
}
static vector mish(vector x) { return mul(x, SLEEF(tanh, u10)(softplus(x))); }
static vector elu(vector x) { return where_positive(x, x, SLEEF(expm1, u10)(x)); }
static vector tanh_u10(vector x) { return SLEEF(tanh, u10)(x); }
static vector tanh_u35(vector x) { return SLEEF(tanh, u35)(x); }
static vector log_u10(vector x) { return SLEEF(log, u10)(x); }
static vector log_u35(vector x) { return SLEEF(log, u35)(x); }
static vector log2_u10(vector x) { return SLEEF(log2, u10)(x); }
static vector log2_u35(vector x) { return SLEEF(log2, u35)(x); }
static vector log10_u10(vector x) { return SLEEF(log10, u10)(x); }
static vector log1p_u10(vector x) { return SLEEF(log1p, u10)(x); }
static vector asinh_u10(vector x) { return SLEEF(asinh, u10)(x); }
static vector acosh_u10(vector x) { return SLEEF(acosh, u10)(x); }
static vector atanh_u10(vector x) { return SLEEF(atanh, u10)(x); }

VECTOR_LOOP(gelu_erf)
VECTOR_LOOP(gelu_erfc)
VECTOR_LOOP(softplus)
VECTOR_LOOP(tanh_u10)
VECTOR_LOOP(tanh_u35)
VECTOR_LOOP(mish)
VECTOR_LOOP(elu)
VECTOR_LOOP(log_u10)
VECTOR_LOOP(log_u35)
VECTOR_LOOP(log2_u10)
VECTOR_LOOP(log2_u35)
VECTOR_LOOP(log10_u10)
VECTOR_LOOP(log1p_u10)
VECTOR_LOOP(asinh_u10)
VECTOR_LOOP(acosh_u10)
VECTOR_LOOP(atanh_u10)
VECTOR_GATE(gelu_erf)
VECTOR_GATE(gelu_erfc)

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "erf u10", gelu_erf_loop),
    PEER_LOOP("gelu", "erfc u15", gelu_erfc_loop),
    PEER_ROWS_BY_EXP("exp u10"),
    PEER_LOOP("softplus", "log1p, exp u10", softplus_loop),
    PEER_LOOP("tanh", "u10", tanh_u10_loop),
    PEER_LOOP("tanh", "u35", tanh_u35_loop),
    PEER_LOOP("mish", "tanh, log1p, exp u10", mish_loop),
    PEER_LOOP("elu", "expm1 u10", elu_loop),
    PEER_LOOP("exp", "u10", exp_vector_loop),
    PEER_LOOP("log", "u10", log_u10_loop),
    PEER_LOOP("log", "u35", log_u35_loop),
    PEER_LOOP("log2", "u10", log2_u10_loop),
    PEER_LOOP("log2", "u35", log2_u35_loop),
    PEER_LOOP("log10", "u10", log10_u10_loop),
    PEER_LOOP("log1p", "u10", log1p_u10_loop),
    PEER_LOOP("asinh", "u10", asinh_u10_loop),
    PEER_LOOP("acosh", "u10", acosh_u10_loop),
    PEER_LOOP("atanh", "u10", atanh_u10_loop),
    PEER_GATE("geglu", "erf u10", gelu_erf_gate),
    PEER_GATE("geglu", "erfc u15", gelu_erfc_gate),
    PEER_ROWS_END,
};

const struct peer PEER = {"SLEEF " SLEEF_VERSION, ISA, NULL, rows};
