/* Elementary functions of doubles, written so that a loop over lanes becomes vector code. They have no
 * branches and no calls, except sin, cos and powers. quick_long.c compiles this file again for long doubles
 * of at least 64 bits.
 *
 * Let u be the largest relative error of a rounding, 2^-53, or 2^-64 for long doubles. Each function is
 * within 24 u of its value where the value is normal. Smaller values may come out as 0, larger or undefined
 * values as an infinity or NaN. The comment on each function adds up its roundings. It assumes the worst of
 * each rounding, and no multiplication fused with an addition. test_reference_quick.c compares with MPFR and
 * finds less than 8 u.
 *
 * The only functions of libm that are called are exact: fabs, copysign, rint, frexp, ldexp. The values only
 * decide whether MPFR must be asked, so their bits may differ between processors. */
#ifndef ACTGEN_QUICK_MATH_H
#define ACTGEN_QUICK_MATH_H

#include "quick_coefficients.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef QUICK_LONG
#include <tgmath.h> /* selects fabs, rint, ldexp, ... by the argument's type */
#endif

#define QUICK_INLINE static inline __attribute__((always_inline))
#define QUICK_ONE    ((quick_real)1) /* divided by an integer it gives the number nearest to the fraction */

#ifdef QUICK_FMA
#define QUICK_MULTIPLY_ADD(a, b, c) __builtin_fma(a, b, c)
#else
#define QUICK_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* The high part of ln 2. It has 32 bits, so that its product with an exponent is exact (fdlibm's). */
#define QUICK_LN2_HIGH 0x1.62e42feep-1

/* ---- parts that depend on the type's bits ---- */

struct quick_split { /* x = 2^k (1 + f), where 1 + f is between sqrt(1/2) and sqrt(2) */
    quick_real k, f;
};

QUICK_INLINE double quick_number_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns 2^k, -1022 <= k <= 1023. */
QUICK_INLINE double quick_scale_of_double(int64_t k) { return quick_number_of((uint64_t)(k + 1023) << 52); }

#ifdef QUICK_LONG
#define QUICK_LN2_LOW         0xd1cf79abc9e3b398p-96L
#define QUICK_LN2             0xb17217f7d1cf79acp-64L
#define QUICK_ONE_OVER_LN2    0xb8aa3b295c17f0bcp-63L
#define QUICK_HALF_PI         0xc90fdaa22168c235p-63L
#define QUICK_ROOT_PI         0xe2dfc48da77b553dp-63L
#define QUICK_HALF_LOG_TWO_PI 0xeb3f8e4325f5a535p-64L
#define QUICK_LEAST_EXPONENT  -11355 /* exp of this number is above the smallest normal number */
#define QUICK_MOST_EXPONENT   11356  /* exp of this number is below infinity */
#define QUICK_LEAST_NORMAL    0x1p-16382L
#define QUICK_LARGEST_ERFC    107

QUICK_INLINE quick_real quick_integer(quick_real x, int64_t *integer)
{
    const quick_real rounded = rint(x);
    *integer = fabs(rounded) < 0x1p62L ? (int64_t)rounded : 0;
    return rounded;
}

/* Returns 2^k where it is a normal number. */
QUICK_INLINE quick_real quick_scale(int64_t k)
{
    if (k >= -1022 && k <= 1023) return quick_scale_of_double(k); /* four times as fast */
    return ldexp(QUICK_ONE, (int)k);
}

/* Splits a normal number. */
QUICK_INLINE struct quick_split quick_split(quick_real x)
{
    int exponent = 0;
    const quick_real m = frexp(x, &exponent);
    const bool is_small = m < 0x1.6a09e667f3bcdp-1L;
    return (struct quick_split){exponent - is_small, (is_small ? 2 * m : m) - 1};
}

/* Returns about the first half of the bits. The square of the result is exact. */
QUICK_INLINE quick_real quick_leading(quick_real x)
{
    const quick_real shifted = x * 0x1.00000001p32L;
    return shifted - (shifted - x);
}
#else
#define QUICK_LN2_LOW         0x1.a39ef35793c76p-33
#define QUICK_LN2             0x1.62e42fefa39efp-1
#define QUICK_ONE_OVER_LN2    0x1.71547652b82fep0
#define QUICK_HALF_PI         0x1.921fb54442d18p0
#define QUICK_ROOT_PI         0x1.c5bf891b4ef6bp0
#define QUICK_HALF_LOG_TWO_PI 0x1.d67f1c864beb5p-1
#define QUICK_LEAST_EXPONENT  -708
#define QUICK_MOST_EXPONENT   709
#define QUICK_LEAST_NORMAL    0x1p-1022
#define QUICK_LARGEST_ERFC    28

