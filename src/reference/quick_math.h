/* Elementary functions of doubles, written so that a loop over lanes becomes vector code: no branches, no calls.
 *
 * Each is within 4 * 2^-52 of its value where that is normal (test_reference_quick.c measures it, by MPFR); what
 * is smaller may come out as 0, what is larger or undefined as an infinity or NaN. They decide only whether
 * MPFR must be asked, so their bits may differ between processors. */
#ifndef ACTGEN_QUICK_MATH_H
#define ACTGEN_QUICK_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__FMA__)
#define QUICK_MULTIPLY_ADD(a, b, c) __builtin_fma(a, b, c)
#else
#define QUICK_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif
#define QUICK_INLINE static inline __attribute__((always_inline))

/* 1.5 * 2^52: adding it rounds a small number to an integer, held in the low bits. */
#define QUICK_MAGIC 0x1.8p52

/* ln 2 in two parts; the first has 32 bits, so that its product with an exponent is exact (fdlibm's). */
#define QUICK_LN2_HIGH 0x1.62e42feep-1
#define QUICK_LN2_LOW  0x1.a39ef35793c76p-33

/* Computed by quick_coefficients.py, the highest power first: erf(sqrt z) / sqrt z on [0, 1], */
#define ERF_COEFFICIENTS                                                                                     \
    -0x1.ac9585a44fe29p-31, 0x1.d76af6ca49787p-27, -0x1.5c131500d3f88p-23, 0x1.b981d78881a5dp-20,            \
        -0x1.f4ca838adb73bp-17, 0x1.f9a2be4f731a1p-14, -0x1.c02db0665e53dp-11, 0x1.565bccfa44156p-8,         \
        -0x1.b82ce31203772p-6, 0x1.ce2f21a040f66p-4, -0x1.812746b0379c1p-2, 0x1.20dd750429b6dp+0
/* and (x + 4) exp(x^2) erfc(x) as a polynomial in (x - 4) / (x + 4), for x from 0 to 28. */
#define ERFC_COEFFICIENTS                                                                                    \
    0x1.f36d8f26067d6p-31, -0x1.5e243bcb5bcd0p-31, -0x1.055c642430266p-26, 0x1.d16930edb8c31p-29,            \
        0x1.0a395a44d8d18p-23, -0x1.534dbf9f8d75fp-24, -0x1.c6596b17a2096p-21, 0x1.7f048f4ea1fbdp-20,        \
        0x1.3b0cf5024bf2dp-18, -0x1.3c7440d5e91e8p-16, -0x1.e7ebd7777a24ep-19, 0x1.72cddbdba093ap-13,        \
        -0x1.dd2843b0c3d54p-12, -0x1.269b5709946d1p-12, 0x1.908f471ffe9afp-8, -0x1.b00c0529fc336p-6,         \
        0x1.38dbd2c8e8e74p-4, -0x1.645fd8a4c08c6p-3, 0x1.52cac23710011p-2, -0x1.14eacb1ad02b6p-1,            \
        0x1.8be202d26c708p-1, -0x1.f3fe31ecb49c0p-1, 0x1.18932bf08e154p+0

QUICK_INLINE uint64_t quick_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

QUICK_INLINE double quick_number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Horner's rule, unrolled: `count` is a constant where this is inlined. */
QUICK_INLINE double quick_polynomial(const double *coefficients, int count, double x)
{
    double y = coefficients[0];
#pragma GCC unroll 32
    for (int i = 1; i < count; i++) y = QUICK_MULTIPLY_ADD(y, x, coefficients[i]);
    return y;
}
#define QUICK_POLYNOMIAL(coefficients, x)                                                                    \
    quick_polynomial(coefficients, (int)(sizeof(coefficients) / sizeof *(coefficients)), x)

/* x = k ln 2 + r with |r| <= 0.35: gives r and, in the low bits, k. For |x| <= 1000. */
QUICK_INLINE double quick_reduce(double x, uint64_t *k_bits)
{
    const double shifted = x * 0x1.71547652b82fep0 + QUICK_MAGIC, k = shifted - QUICK_MAGIC;
    *k_bits = quick_bits(shifted);
    return QUICK_MULTIPLY_ADD(k, -QUICK_LN2_LOW, QUICK_MULTIPLY_ADD(k, -QUICK_LN2_HIGH, x));
}

/* 2^k for -1022 <= k <= 1023. */
QUICK_INLINE double quick_scale(uint64_t k_bits)
{
    return quick_number_of((k_bits << 52) + (UINT64_C(1023) << 52));
}

/* (exp(r) - 1 - r) / r^2: Taylor's series, the rest below 2^-54 for |r| <= 0.35. */
QUICK_INLINE double quick_exp_series(double r)
{
    static const double coefficients[] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0,
                                          1 / 362880.0,     1 / 40320.0,     1 / 5040.0,     1 / 720.0,
                                          1 / 120.0,        1 / 24.0,        1 / 6.0,        0.5};
    return QUICK_POLYNOMIAL(coefficients, r);
}

