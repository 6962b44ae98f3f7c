/* Computes shares of bounds, and bounds from shares. */
#include "bounds.h"
#include "budget.h"

#include <math.h>

/* Returns the error of rounding to the result's type, in the unit of the bound. */
static double rounding_error(const struct spec_bound *bound, enum element_type result)
{
    const double unit = ldexp(1, -element_types[result].format.precision);
    return bound->kind == BOUND_ABS ? unit / (1 + unit) : 0.5;
}

double bound_error(const struct spec_bound *bound, const struct tally *t)
{
    return bound->kind == BOUND_ABS ? t->max_abs : t->max_ulp;
}

double bound_share(const struct spec_bound *bound, enum element_type result, double error)
{
    const double allowed = judge_allowed(bound), rounding = rounding_error(bound, result);
    const double known = element_is_half(result) ? rounding
                         : result == ELEMENT_F64 || allowed < 2 * rounding * BUDGET_SAMPLED
                             ? 0
                             : fmin(rounding, fmax(0, 2 * rounding - allowed));
    return allowed > known ? (error - known) / (allowed - known) : error / allowed;
}

/* Solves bound_share for the bound. */
static double least_allowed(const struct spec_bound *like, enum element_type result, double error,
                            double share)
{
    const double rounding = rounding_error(like, result);
    if (result == ELEMENT_F64 || error >= 2 * rounding * share) return fmax(error, rounding) / share;
    if (error <= rounding) return rounding;
    if (element_is_half(result)) return rounding + (error - rounding) / share;
    return (error - 2 * rounding * (1 - share)) / (2 * share - 1);
}

/* Returns the next number above `value` that is a multiple of a power of ten and at most `most` times that
 * power. */
static double rounded_up(double value, double most)
{
    double unit = 1e-6;
    while (value > most * unit) unit *= 10;
    return ceil(value / unit * (1 - 0x1p-40)) * unit;
}

static double power_of_two_above(double value)
{
    int exponent;
    return ldexp(1, frexp(value, &exponent) == 0.5 ? exponent - 1 : exponent);
}

struct spec_bound bound_kept(const struct spec_bound *like, enum element_type result, double error,
                             double share)
{
    const double least_beyond = BUDGET_SAMPLED - 0.5;
    const double allowed =
        fmax(least_allowed(like, result, error, share), 2 * BUDGET_SAMPLED * rounding_error(like, result));
    struct spec_bound kept = *like;
    if (like->kind == BOUND_ABS) {
        kept.value = power_of_two_above(allowed);
        return kept;
    }
    kept.kind = BOUND_ULP;
    kept.value =
        allowed < 1 ? 0.5 + rounded_up(fmax(allowed - 0.5, least_beyond), 10) : rounded_up(allowed, 100);
    return kept;
}

bool bound_tighten(struct spec_bound *bound, enum element_type result)
{
    const double ulp = 2 * rounding_error(bound, result), allowed = judge_allowed(bound);
    if (allowed <= ulp) return false;
    if (bound->kind == BOUND_DEFAULT) bound->kind = BOUND_ULP;
    bound->value = fmax(ulp, allowed / 4);
    return true;
}

bool bound_is_near_rounding(const struct spec_bound *bound, enum element_type result)
{
    const double allowed = judge_allowed(bound), rounding = rounding_error(bound, result);
    return allowed >= rounding && allowed < 2 * rounding;
}