QUICK_INLINE uint64_t quick_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Rounds x to an integer, |x| < 2^51. Adding 1.5 * 2^52 rounds to an integer, which the low bits hold. */
QUICK_INLINE double quick_integer(double x, int64_t *integer)
{
    const double magic = 0x1.8p52, shifted = x + magic;
    *integer = (int64_t)(quick_bits(shifted) - quick_bits(magic));
    return shifted - magic;
}

QUICK_INLINE double quick_scale(int64_t k) { return quick_scale_of_double(k); }

QUICK_INLINE struct quick_split quick_split(double x)
{
    const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000);
    const uint64_t exponent = (quick_bits(x) + (one - root)) >> 52; /* k + 1023 */
    const double k = quick_number_of(UINT64_C(0x4330000000000000) | exponent) - (0x1p52 + 1023);
    return (struct quick_split){k, quick_number_of(quick_bits(x) - (exponent << 52) + one) - 1};
}

QUICK_INLINE double quick_leading(double x)
{
    return quick_number_of(quick_bits(x) & ~((UINT64_C(1) << 27) - 1));
}
#endif

/* ---- functions for every type ---- */

/* Evaluates a polynomial by Horner's rule. The even and the odd powers run side by side and are unrolled,
 * because `count` is a constant where this is inlined. */
QUICK_INLINE quick_real quick_polynomial(const quick_real *coefficients, int count, quick_real x)
{
    const quick_real z = x * x;
    quick_real first = coefficients[0], second = coefficients[1];
#pragma GCC unroll 16
    for (int i = 2; i + 1 < count; i += 2) {
        first = QUICK_MULTIPLY_ADD(first, z, coefficients[i]);
        second = QUICK_MULTIPLY_ADD(second, z, coefficients[i + 1]);
    }
    if (count % 2 == 0) return QUICK_MULTIPLY_ADD(first, x, second);
    return QUICK_MULTIPLY_ADD(second, x, QUICK_MULTIPLY_ADD(first, z, coefficients[count - 1]));
}
#define QUICK_POLYNOMIAL(coefficients, x)                                                                    \
    quick_polynomial(coefficients, (int)(sizeof(coefficients) / sizeof *(coefficients)), x)

/* Returns r with x = k ln 2 + r, |r| <= 0.347. The first product and difference are exact. The remainder is
 * rounded once, 0.35 u. */
QUICK_INLINE quick_real quick_reduce(quick_real x, int64_t *k)
{
    const quick_real turns = quick_integer(x * QUICK_ONE_OVER_LN2, k);
    return QUICK_MULTIPLY_ADD(turns, -QUICK_LN2_LOW, QUICK_MULTIPLY_ADD(turns, -QUICK_LN2_HIGH, x));
}

/* Computes exp(r) - 1 for |r| <= 0.35 as r + r^2 (1/2 + r/6 + ...). The remainder of Taylor's series is below
 * u/8 of it. r^2 times the series is at most 0.07, with 4 u of roundings. The rounding of the sum is 0.42 u.
 * Together they are 0.7 u, or 2 u of the value. */
QUICK_INLINE quick_real quick_expm1_reduced(quick_real r)
{
    static const quick_real coefficients[] = {
#ifdef QUICK_LONG
        QUICK_ONE / 1307674368000, QUICK_ONE / 87178291200,
#endif
        QUICK_ONE / 6227020800,    QUICK_ONE / 479001600,   QUICK_ONE / 39916800, QUICK_ONE / 3628800,
        QUICK_ONE / 362880,        QUICK_ONE / 40320,       QUICK_ONE / 5040,     QUICK_ONE / 720,
        QUICK_ONE / 120,           QUICK_ONE / 24,          QUICK_ONE / 6,        QUICK_ONE / 2};
    return QUICK_MULTIPLY_ADD(r * r, QUICK_POLYNOMIAL(coefficients, r), r);
}

QUICK_INLINE quick_real quick_cut(quick_real x, quick_real low, quick_real high)
{
    const quick_real cut = x < low ? low : x;
    return cut > high ? high : cut;
}

/* Computes exp(x + low), |low| < 2^-14, within 4 u. r's two roundings and the series contribute 0.7 u each.
 * The sum is at least 0.7 and is rounded to u. A NaN stays NaN. */