/* exp(x + low), |low| < 2^-14. */
QUICK_INLINE double quick_exp_of_sum(double x, double low)
{
    uint64_t k;
    double cut = x < -708 ? -708 : x;
    cut = cut > 709 ? 709 : cut;
    const double r = quick_reduce(cut, &k) + low;
    const double y = QUICK_MULTIPLY_ADD(r * r, quick_exp_series(r), r) + 1, scaled = y * quick_scale(k);
    return x < -708 ? 0 : x > 709 ? INFINITY : scaled;
}

QUICK_INLINE double quick_exp_value(double x) { return quick_exp_of_sum(x, 0); }

QUICK_INLINE double quick_expm1_value(double x)
{
    uint64_t k;
    double cut = x < -40 ? -40 : x;
    cut = cut > 709 ? 709 : cut;
    const double r = quick_reduce(cut, &k), scale = quick_scale(k);
    const double y = QUICK_MULTIPLY_ADD(r * r, quick_exp_series(r), r);
    const double sum = QUICK_MULTIPLY_ADD(scale, y, scale - 1);
    return x > 709 ? INFINITY : sum;
}

/* log(u) + correction, u a normal number: u = 2^k m with m between the roots of 1/2 and 2, and the series of
 * log((1 + s) / (1 - s)), whose rest is below 2^-55. */
QUICK_INLINE double quick_log_of(double u, double correction)
{
    static const double coefficients[] = {1 / 21.0, 1 / 19.0, 1 / 17.0, 1 / 15.0, 1 / 13.0,
                                          1 / 11.0, 1 / 9.0,  1 / 7.0,  1 / 5.0,  1 / 3.0};
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const uint64_t exponent = (quick_bits(u) + (one - root)) >> 52; /* k + 1023 */
    const double k = quick_number_of(UINT64_C(0x4330000000000000) | exponent) - (0x1p52 + 1023);
    const double f = quick_number_of(quick_bits(u) - (exponent << 52) + one) - 1;
    const double s = f / (2 + f), z = s * s, twice = 2 * s;
    const double small = twice * (z * QUICK_POLYNOMIAL(coefficients, z));
    return QUICK_MULTIPLY_ADD(k, QUICK_LN2_HIGH,
                              twice + (small + QUICK_MULTIPLY_ADD(k, QUICK_LN2_LOW, correction)));
}

/* NaN unless 0 < x < infinity. */
QUICK_INLINE double quick_log_value(double x)
{
    const double u = x < 0x1p-1022 ? x * 0x1p54 : x, shift = x < 0x1p-1022 ? -54 * 0x1.62e42fefa39efp-1 : 0;
    const double y = quick_log_of(u, 0) + shift;
    return x > 0 && x < INFINITY ? y : NAN;
}

/* NaN unless -1 < x < infinity. log(1 + x) = log(u) + (1 + x - u) / u, u being the rounded sum. */
QUICK_INLINE double quick_log1p_value(double x)
{
    const double u = 1 + x, rest = x > 1 ? 1 - (u - x) : x - (u - 1);
    const double y = quick_log_of(u, rest / u);
    return x > -1 && x < INFINITY ? y : NAN;
}

/* The same for 0 <= x <= 1. */
QUICK_INLINE double quick_log1p_of_unit(double x)
{
    const double u = 1 + x;
    return quick_log_of(u, (x - (u - 1)) / u);
}

QUICK_INLINE double quick_tanh_value(double x)
{
    const double t = quick_expm1_value(2 * (fabs(x) < 20 ? fabs(x) : 20));
    return copysign(t / (t + 2), x) + 0 * x;
}

/* For x >= 0, by exp(-x^2); the square is split so that its error is not magnified. */
QUICK_INLINE double quick_erfc_right(double x)
{
    static const double coefficients[] = {ERFC_COEFFICIENTS};
    const double cut = x < 28 ? x : 28, inverse = 1 / (cut + 4);
    const double high = quick_number_of(quick_bits(cut) & ~((UINT64_C(1) << 27) - 1));
    const double decay = quick_exp_of_sum(-high * high, -(cut - high) * (cut + high));
    return QUICK_POLYNOMIAL(coefficients, (cut - 4) * inverse) * inverse * decay;
}

QUICK_INLINE double quick_erfc_value(double x)
{
    const double right = quick_erfc_right(fabs(x));
    return (x < 0 ? 2 - right : right) + 0 * x;
}

QUICK_INLINE double quick_erf_value(double x)
{
    static const double coefficients[] = {ERF_COEFFICIENTS};
    const double small = x * QUICK_POLYNOMIAL(coefficients, x * x);
    const double large = copysign(1 - quick_erfc_right(fabs(x)), x);
    return fabs(x) < 1 ? small : large + 0 * x;
}

#endif
