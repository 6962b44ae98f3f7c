/* Loops in the shapes that XNNPACK publishes for these functions (src/f32-vsigmoid, f32-velu, f32-vtanh,
 * f32-vgelu, f32-vlog of its releases since 2024). The text and the coefficients are our own, because that
 * library is not packaged. Compiled for AVX-512 and for AVX2.
 *
 * The logistic is one exponential of -|x| and one division. The exponential takes a table of 16 and a cubic
 * with AVX-512, and a quintic with AVX2. expm1 takes a polynomial of degree 6. tanh, erf and log are
 * quotients of polynomials, whose coefficients scripts/rational_fit prints. `actgen show exp --stage lane`
 * prints the coefficients of exp at abs 2^-20 and abs 2^-22. With the table they are Taylor's. */
#include "bench.h"
#include "peer_vectors.h"

#include <math.h>

#define POLYNOMIAL(x, c) polynomial(x, c, sizeof(c) / sizeof *(c))

static vector polynomial(vector x, const float *coefficient, size_t terms)
{
    vector y = c(coefficient[terms - 1]);
    for (size_t k = terms - 1; k-- > 0;) y = multiply_add(y, x, c(coefficient[k]));
    return y;
}

static const float shift_127 = 0x1.8000fep23f; /* its sum with an integer n ends in the bits of n + 127 */
static const float log2_e = 1.44269502f, ln2 = 0.693147182f;

/* Returns exp(z) for -87 <= z <= 0. */
#if defined(__AVX512F__)
static vector exp_of_negative(vector z)
{
    static const float cubic[] = {1, 1, 0.5f, 0.166666667f};
    const vector powers = _mm512_setr_ps(1, 1.04427378f, 1.09050773f, 1.13878863f, 1.18920712f, 1.24185781f,
                                         1.29683955f, 1.35425555f, 1.41421356f, 1.47682615f, 1.54221083f,
                                         1.61049033f, 1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f);
    const vector shift = c(0x1.8p19f), shifted = multiply_add(z, c(log2_e), shift), n = sub(shifted, shift);
    const vector table = _mm512_permutexvar_ps(_mm512_castps_si512(shifted), powers);
    return _mm512_scalef_ps(mul(table, POLYNOMIAL(multiply_add(n, c(-ln2), z), cubic)), n);
}
#else
static vector exp_of_negative(vector z)
{
    static const float quintic[] = {1, 1, 0.499997497f, 0.166667685f, 0.0418338142f, 0.00834174175f};
    const vector shift = c(shift_127), shifted = multiply_add(z, c(log2_e), shift), n = sub(shifted, shift);
    return mul(POLYNOMIAL(multiply_add(n, c(-ln2), z), quintic), power_of_bits(shifted));
}
#endif

static vector logistic(vector x)
{
    const vector e = exp_of_negative(most(c(-87), negative_abs(x))), small = divide(e, add(e, c(1)));
    return where_positive(x, sub(c(1), small), small);
}

static vector silu(vector x) { return mul(x, logistic(x)); }
static vector gelu_sigmoid(vector x) { return mul(x, logistic(mul(x, c(1.702f)))); }

static vector elu(vector x)
{
    static const float quartic[] = {0.5f, 0.166665792f, 0.041666761f, 0.00836296286f, 0.00139058009f};
    const vector z = most(c(-17.5f), x), shift = c(shift_127);
    const vector shifted = multiply_add(z, c(log2_e), shift), n = sub(shifted, shift);
    const vector s = power_of_bits(shifted), t = multiply_add(n, c(-ln2), z);
    const vector rest = mul(POLYNOMIAL(t, quartic), t), scaled = mul(t, s);
    return where_positive(x, x, add(multiply_add(rest, scaled, scaled), sub(s, c(1))));
}

static vector clamped(vector x, float limit) { return most(c(-limit), least(c(limit), x)); }

static vector tanh_quotient(vector x)
{
    static const float p[] = {0.999999996f, 0.134688302f, 0.00360104341f, 2.24103492e-5f, 1.60337124e-8f};
    static const float q[] = {1, 0.468021599f, 0.0262749684f, 0.000346064322f, 8.8304354e-7f};
    const vector z = clamped(x, 7.6f), square = mul(z, z);
    return divide(mul(z, POLYNOMIAL(square, p)), POLYNOMIAL(square, q));
}