QUICK_INLINE quick_real quick_exp_of_sum(quick_real x, quick_real low)
{
    int64_t k;
    const quick_real r = quick_reduce(quick_cut(x, QUICK_LEAST_EXPONENT, QUICK_MOST_EXPONENT), &k) + low;
    const quick_real scaled = (quick_expm1_reduced(r) + 1) * quick_scale(k);
    return x < QUICK_LEAST_EXPONENT ? 0 : x > QUICK_MOST_EXPONENT ? (quick_real)INFINITY : scaled;
}

QUICK_INLINE quick_real quick_exp_value(quick_real x) { return quick_exp_of_sum(x, 0); }

/* Computes expm1 within 8 u. For k = 0 the error is that of quick_expm1_reduced. For k = 1, twice the sum of
 * its 0.7 u and r's 0.25 u is 4.5 u of 0.42, the least value. The roundings of the product and the sum add
 * 2.4 u. For k = -1 the error is smaller. For other k the value is larger than these errors. */
QUICK_INLINE quick_real quick_expm1_value(quick_real x)
{
    int64_t k;
    const quick_real r = quick_reduce(quick_cut(x, -50, QUICK_MOST_EXPONENT), &k), scale = quick_scale(k);
    const quick_real sum = QUICK_MULTIPLY_ADD(scale, quick_expm1_reduced(r), scale - 1);
    return x > QUICK_MOST_EXPONENT ? (quick_real)INFINITY : sum;
}

/* Computes s = f / (2 + f) and returns log(1 + f) - 2 s = s^3 (2/3 + 2/5 s^2 + ...), |f| <= 0.4143. The
 * remainder of the series is below u/8 of log(1 + f). s is within 2 u. The result, at most 0.01 of 2 s, is
 * within 12 u. */
QUICK_INLINE quick_real quick_log_series(quick_real f, quick_real *s)
{
    static const quick_real coefficients[] = {
#ifdef QUICK_LONG
        QUICK_ONE / 27, QUICK_ONE / 25, QUICK_ONE / 23,
#endif
        QUICK_ONE / 21, QUICK_ONE / 19, QUICK_ONE / 17, QUICK_ONE / 15, QUICK_ONE / 13,
        QUICK_ONE / 11, QUICK_ONE / 9,  QUICK_ONE / 7,  QUICK_ONE / 5,  QUICK_ONE / 3};
    *s = f / (2 + f);
    const quick_real z = *s * *s;
    return 2 * *s * (z * QUICK_POLYNOMIAL(coefficients, z));
}

/* Computes log(u) + correction for a normal number u, within 5 u. If k is 0, 2 s contributes 2 u, the series
 * 0.2 u and the sum u. Otherwise the value is at least 0.346, and the product with k is exact. 2 s <= 0.347
 * contributes 0.7 u and its sum 0.4 u, together 3.2 u of the value. The last sum adds u. */
QUICK_INLINE quick_real quick_log_of(quick_real u, quick_real correction)
{
    const struct quick_split x = quick_split(u);
    quick_real s;
    const quick_real small = quick_log_series(x.f, &s);
    return QUICK_MULTIPLY_ADD(x.k, QUICK_LN2_HIGH,
                              2 * s + (small + QUICK_MULTIPLY_ADD(x.k, QUICK_LN2_LOW, correction)));
}

/* Computes log. Returns NaN unless 0 < x < infinity. */
QUICK_INLINE quick_real quick_log_value(quick_real x)
{
    const bool tiny = x < QUICK_LEAST_NORMAL;
    const quick_real y = quick_log_of(tiny ? x * 0x1p64 : x, 0) + (tiny ? -64 * QUICK_LN2 : 0);
    return x > 0 && x < INFINITY ? y : (quick_real)NAN;
}

/* Computes log1p within 6 u. Returns NaN unless -1 < x < infinity. Let u be the rounded 1 + x. Then log(1 +
 * x) is log(u) + (1 + x - u) / u, except for half the square of this quotient. This square term is below u/2
 * of the value, with u as in the file's first comment. */
QUICK_INLINE quick_real quick_log1p_value(quick_real x)
{
    const quick_real u = 1 + x, rest = x > 1 ? 1 - (u - x) : x - (u - 1);
    const quick_real y = quick_log_of(u, rest / u);
    return x > -1 && x < INFINITY ? y : (quick_real)NAN;
}

/* Computes log(1 + x) for 0 <= x <= 1. */
QUICK_INLINE quick_real quick_log1p_of_unit(quick_real x)
{
    const quick_real u = 1 + x;
    return quick_log_of(u, (x - (u - 1)) / u);
}

