/* How a function begins at 0: the slope there, if it has few bits, and the side on which the rest lies. */
#include "exact_tiny.h"

#include <math.h>

enum { SLOPE_BITS = 8, NEAREST = -149, FARTHEST = -12, PRECISION = 2048 };

/* f(x)/x at x = sign * 2^exponent, to PRECISION bits. */
static bool slope_at(mpfr_t out, reference *truth, double sign, int exponent)
{
    const double x = ldexp(sign, exponent);
    if (reference_precise(truth, &x, PRECISION - 8, out) != REFERENCE_DECIDED || !mpfr_regular_p(out))
        return false;
    mpfr_div_d(out, out, x, MPFR_RNDN);
    return true;
}

/* The slope at the smallest number rounded to SLOPE_BITS, if it is within 2^-100 of that. */
static bool leading_slope(double *c, reference *truth, double sign, mpfr_t slope)
{
    mpfr_t rest;
    if (!slope_at(slope, truth, sign, NEAREST)) return false;
    mpfr_init2(rest, SLOPE_BITS);
    mpfr_set(rest, slope, MPFR_RNDN);
    *c = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_set_prec(rest, PRECISION);
    mpfr_div_d(rest, slope, *c, MPFR_RNDN);
    mpfr_sub_ui(rest, rest, 1, MPFR_RNDN);
    const bool near = mpfr_zero_p(rest) || mpfr_get_exp(rest) < -100;
    mpfr_clear(rest);
    return near && fabs(*c) > 0x1p-60 && fabs(*c) < 0x1p60;
}

/* The sign of f(x)/(c x) - 1; *small tells whether that is below 2^-32. */
static int side_of_slope(mpfr_t slope, double c, bool *small)
{
    mpfr_div_d(slope, slope, c, MPFR_RNDN);
    mpfr_sub_ui(slope, slope, 1, MPFR_RNDN);
    *small = mpfr_zero_p(slope) || mpfr_get_exp(slope) < -32;
    return mpfr_sgn(slope);
}

/* The largest power of two up to which the next term is small and of one sign. */
static void find_side(struct exact_side *out, reference *truth, double sign, mpfr_t slope)
{
    bool small;
    *out = (struct exact_side){0};
    if (!leading_slope(&out->c, truth, sign, slope)) return;
    for (int exponent = NEAREST; exponent <= FARTHEST; exponent++) {
        if (!slope_at(slope, truth, sign, exponent)) return;
        const int next = side_of_slope(slope, out->c, &small);
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

void exact_tiny_values(const struct exact_side *side, size_t count, const float *restrict x,
                       float *restrict out)
{
    const double c = side->c, moved = side->next > 0 ? 1 + 0x1p-52 : side->next < 0 ? 1 - 0x1p-53 : 1;
    for (size_t k = 0; k < count; k++) out[k] = (float)((double)x[k] * c * moved);
}

float exact_tiny_value(const struct exact_side *side, float x)
{
    float y;
    exact_tiny_values(side, 1, &x, &y);
    return y;
}