static vector gelu(vector x)
{
    static const float p[] = {0.797884562f,   0.0651453718f,  0.00951278811f,  0.00033265652f,
                              1.60078501e-5f, 9.33305317e-8f, -1.17479165e-10f};
    static const float q[] = {1, 0.248314305f, 0.0283081515f, 0.00190338595f, 7.91945876e-5f, 1.83825853e-6f};
    const vector z = clamped(x, 5.2f), square = mul(z, z), half = mul(x, c(0.5f));
    return multiply_add(half, divide(mul(z, POLYNOMIAL(square, p)), POLYNOMIAL(square, q)), half);
}

static vector gelu_tanh(vector x)
{
    const vector cubic = mul(x, multiply_add(mul(x, x), c(0.0356774081f), c(0.797884561f)));
    const vector half = mul(x, c(0.5f));
    return multiply_add(half, tanh_quotient(cubic), half);
}

/* Returns the exponent of a positive x as a float. */
static vector exponent_of(vector x)
{
#if defined(__AVX512F__)
    const __mmask16 zero = _mm512_cmp_ps_mask(x, c(0), _CMP_EQ_OQ),
                    negative = _mm512_cmp_ps_mask(x, c(0), _CMP_LT_OQ);
    const vector marked = _mm512_mask_mov_ps(_mm512_getexp_ps(x), zero, c(-INFINITY));
    return _mm512_mask_mov_ps(marked, negative, c(NAN));
#else
    const vector zero = _mm256_cmp_ps(x, c(0), _CMP_EQ_OQ), marked = V(or_ps)(V(and_ps)(zero, c(-0.0f)), x);
    const vector bits = V(and_ps)(marked, V(castsi256_ps)(V(set1_epi32)((int)0xff800000)));
    const vector shifted = V(castsi256_ps)(V(srai_epi32)(V(castps_si256)(bits), 8));
    return sub(V(or_ps)(shifted, c(256)), c(383));
#endif
}

static vector significand_of(vector x)
{
    const vector bits = c(0x1.fffffcp-127f); /* those of the fraction */
    return V(or_ps)(V(and_ps)(x, bits), c(1));
}

static vector log_quotient(vector x)
{
    static const float p[] = {1.00000002f, 0.999987312f, 0.182556492f};
    static const float q[] = {1, 1.49998729f, 0.599219671f, 0.0496140817f};
    const vector scaled = mul(x, c(1.41421342f)), r = sub(mul(significand_of(scaled), c(0.707106888f)), c(1));
    const vector quotient = divide(mul(r, POLYNOMIAL(r, p)), POLYNOMIAL(r, q));
    return multiply_add(exponent_of(scaled), c(ln2), quotient);
}

VECTOR_LOOP(logistic)
VECTOR_LOOP(silu)
VECTOR_LOOP(gelu_sigmoid)
VECTOR_LOOP(elu)
VECTOR_LOOP(tanh_quotient)
VECTOR_LOOP(gelu)
VECTOR_LOOP(gelu_tanh)
VECTOR_LOOP(log_quotient)

VECTOR_GATE(silu)
VECTOR_GATE(gelu)

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "quotient", gelu_loop),
    PEER_LOOP("gelu_tanh", "quotient", gelu_tanh_loop),
    PEER_LOOP("gelu_sigmoid", "one division", gelu_sigmoid_loop),
    PEER_LOOP("silu", "one division", silu_loop),
    PEER_LOOP("tanh", "quotient", tanh_quotient_loop),
    PEER_LOOP("sigmoid", "one division", logistic_loop),
    PEER_LOOP("elu", "degree 6", elu_loop),
    PEER_LOOP("log", "quotient", log_quotient_loop),
    PEER_GATE("swiglu", "one division", silu_gate),
    PEER_GATE("geglu", "quotient", gelu_gate),
    PEER_ROWS_END,
};

const struct peer PEER = {"XNNPACK's form", ISA, NULL, rows};