/* Computes t / (t + 2), t = expm1(2 |x|), within 10 u. At most t's 8 u reach the result, and the sum and the
 * quotient add 2 u. Beyond 25, 1 - tanh(25) < 2^-71. */
QUICK_INLINE quick_real quick_tanh_value(quick_real x)
{
    const quick_real t = quick_expm1_value(2 * (fabs(x) < 25 ? fabs(x) : 25));
    return copysign(t / (t + 2), x) + 0 * x;
}

/* Computes atan within 9 u from one quotient t with |t| <= tan(pi/8). t is x, or (x - 1) / (x + 1) with pi/4
 * added, or -1/x with pi/2 added. t has 3 u. The polynomial, whose terms fall from 1 and 0.06, has 2.5 u with
 * its coefficients. The product, the sum and the fraction of pi add u each. */
QUICK_INLINE quick_real quick_atan_value(quick_real x)
{
    static const quick_real coefficients[] = {ATAN_COEFFICIENTS};
    const quick_real size = fabs(x);
    const bool near = size<0x1.a8279ap-2, far = size> 0x1.3504f3p+1;
    const quick_real t = (near ? size : far ? -1 : size - 1) / (near ? 1 : far ? size : size + 1);
    const quick_real beside = near ? 0 : far ? QUICK_HALF_PI : QUICK_HALF_PI / 2;
    return copysign(beside + t * QUICK_POLYNOMIAL(coefficients, t * t), x) + 0 * x;
}

/* ---- sin and cos ---- */

/* An angle in units of 2^-128 of a turn. Whole turns overflow. */
__extension__ typedef unsigned __int128 quick_place;

/* Returns the angle of size * w quarter turns, 0 <= size < 2^1024. `words` holds the bits of w, `before` of
 * them before the binary point. size is 0 or at least 2^(65 - before), and at most 64 bits wide.
 *
 * This is the method of Payne and Hanek. Leading bits of w are left out, because their product with the
 * 64-bit number `m` is a multiple of 4. Everything after the next 192 bits is left out as well. The result is
 * below the true angle by less than 2 units. Cutting the product to 128 bits accounts for 1 unit. The rest of
 * w is below 2^-192 and m below 2^64, which accounts for the other. */
static inline quick_place quick_place_of(quick_real size, const uint64_t *words, unsigned before)
{
    int exponent;
    const uint64_t m = (uint64_t)(frexp(size, &exponent) * (quick_real)0x1p64);
    const unsigned first = (unsigned)(exponent + (int)before - 66), shift = first % 64;
    uint64_t bits[3];
    for (unsigned k = 0; k < 3; k++) {
        const uint64_t *word = &words[first / 64 + k];
        bits[k] = shift ? word[0] << shift | word[1] >> (64 - shift) : word[0];
    }
    const quick_place last = (quick_place)m * bits[2],
                      middle = (quick_place)m * bits[1] + (uint64_t)(last >> 64);
    return ((quick_place)(m * bits[0]) << 64) + middle;
}

/* Returns r within 4 u, where place = turns * pi/2 + r, |r| <= pi/4. */
static inline quick_real quick_turn_to(quick_place place, unsigned *turns)
{
    quick_place fraction = place << 2; /* 2^128 times the fraction of a quarter turn */
    const bool up = fraction >> 127;
    if (up) fraction = -fraction;
    *turns = (unsigned)(place >> 126) + up;
    const quick_real high = (quick_real)(uint64_t)(fraction >> 64), low = (quick_real)(uint64_t)fraction;
    const quick_real r = (high * (quick_real)0x1p-64 + low * (quick_real)0x1p-128) * QUICK_HALF_PI;
    return up ? -r : r;
}

/* Returns r, where size = turns * pi/2 + r, |r| <= pi/4, for sizes beyond pi/4. r is within 4 u and 2^-124,
 * which is 2 pi times 2^-127. Returns NaN from 2^1024 on. */
static inline quick_real quick_turn_far(quick_real size, unsigned *turns)
{
    static const uint64_t words[] = {TWO_OVER_PI_WORDS};
    *turns = 0;
    if (!(size < 2 * (quick_real)0x1p1023)) return (quick_real)NAN;
    return quick_turn_to(quick_place_of(size, words, 128), turns);
}

/* Reduces any size >= 0. Up to pi/4, r is the size itself. Up to 2^20, doubles are reduced by pi/2 in three
 * parts. The products with the first two parts, of 33 bits, are exact. The error of the third is below
 * 2^-100. The last two differences are rounded, which gives 2 u. */
