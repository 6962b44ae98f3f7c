/* Elementary functions of a number with an error bound: quick_<name>, one for each row of functions.def.
 *
 * Let x be the value, d the error of the argument, and f the computed function. Then |f(x +- d) - f| <=
 * (propagated d) + QUICK_FUNCTION |f| + QUICK_TINY. If |f'/f| is at most k around x, the propagated error is
 * at most f (e^(k d) - 1) <= f (k d + (k d)^2) for k d <= 1. */
#ifndef ACTGEN_QUICK_FUNCTIONS_H
#define ACTGEN_QUICK_FUNCTIONS_H

#include "quick_erf.h"
#include "quick_gamma.h"
#include "quick_line.h"
#include "quick_number.h"

QUICK_INLINE struct quick_number quick_finish(quick_real value, quick_real propagated)
{
    return (struct quick_number){value, quick_bound(propagated + QUICK_FUNCTION * fabs(value) + QUICK_TINY)};
}

/* Bounds e^t - 1 for a relative perturbation t >= 0. Returns infinity where the bound would be useless. */
QUICK_INLINE quick_real quick_growth(quick_real t) { return t <= 1 ? t + t * t : INFINITY; }

/* Bounds the growth of a value that may have been flushed to 0. */
QUICK_INLINE quick_real quick_grown(quick_real value, quick_real t)
{
    return (value + UNDERFLOWN) * quick_growth(t);
}

QUICK_INLINE quick_real quick_smaller(quick_real a, quick_real b) { return a < b ? a : b; }

/* Bounds results that vanish at -infinity at least as fast as exp. */
QUICK_INLINE struct quick_number quick_like_exp(struct quick_number a, quick_real value)
{
    const quick_real grown = quick_grown(value, a.error);
    return quick_finish(value, a.value + a.error < EXP_UNDERFLOW ? 0 : grown);
}

QUICK_INLINE struct quick_number quick_exp(struct quick_number a)
{
    return quick_like_exp(a, quick_exp_value(a.value));
}

/* Uses expm1' = exp = expm1 + 1. */
QUICK_INLINE struct quick_number quick_expm1(struct quick_number a)
{
    const quick_real value = quick_expm1_value(a.value);
    const quick_real grown = (value + 1 + 2 * QUICK_FUNCTION) * quick_growth(a.error);
    return quick_finish(value, a.value + a.error < -40 ? quick_smaller(0x1p-57, grown) : grown);
}

QUICK_INLINE struct quick_number quick_log(struct quick_number a)
{
    const quick_real least = a.value - a.error, shared = a.error / least;
    return quick_finish(quick_log_value(a.value), least > 0 ? shared : a.error > 0 ? INFINITY : 0);
}

QUICK_INLINE struct quick_number quick_log1p(struct quick_number a)
{
    const quick_real least = 1 + a.value - a.error - QUICK_ROUNDING * (2 + fabs(a.value)),
                     shared = a.error / least;
    return quick_finish(quick_log1p_value(a.value), a.error == 0 ? 0 : least > 0 ? shared : INFINITY);
}

/* Uses tanh' <= 1 and 1 - tanh(20) < 2^-56. */
QUICK_INLINE struct quick_number quick_tanh(struct quick_number a)
{
    return quick_finish(quick_tanh_value(a.value),
                        fabs(a.value) - a.error > 20 ? quick_smaller(0x1p-56, a.error) : a.error);
}

/* Uses |sigmoid'| <= sigmoid(-|x|) <= exp(-|x|). */
QUICK_INLINE struct quick_number quick_sigmoid(struct quick_number a)
{
    const quick_real z = quick_exp_value(-fabs(a.value)), value = (a.value < 0 ? z : 1) / (1 + z);
    const quick_real grown = quick_grown(z, a.error);
    const quick_real propagated = fabs(a.value) - a.error > -EXP_UNDERFLOW ? 0 : grown;
    /* The added term covers exp, one addition and one division. */
    return quick_finish(value, propagated + QUICK_FUNCTION * value);
}

/* Uses erf' <= 2/sqrt(pi) < 1.1284 and 1 - erf(6) < 2^-55. */
QUICK_INLINE struct quick_number quick_erf(struct quick_number a)
{
    const quick_real absolute = 1.1284 * a.error;
    return quick_finish(quick_erf_value(a.value),
                        fabs(a.value) - a.error > 6 ? quick_smaller(0x1p-55, absolute) : absolute);
}

