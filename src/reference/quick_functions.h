/* Elementary functions of a double with an error bound: quick_<name>, one for each row of functions.def.
 *
 * With x = value, d = error of the argument, f = the computed function: |f(x +- d) - f| <= (propagated d) +
 * QUICK_FUNCTION |f| + QUICK_TINY. Where f'/f is bounded by k around x, the propagated error is at most f
 * (e^(k d) - 1) <= f (k d + (k d)^2) for k d <= 1. */
#ifndef ACTGEN_QUICK_FUNCTIONS_H
#define ACTGEN_QUICK_FUNCTIONS_H

#include "quick_math.h"

struct quick_number {
    double value, error;
};

/* One rounding, relative, with room for the roundings of the bounds themselves. */
#define QUICK_ROUNDING 0x1.001p-53
#define QUICK_FUNCTION 0x1.01p-49 /* twice what the tests allow quick_math.h */
/* The same two below the normal numbers; itself normal, as subnormals can be slow. */
#define QUICK_TINY 0x1p-1020
#define QUICK_GROW (1 + 0x1p-48) /* roundings in computing a bound */

#define EXP_UNDERFLOW  -708.0 /* below: exp(x) < 2^-1021, computed as 0, and so are sigmoid and softplus */
#define ERFC_UNDERFLOW 26.7   /* above: erfc(x) < 2^-1021 */
#define UNDERFLOWN     0x1p-1021

/* The end of every bound. A NaN becomes infinity: the comparison is false. */
QUICK_INLINE double quick_bound(double error)
{
    error *= QUICK_GROW;
    return error < INFINITY ? error : INFINITY;
}

QUICK_INLINE struct quick_number quick_finish(double value, double propagated)
{
    return (struct quick_number){value, quick_bound(propagated + QUICK_FUNCTION * fabs(value) + QUICK_TINY)};
}

/* e^t - 1 for a relative perturbation t >= 0, or infinity where that bound would be useless. */
QUICK_INLINE double quick_growth(double t) { return t <= 1 ? t + t * t : INFINITY; }

/* The same of a value that may have been flushed to 0. */
QUICK_INLINE double quick_grown(double value, double t) { return (value + UNDERFLOWN) * quick_growth(t); }

QUICK_INLINE double quick_smaller(double a, double b) { return a < b ? a : b; }

/* The results that vanish at -infinity at least as fast as exp. */
QUICK_INLINE struct quick_number quick_like_exp(struct quick_number a, double value)
{
    const double grown = quick_grown(value, a.error);
    return quick_finish(value, a.value + a.error < EXP_UNDERFLOW ? 0 : grown);
}

QUICK_INLINE struct quick_number quick_exp(struct quick_number a)
{
    return quick_like_exp(a, quick_exp_value(a.value));
}

/* expm1' = exp = expm1 + 1. */
QUICK_INLINE struct quick_number quick_expm1(struct quick_number a)
{
    const double value = quick_expm1_value(a.value);
    const double grown = (value + 1 + 2 * QUICK_FUNCTION) * quick_growth(a.error);
    return quick_finish(value, a.value + a.error < -40 ? 0x1p-57 : grown);
}

QUICK_INLINE struct quick_number quick_log(struct quick_number a)
{
    const double least = a.value - a.error, shared = a.error / least;
    return quick_finish(quick_log_value(a.value), least > 0 ? shared : a.error > 0 ? INFINITY : 0);
}

QUICK_INLINE struct quick_number quick_log1p(struct quick_number a)
{
    const double least = 1 + a.value - a.error - QUICK_ROUNDING * (2 + fabs(a.value)),
                 shared = a.error / least;
    return quick_finish(quick_log1p_value(a.value), a.error == 0 ? 0 : least > 0 ? shared : INFINITY);
}

/* tanh' <= 1, and 1 - tanh(20) < 2^-56. */
QUICK_INLINE struct quick_number quick_tanh(struct quick_number a)
{
    return quick_finish(quick_tanh_value(a.value), fabs(a.value) - a.error > 20 ? 0x1p-56 : a.error);
}

