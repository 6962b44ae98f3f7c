/* SLEEF's vector functions in the loops that a user would write: full vectors, then one by masks. Compiled for AVX-512
 * and for AVX2. u10 is 1 ulp, u15 1.5, u35 3.5. Of the ways to write a function the better ones. */
#include "bench.h"

#include <immintrin.h>
#include <sleef.h>

#if defined(__AVX512F__)
typedef __m512 vector;
enum { LANES = 16 };
#define SLEEF(name, ulp) Sleef_##name##f16_##ulp##avx512f
#define V(name)          _mm512_##name
static vector load_some(const float *x, size_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), x);
}
static void store_some(float *y, size_t n, vector v)
{
    _mm512_mask_storeu_ps(y, (__mmask16)((1u << n) - 1), v);
}
static vector positive_or(vector x, vector otherwise)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ), otherwise, x);
}
static vector negative_abs(vector x) { return _mm512_or_ps(x, _mm512_set1_ps(-0.0f)); }
#else
typedef __m256 vector;
enum { LANES = 8 };
#define SLEEF(name, ulp) Sleef_##name##f8_##ulp##avx2
#define V(name)          _mm256_##name
static __m256i mask_of(size_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static vector load_some(const float *x, size_t n) { return _mm256_maskload_ps(x, mask_of(n)); }
static void store_some(float *y, size_t n, vector v) { _mm256_maskstore_ps(y, mask_of(n), v); }
static vector positive_or(vector x, vector otherwise)
{
    return _mm256_blendv_ps(otherwise, x, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_GT_OQ));
}
static vector negative_abs(vector x) { return _mm256_or_ps(x, _mm256_set1_ps(-0.0f)); }
#endif

static vector c(float value) { return V(set1_ps)(value); }
static vector add(vector a, vector b) { return V(add_ps)(a, b); }
static vector mul(vector a, vector b) { return V(mul_ps)(a, b); }
static vector divide(vector a, vector b) { return V(div_ps)(a, b); }

static vector gelu_erf(vector x)
{
    return mul(mul(x, c(0.5f)), add(c(1), SLEEF(erf, u10)(mul(x, c(0.70710678f)))));
}
static vector gelu_erfc(vector x) { return mul(mul(x, c(0.5f)), SLEEF(erfc, u15)(mul(x, c(-0.70710678f)))); }
static vector gated(vector x, vector scaled) { return divide(x, add(c(1), SLEEF(exp, u10)(scaled))); }
static vector gelu_tanh(vector x) /* x * sigmoid(2u), which 0.5*x*(1 + tanh(u)) is */
{
    vector cubic = V(fmadd_ps)(mul(mul(x, x), x), c(0.044715f), x);
    return gated(x, mul(cubic, c(-1.59576912f)));
}
static vector gelu_sigmoid(vector x) { return gated(x, mul(x, c(-1.702f))); }
static vector silu(vector x) { return gated(x, mul(x, c(-1))); }
static vector sigmoid(vector x) { return gated(c(1), mul(x, c(-1))); }
static vector softplus(vector x)
{
    vector tail = SLEEF(log1p, u10)(SLEEF(exp, u10)(negative_abs(x)));
    return add(V(max_ps)(c(0), x), tail); /* in this order NaN comes through */
}
static vector mish(vector x) { return mul(x, SLEEF(tanh, u10)(softplus(x))); }
static vector elu(vector x) { return positive_or(x, SLEEF(expm1, u10)(x)); }
static vector tanh_u10(vector x) { return SLEEF(tanh, u10)(x); }
static vector tanh_u35(vector x) { return SLEEF(tanh, u35)(x); }
static vector exp_u10(vector x) { return SLEEF(exp, u10)(x); }

#define LOOP(name)                                                                                           \
    static void name##_loop(size_t n, const float *x, float *y)                                              \
    {                                                                                                        \
        size_t i = 0;                                                                                        \
        for (; i + LANES <= n; i += LANES) V(storeu_ps)(y + i, name(V(loadu_ps)(x + i)));                    \
        if (i < n) store_some(y + i, n - i, name(load_some(x + i, n - i)));                                  \
    }
LOOP(gelu_erf)
LOOP(gelu_erfc)
LOOP(gelu_tanh)
LOOP(gelu_sigmoid)
LOOP(silu)
LOOP(softplus)
LOOP(tanh_u10)
LOOP(tanh_u35)
LOOP(sigmoid)
LOOP(mish)
LOOP(elu)
LOOP(exp_u10)

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
    {NULL, NULL, NULL},
};

#define TEXT_OF(number)              #number
#define TEXT(number)                 TEXT_OF(number)
#define VERSION(major, minor, patch) "SLEEF " TEXT(major) "." TEXT(minor) "." TEXT(patch)
const struct peer PEER = {VERSION(SLEEF_VERSION_MAJOR, SLEEF_VERSION_MINOR, SLEEF_VERSION_PATCHLEVEL), ISA,
                          NULL, rows, NULL};