/* Uses -erfc'/erfc < x + sqrt(x^2 + 2) <= 2 x + 1.4143 for x > 0 (Abramowitz and Stegun 7.1.13). */
QUICK_INLINE struct quick_number quick_erfc(struct quick_number a)
{
    const quick_real value = quick_erfc_value(a.value), absolute = 1.1284 * a.error;
    const quick_real slope = 2 * (fabs(a.value) + a.error) + 1.4143;
    const quick_real near = quick_smaller(quick_grown(value, slope * a.error), absolute);
    const quick_real left = a.value + a.error < -6 ? quick_smaller(0x1p-55, near) : near;
    return quick_finish(value, a.value - a.error > ERFC_UNDERFLOW ? 0 : left);
}

/* Uses |erfcx'|/erfcx < 2 |x| + 1.4143 for x < 0 and, by the same bounds as erfc, < 1.4143 for x > 0. */
QUICK_INLINE struct quick_number quick_erfcx(struct quick_number a)
{
    const quick_real value = quick_erfcx_value(a.value), left = a.error - a.value;
    const quick_real slope = (left > 0 ? 2 * left : 0) + 1.4143;
    return quick_finish(value, a.error == 0 ? 0 : quick_grown(value, slope * a.error));
}

/* Uses erfinv' = sqrt(pi)/2 exp(erfinv^2) and exp(-y^2) >= erfc(y): the slope at x is at most 0.8863/(1 -
 * |x|). */
QUICK_INLINE struct quick_number quick_erfinv(struct quick_number a)
{
    const quick_real least = 1 - fabs(a.value) - a.error - 2 * QUICK_ROUNDING;
    const quick_real propagated = least > 0 ? (quick_real)0.8863 * a.error / least : INFINITY;
    return quick_finish(quick_erfinv_value(a.value), a.error == 0 ? 0 : propagated);
}

QUICK_INLINE struct quick_number quick_normcdf(struct quick_number a)
{
    const quick_real z = a.value * (quick_real)-0xb.504f333f9de6484p-4L; /* -1/sqrt(2), rounded */
    const quick_real error = quick_bound(0.70711 * a.error + 2 * QUICK_ROUNDING * fabs(z) + QUICK_TINY);
    const struct quick_number twice = quick_erfc((struct quick_number){z, error});
    return (struct quick_number){0.5 * twice.value, quick_bound(0.5 * twice.error + QUICK_TINY)};
}

/* Uses softplus' = sigmoid <= 1 and sigmoid/softplus <= 1. */
QUICK_INLINE struct quick_number quick_softplus(struct quick_number a)
{
    const quick_real z = quick_log1p_of_unit(quick_exp_value(-fabs(a.value)));
    const quick_real value = (a.value > 0 ? a.value : 0) + z;
    const struct quick_number relative = quick_like_exp(a, value), absolute = quick_finish(value, a.error);
    return (struct quick_number){
        value, quick_bound(quick_smaller(relative.error, absolute.error) + QUICK_FUNCTION * value)};
}

/* Bounds sin and cos. Beyond a quarter of pi the argument is reduced, with an error of at most
 * QUICK_TURN_ERROR. */
QUICK_INLINE struct quick_number quick_oscillating(struct quick_number a, quick_real value)
{
    return quick_finish(value, a.error + (fabs(a.value) > 0.78 ? QUICK_TURN_ERROR : 0));
}

QUICK_INLINE struct quick_number quick_sin(struct quick_number a)
{
    return quick_oscillating(a, quick_sin_value(a.value));
}

QUICK_INLINE struct quick_number quick_cos(struct quick_number a)
{
    return quick_oscillating(a, quick_cos_value(a.value));
}

/* Computes sin(a x + b + quarters pi/2) for an exact finite x.
 *
 * The place is within 4 units of 2^-128 turns. The product is within 2 units. The error of the slope is 2
 * units of 2^-1152 quarter turns. Times x it is within 1/2 unit. The offset is within 1.1 units, from its cut
 * and its error. 2 pi times 4 units is below 2^-123, and thus below QUICK_TURN_ERROR. This bound is absolute.
 * Next to a multiple of pi/2, a x + b has no relative error bound. */
