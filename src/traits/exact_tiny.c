/* Finds how a function begins at 0: its slope there, if it is a fraction of few bits, and the side of the
 * other terms. */
#include "exact_tiny.h"
#include "wider.h"

#include <math.h>
#include <string.h>

enum { NEAREST = -149, FARTHEST = -12, PRECISION = 2048, MOST_POWER = 2 };

/* The largest numerator by power, scaled so that c is between 1 and 2. Its product with x^power then has 53
 * bits. */
static const double most_top[MOST_POWER + 1] = {0, 0x1p21, 0x1p5};

bool exact_slope(mpfr_t out, reference *truth, unsigned power, double sign, int exponent)
{
    const double x = ldexp(sign, exponent);
    mpfr_set_prec(out, PRECISION);
    if (reference_precise(truth, &x, PRECISION - 8, out) != REFERENCE_DECIDED || !mpfr_regular_p(out))
        return false;
    for (unsigned i = 0; i < power; i++) mpfr_div_d(out, out, x, MPFR_RNDN);
    return true;
}

/* Finds the first convergent of `value` that is within 2^-100 of it. `value` is between 1 and 2. */
static bool find_fraction(double *top, double *bottom, mpfr_t value, double most)
{
    double before[2] = {0, 1}, last[2] = {1, 0}; /* numerator, denominator */
    bool found = false;
    mpfr_t rest, error;
    mpfr_inits2(PRECISION, rest, error, (mpfr_ptr)0);
    mpfr_set(rest, value, MPFR_RNDN);
    while (!found && !mpfr_zero_p(rest) && mpfr_cmp_d(rest, most) < 0) {
        const double whole = floor(mpfr_get_d(rest, MPFR_RNDZ));
        for (int i = 0; i < 2; i++) {
            const double next = whole * last[i] + before[i];
            before[i] = last[i];
            last[i] = next;
        }
        if (last[0] > most) break;
        mpfr_mul_d(error, value, last[1], MPFR_RNDN);
        mpfr_sub_d(error, error, last[0], MPFR_RNDN);
        found = mpfr_zero_p(error) || mpfr_get_exp(error) < -100;
        mpfr_sub_d(rest, rest, whole, MPFR_RNDN);
        if (!mpfr_zero_p(rest)) mpfr_ui_div(rest, 1, rest, MPFR_RNDN);
    }
    mpfr_clears(rest, error, (mpfr_ptr)0);
    *top = last[0];
    *bottom = last[1];
    return found;
}

/* Finds the slope at the smallest number, if it is within 2^-100 of a fraction. */
static bool leading_slope(struct exact_side *out, reference *truth, double sign, mpfr_t slope)
{
    enum { LARGEST = 60 };
    if (!exact_slope(slope, truth, out->power, sign, NEAREST)) return false;
    const int exponent = (int)mpfr_get_exp(slope) - 1, minus = mpfr_sgn(slope);
    if (exponent < -LARGEST || exponent > LARGEST) return false;
    mpfr_mul_2si(slope, slope, -exponent, MPFR_RNDN);
    mpfr_abs(slope, slope, MPFR_RNDN);
    const bool found = find_fraction(&out->top, &out->bottom, slope, most_top[out->power]);
    out->top = ldexp(minus * out->top, exponent);
    return found;
}

static int integer_bits(double integer)
{
    int exponent;
    frexp(integer, &exponent);
    return exponent;
}

/* Returns the exponent that the other terms must be below. c x^power and a tie are integers divided by
 * `bottom`, times a power of two. So is their distance. */
static int least_distance(const struct exact_side *side)
{
    enum { BITS = 24, TIE_BITS = 25, TOP = 1 /* bits that top may have more than bottom */ };
    const int product = BITS * (int)side->power + integer_bits(side->bottom) + TOP;
    const int multiple = TIE_BITS + integer_bits(side->bottom);
    return -2 - (product > multiple ? product : multiple);
}

/* Returns the sign of f(x)/(c x^power) - 1. Sets *small if this difference is small enough. */
static int side_of_slope(mpfr_t slope, const struct exact_side *side, bool *small)
{
    enum { NO_TERM = -1900 };
    mpfr_mul_d(slope, slope, side->bottom, MPFR_RNDN);
    mpfr_div_d(slope, slope, side->top, MPFR_RNDN);
    mpfr_sub_ui(slope, slope, 1, MPFR_RNDN);
    *small = mpfr_zero_p(slope) || mpfr_get_exp(slope) < least_distance(side);
    return mpfr_zero_p(slope) || mpfr_get_exp(slope) < NO_TERM ? 0 : mpfr_sgn(slope);
}

/* Finds the largest power of two up to which the next term is small and keeps its sign. */
static void find_side(struct exact_side *out, reference *truth, double sign, mpfr_t slope)
{
    bool small, found = false;
    *out = (struct exact_side){0};
    while (!found && out->power < MOST_POWER) {
        out->power++;
        found = leading_slope(out, truth, sign, slope);
    }
    for (int exponent = NEAREST; found && exponent <= FARTHEST; exponent++) {
        if (!exact_slope(slope, truth, out->power, sign, exponent)) return;
        const int next = side_of_slope(slope, out, &small);
        if (exponent == NEAREST) out->next = next;
        if (!small || next != out->next) return;
        out->limit = ldexpf(1, exponent);
    }
}

void exact_tiny_find(struct exact_tiny *out, reference *truth)
{
    mpfr_t slope;
    mpfr_init2(slope, PRECISION);
    find_side(&out->side[0], truth, 1, slope);
    find_side(&out->side[1], truth, -1, slope);
    mpfr_clear(slope);
}

double exact_tiny_lead(const struct exact_side *side, float x)
{
    return side->top * (double)x * (side->power == 2 ? (double)x : 1) / side->bottom;
}

/* Rounds to odd, then to f32. The remainder of the quotient, or else the next term, tells on which side of
 * the quotient the value lies. */
static inline __attribute__((always_inline)) float rounded(const struct exact_side *side, double x,
                                                           double square)
{
    const double product = side->top * (side->power == 2 ? square : x), quotient = product / side->bottom;
    const double remainder = fma(-quotient, side->bottom, product);
    const double beyond = remainder != 0 ? remainder : side->next * quotient;
    uint64_t bits, sign;
    memcpy(&bits, &quotient, sizeof bits);
    memcpy(&sign, &beyond, sizeof sign);
    const uint64_t odd = (bits - ((bits ^ sign) >> 63)) | 1;
    const uint64_t chosen = beyond != 0 ? odd : bits;
    double y;
    memcpy(&y, &chosen, sizeof y);
    return (float)y;
}

static inline __attribute__((always_inline)) void round_all(const struct exact_side *side, size_t count,
                                                            const float *restrict x, float *restrict out)
{
    const struct exact_side s = *side;
    for (size_t k = 0; k < count; k++) out[k] = rounded(&s, (double)x[k], (double)x[k] * (double)x[k]);
}

static void round_plain(const struct exact_side *side, size_t count, const float *x, float *out)
{
    round_all(side, count, x, out);
}

WIDER_AVX2_FMA static void round_avx2(const struct exact_side *side, size_t count, const float *x, float *out)
{
    round_all(side, count, x, out);
}

void exact_tiny_values(const struct exact_side *side, size_t count, const float *restrict x,
                       float *restrict out)
{
    if (runs_avx2_fma())
        round_avx2(side, count, x, out);
    else
        round_plain(side, count, x, out);
}

float exact_tiny_value(const struct exact_side *side, float x)
{
    float y = 0;
    exact_tiny_values(side, 1, &x, &y);
    return y;
}