/* |sigmoid'| <= sigmoid(-|x|) <= exp(-|x|). */
QUICK_INLINE struct quick_number quick_sigmoid(struct quick_number a)
{
    const double z = quick_exp_value(-fabs(a.value)), value = (a.value < 0 ? z : 1) / (1 + z);
    const double grown = quick_grown(z, a.error);
    const double propagated = fabs(a.value) - a.error > -EXP_UNDERFLOW ? 0 : grown;
    return quick_finish(value, propagated + QUICK_FUNCTION * value); /* exp, one addition, one division */
}

/* erf' <= 2/sqrt(pi) < 1.1284, and 1 - erf(6) < 2^-55. */
QUICK_INLINE struct quick_number quick_erf(struct quick_number a)
{
    const double absolute = 1.1284 * a.error;
    return quick_finish(quick_erf_value(a.value), fabs(a.value) - a.error > 6 ? 0x1p-55 : absolute);
}

/* For x > 0, -erfc'/erfc < x + sqrt(x^2 + 2) <= 2 x + 1.4143 (Abramowitz and Stegun 7.1.13). */
QUICK_INLINE struct quick_number quick_erfc(struct quick_number a)
{
    const double value = quick_erfc_value(a.value), absolute = 1.1284 * a.error;
    const double slope = 2 * (fabs(a.value) + a.error) + 1.4143;
    const double near = quick_smaller(quick_grown(value, slope * a.error), absolute);
    const double left = a.value + a.error < -6 ? 0x1p-55 : near;
    return quick_finish(value, a.value - a.error > ERFC_UNDERFLOW ? 0 : left);
}

QUICK_INLINE struct quick_number quick_normcdf(struct quick_number a)
{
    const double z = a.value * -0x1.6a09e667f3bcdp-1; /* 1/sqrt(2), rounded */
    const double error = quick_bound(0.70711 * a.error + 2 * QUICK_ROUNDING * fabs(z) + QUICK_TINY);
    const struct quick_number twice = quick_erfc((struct quick_number){z, error});
    return (struct quick_number){0.5 * twice.value, quick_bound(0.5 * twice.error + QUICK_TINY)};
}

/* softplus' = sigmoid <= 1, and sigmoid/softplus <= 1. */
QUICK_INLINE struct quick_number quick_softplus(struct quick_number a)
{
    const double z = quick_log1p_of_unit(quick_exp_value(-fabs(a.value)));
    const double value = (a.value > 0 ? a.value : 0) + z;
    const struct quick_number relative = quick_like_exp(a, value), absolute = quick_finish(value, a.error);
    return (struct quick_number){
        value, quick_bound(quick_smaller(relative.error, absolute.error) + QUICK_FUNCTION * value)};
}

QUICK_INLINE struct quick_number quick_sin(struct quick_number a)
{
    return quick_finish(sin(a.value), a.error);
}

QUICK_INLINE struct quick_number quick_cos(struct quick_number a)
{
    return quick_finish(cos(a.value), a.error);
}

/* |sqrt(x +- d) - sqrt(x)| <= d / sqrt(x) for d <= x. */
QUICK_INLINE struct quick_number quick_sqrt(struct quick_number a)
{
    const double value = sqrt(a.value), shared = a.error / value;
    return quick_finish(value, a.error == 0 ? 0 : a.error <= a.value ? shared : INFINITY);
}

QUICK_INLINE struct quick_number quick_abs(struct quick_number a)
{
    return (struct quick_number){fabs(a.value), a.error};
}

QUICK_INLINE struct quick_number quick_sign(struct quick_number a)
{
    const double value = a.value > 0 ? 1 : a.value < 0 ? -1 : 0;
    const double error = a.error == 0 ? 0 : INFINITY;
    return (struct quick_number){value, fabs(a.value) > a.error ? 0 : error};
}

#endif