QUICK_INLINE struct quick_number quick_sine_of_line(const struct quick_line *line, quick_real x,
                                                    unsigned quarters)
{
    const quick_real size = fabs(x) < ldexp(QUICK_ONE, QUICK_LINE_LEAST) ? 0 : fabs(x);
    const quick_place product = quick_place_of(size, line->slope, QUICK_LINE_BEFORE),
                      offset = (quick_place)line->offset[0] << 64 | line->offset[1];
    unsigned turns;
    const quick_real r = quick_turn_to(offset + ((x < 0) != line->falls ? -product : product), &turns);
    return quick_finish(quick_sine_reduced(r, turns + quarters), QUICK_TURN_ERROR);
}

/* Uses atan' <= 1. */
QUICK_INLINE struct quick_number quick_atan(struct quick_number a)
{
    return quick_finish(quick_atan_value(a.value), a.error);
}

/* Computes a^q = exp(q log a) for a > 0, and 0 for the exact 0 and q > 0. The bound includes the relative
 * error of a. It includes the error of q, which is up to two roundings, unless q is exact. */
QUICK_INLINE struct quick_number quick_power(struct quick_number a, quick_real q, bool exact)
{
    const quick_real least = a.value - a.error;
    const bool known = least > 0, is_zero = a.value == 0 && a.error == 0 && q > 0;
    const struct quick_raised p = quick_power_of(known ? a.value : 1, q);
    const quick_real own = 16 * p.terms + (exact ? 0 : 2 * fabs(p.exponent));
    const quick_real t = fabs(q) * (a.error / least) + QUICK_ROUNDING * own;
    const struct quick_number power = quick_finish(p.value, quick_grown(p.value, t));
    const quick_real unknown = is_zero ? 0 : (quick_real)INFINITY;
    return (struct quick_number){known ? power.value : 0, known ? power.error : unknown};
}

/* Bounds a step function. The value is exact unless a jump is within the argument's error. */
QUICK_INLINE struct quick_number quick_jumping(quick_real value, quick_real low, quick_real high)
{
    return (struct quick_number){value, quick_bound(high - low)}; /* for infinities high - low is a NaN */
}

QUICK_INLINE struct quick_number quick_floor(struct quick_number a)
{
    return quick_jumping(floor(a.value), floor(a.value - a.error * QUICK_GROW),
                         floor(a.value + a.error * QUICK_GROW));
}

QUICK_INLINE struct quick_number quick_round(struct quick_number a)
{
    return quick_jumping(rint(a.value), rint(a.value - a.error * QUICK_GROW),
                         rint(a.value + a.error * QUICK_GROW));
}

/* Returns the exponent of |a|. Fractions of halves are in [1/2, 1), so frexp counts one more. */
QUICK_INLINE quick_real quick_exponent_value(quick_real a)
{
    int exponent;
    (void)frexp(a, &exponent);
    return a == 0 ? -(quick_real)INFINITY : isfinite(a) ? exponent - 1 : fabs(a);
}

QUICK_INLINE struct quick_number quick_exponent(struct quick_number a)
{
    const quick_real size = fabs(a.value), reach = a.error * QUICK_GROW;
    return quick_jumping(quick_exponent_value(size), quick_exponent_value(size > reach ? size - reach : 0),
                         quick_exponent_value(size + reach));
}

/* Uses |sqrt(x +- d) - sqrt(x)| <= d / sqrt(x) for d <= x. */
QUICK_INLINE struct quick_number quick_sqrt(struct quick_number a)
{
    const quick_real value = sqrt(a.value), shared = a.error / value;
    return quick_finish(value, a.error == 0 ? 0 : a.error <= a.value ? shared : INFINITY);
}

QUICK_INLINE struct quick_number quick_abs(struct quick_number a)
{
    return (struct quick_number){fabs(a.value), a.error};
}

QUICK_INLINE struct quick_number quick_sign(struct quick_number a)
{
    const quick_real value = a.value > 0 ? 1 : a.value < 0 ? -1 : 0;
    const quick_real error = a.error == 0 ? 0 : INFINITY;
    return (struct quick_number){value, fabs(a.value) > a.error ? 0 : error};
}

#endif