QUICK_INLINE quick_real quick_turn(quick_real size, unsigned *turns)
{
    *turns = 0;
    if (size <= QUICK_HALF_PI / 2) return size;
#ifndef QUICK_LONG
    if (size <= 0x1p20) {
        int64_t count;
        const double k = quick_integer(size * 0x1.45f306dc9c883p-1, &count);
        *turns = (unsigned)count;
        return ((size - k * 0x1.921fb544p0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
    }
#endif
    return quick_turn_far(size, turns);
}
#ifdef QUICK_LONG
#define QUICK_TURN_ERROR 0x1p-123L /* absolute error of a reduced argument */
#else
#define QUICK_TURN_ERROR 0x1p-99
#endif

/* Computes sin(r + turns * pi/2), |r| <= pi/4, within 7 u if r is within 4 u. Taylor's series has a remainder
 * below u/16. In sin(r), all 4 u of r reach the result. The series' share of 0.1 adds 0.6 u, and the sum u.
 * In cos(r) >= 0.7, r's 4 u become 2.2 u. r^2/2 <= 0.31 contributes 1.5 u, and the sum 0.5 u. */
QUICK_INLINE quick_real quick_sine_reduced(quick_real r, unsigned turns)
{
    static const quick_real odd[] = {-QUICK_ONE / 121645100408832000,
                                     QUICK_ONE / 355687428096000,
                                     -QUICK_ONE / 1307674368000,
                                     QUICK_ONE / 6227020800,
                                     -QUICK_ONE / 39916800,
                                     QUICK_ONE / 362880,
                                     -QUICK_ONE / 5040,
                                     QUICK_ONE / 120,
                                     -QUICK_ONE / 6};
    static const quick_real even[] = {QUICK_ONE / 2432902008176640000,
                                      -QUICK_ONE / 6402373705728000,
                                      QUICK_ONE / 20922789888000,
                                      -QUICK_ONE / 87178291200,
                                      QUICK_ONE / 479001600,
                                      -QUICK_ONE / 3628800,
                                      QUICK_ONE / 40320,
                                      -QUICK_ONE / 720,
                                      QUICK_ONE / 24,
                                      -QUICK_ONE / 2};
    const quick_real z = r * r;
    const quick_real value =
        turns % 2 ? 1 + z * QUICK_POLYNOMIAL(even, z) : r + r * (z * QUICK_POLYNOMIAL(odd, z));
    return turns / 2 % 2 ? -value : value;
}

/* Computes sin(size + quarters * pi/2), size >= 0, within 7 u and QUICK_TURN_ERROR. */
QUICK_INLINE quick_real quick_sine(quick_real size, unsigned quarters)
{
    unsigned turns;
    const quick_real r = quick_turn(size, &turns);
    return quick_sine_reduced(r, turns + quarters);
}

QUICK_INLINE quick_real quick_sin_value(quick_real x)
{
    const quick_real value = quick_sine(fabs(x), 0);
    return x < 0 ? -value : value;
}

QUICK_INLINE quick_real quick_cos_value(quick_real x) { return quick_sine(fabs(x), 1); }

/* ---- powers ---- */

struct quick_raised {
    quick_real value;    /* exp(exponent), within 4 u */
    quick_real exponent; /* q log x, within 16 u of `terms` */
    quick_real terms;
};

/* Computes x^q for 0 < x < infinity. log x has two parts, k ln 2 + f and -f^2/2 + .... The first part is
 * exact as a sum of two numbers. The second part is within 6 u, except for k's part. q times the first part
 * is exact as a sum of two numbers as well (Dekker). */
QUICK_INLINE struct quick_raised quick_power_of(quick_real x, quick_real q)
{
    const bool tiny = x < QUICK_LEAST_NORMAL;
    struct quick_split n = quick_split(tiny ? x * 0x1p64 : x);
    n.k -= tiny ? 64 : 0;
    quick_real s;
    const quick_real small = quick_log_series(n.f, &s), half = n.f * n.f / 2,
                     rest = small - (half - s * half);
    const quick_real whole = n.k * QUICK_LN2_HIGH, high = whole + n.f, lost = (whole - high) + n.f;
    const quick_real part = n.k * QUICK_LN2_LOW, low = lost + (part + rest);
    const quick_real a = quick_leading(q), b = q - a, c = quick_leading(high), d = high - c,
                     product = q * high;
    const quick_real below = ((a * c - product) + a * d + b * c) + b * d + q * low;
    const quick_real exponent = product + below, carry = below - (exponent - product);
    return (struct quick_raised){quick_exp_of_sum(exponent, carry), exponent,
                                 fabs(q) * (fabs(rest) + fabs(part) + fabs(lost))};
}

#endif
