/* Finds errors of results in the unit of the bound, from Taylor models.
 *
 * The last rounding of a block's results, to p = 53 bits, adds at most half a unit. Let v be the value before
 * the rounding, f the formula's value, and |v - f| <= D <= ulp(f). Then the rounded value is within D +
 * ulp(f) / 2 of f. There are three cases:
 *
 *     - v and f are in one binade. The statement is then plain.
 *     - |v| >= 2^k > |f|. v is beyond 2^k by at most D, which is at most half a unit of v. v is then
 *       rounded to 2^k, which is nearer to f than v is.
 *     - |v| < 2^k <= |f|. The rounding error is then half of a smaller unit.
 *
 * Blocks therefore need not end where results cross powers of two. */
#include "model_error.h"

#include <float.h>
#include <math.h>

static int exponent_of_double(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent - 1;
}

/* Returns the exponent of f64's unit at |value| >= least, as docs/language.md defines it. */
static int unit_of(double least)
{
    const int unit = least > 0 ? exponent_of_double(least < DBL_MAX ? least : DBL_MAX) - 52 : -1074;
    return unit > -1074 ? unit : -1074;
}

/* Checks the sign of results that may be 0 where the formula is not 0. They must have the formula's sign. */
static bool has_right_zeros(const struct program_result *r, int sign)
{
    if (r->is_constant) return r->low != 0 || (sign && (sign < 0) == (signbit(r->low) != 0));
    if (sign > 0) return r->low > 0 || (r->last_keeps_sign && r->low >= 0);
    if (sign < 0) return r->high < 0 || (r->last_keeps_sign && r->high <= 0);
    return r->low > 0 || r->high < 0;
}

/* Returns a bound times 2^shift, rounded up. */
static double in_units(double bound, long shift)
{
    return bound > 0 ? ldexp(bound, shift < -900 ? -900 : shift > 2000 ? 2000 : (int)shift) : 0;
}

static int sign_of_model(const struct model *formula)
{
    double low, high;
    if (!formula->known) return formula->sign;
    model_range(formula, &low, &high);
    return low > 0 ? 1 : high < 0 ? -1 : formula->sign;
}

/* Returns whether all values of the formula are beyond the numbers of f64. */
static bool overflows(const struct model *formula)
{
    double low, high;
    int exponent;
    if (formula->least > 1024) return true;
    if (!formula->known) return false;
    model_range(formula, &low, &high);
    frexp(low > 0 ? low : high < 0 ? high : 0, &exponent);
    return (low > 0 || high < 0) && formula->exponent + exponent > 1024;
}

static double in_absolute_units(const struct program_result *r, const struct model *off, double least)
{
    if (!(r->low >= -DBL_MAX && r->high <= DBL_MAX))
        /* The error of an infinite result is infinite in any unit. */
        return INFINITY;
    const double error = in_units(model_size(off), off->exponent) + in_units(r->moved, r->real.exponent) +
                         in_units(r->last, r->real.exponent);
    return error * MODEL_GROW / (least > 1 ? least : 1) * MODEL_GROW;
}

double model_error(const struct program_result *r, const struct model *formula, bool is_absolute)
{
    double low, high;
    if (!r->known || (r->is_some_zero && !is_absolute)) return INFINITY;
    if (r->is_constant && isinf(r->low)) /* right where the formula overflows, however far */
        return overflows(formula) && (sign_of_model(formula) < 0) == (r->low < 0) ? 0 : (double)INFINITY;
    if (!formula->known) return INFINITY;
    model_bounds(formula, &low, &high);
    if (!is_absolute && !has_right_zeros(r, sign_of_model(formula))) return INFINITY;
    const struct model off = model_sub(&r->real, formula);
    if (!off.known) return INFINITY;
    const double least = low > 0 ? low : high < 0 ? -high : 0;
    if (is_absolute) return in_absolute_units(r, &off, least);
    const int unit = unit_of(least);
    const double before =
        (in_units(model_size(&off), off.exponent - unit) + in_units(r->moved, r->real.exponent - unit)) *
        MODEL_GROW;
    if (!(r->last > 0)) return before;
    return before + (before <= 1 ? 0.5 : in_units(r->last, r->real.exponent - unit));
}

bool model_agrees(const struct model *formula, const struct exact_value *exact)
{
    if (exact->undecided || isnan(exact->high)) return false;
    struct model value = {.known = true, .exponent = formula->exponent, .rest = formula->rest};
    value.c[0] = formula->c[0];
    for (unsigned k = 1; k <= formula->degree; k++)
        value.c[0] = pair_add(value.c[0], k & 1 ? pair_neg(formula->c[k]) : formula->c[k]);
    value.rest += 16 * PAIR_ERROR * model_size(formula);
    if (exact->high == 0 || isinf(exact->high)) {
        double low, high;
        model_bounds(&value, &low, &high);
        return exact->high == 0 ? low <= 0x1p-1074 && high >= -0x1p-1074
                                : (exact->high > 0 ? high == (double)INFINITY : low == -(double)INFINITY);
    }
    struct model written = {.known = true, .exponent = exact->exponent};
    written.c[0] = pair_sum(exact->high, exact->low);
    written.rest = 0x1p-90;
    const struct model off = model_sub(&value, &written);
    return off.known && fabs(off.c[0].high) <= off.rest * MODEL_GROW;
}
