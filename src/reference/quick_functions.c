/* Elementary functions of a double with an error bound: quick_<name>, one for each row of functions.def.
 *
 * With x = value, d = error of the argument, f = libm's result: |f(x +- d) - f| <= (propagated d) +
 * QUICK_LIBM |f| + QUICK_TINY. Where f'/f is bounded by k around x, the propagated error is at most f (e^(k
 * d) - 1) <= f (k d + (k d)^2) for k d <= 1. */
#include "quick.h"

#define EXP_UNDERFLOW  -746.0 /* below: exp(x) < 2^-1075, and so are sigmoid and softplus */
#define ERFC_UNDERFLOW 28.0   /* above: erfc(x) < 2^-1075 */

/* e^t - 1 for a relative perturbation t >= 0, or infinity where that bound would be useless. */
static double relative_growth(double t) { return t <= 1 ? t + t * t : INFINITY; }

static quick_number finish(double value, double propagated)
{
    return (quick_number){value, quick_bound(propagated + QUICK_LIBM * fabs(value) + QUICK_TINY)};
}

/* libm takes its time to report range errors, and half of all floats are out of range. */
static double ranged_exp(double x) { return x < EXP_UNDERFLOW ? 0 : x > 710 ? INFINITY : exp(x); }

static double smaller(double a, double b) { return a < b ? a : b; }

/* The results that vanish at -infinity at least as fast as exp. */
static quick_number like_exp(quick_number a, double value)
{
    if (a.value + a.error < EXP_UNDERFLOW) return finish(value, 0);
    return finish(value, value * relative_growth(a.error));
}

quick_number quick_exp(quick_number a) { return like_exp(a, ranged_exp(a.value)); }

/* expm1' = exp = expm1 + 1. */
quick_number quick_expm1(quick_number a)
{
    double value = expm1(a.value);
    if (a.value + a.error < -40) return finish(value, 0x1p-57);
    return finish(value, (value + 1 + 2 * QUICK_LIBM) * relative_growth(a.error));
}

quick_number quick_log(quick_number a)
{
    double least = a.value - a.error;
    return finish(log(a.value), least > 0 ? a.error / least : a.error > 0 ? INFINITY : 0);
}

quick_number quick_log1p(quick_number a)
{
    double least = 1 + a.value - a.error - QUICK_ROUNDING * (2 + fabs(a.value));
    double propagated = a.error == 0 ? 0 : least > 0 ? a.error / least : INFINITY;
    return finish(log1p(a.value), propagated);
}

/* tanh' <= 1, and 1 - tanh(20) < 2^-56. */
quick_number quick_tanh(quick_number a)
{
    return finish(tanh(a.value), fabs(a.value) - a.error > 20 ? 0x1p-56 : a.error);
}

/* |sigmoid'| <= sigmoid(-|x|) <= exp(-|x|). */
quick_number quick_sigmoid(quick_number a)
{
    double z = ranged_exp(-fabs(a.value)), value = (a.value < 0 ? z : 1) / (1 + z);
    double propagated = z * relative_growth(a.error);
    if (fabs(a.value) - a.error > -EXP_UNDERFLOW) propagated = 0;
    return finish(value, propagated + QUICK_LIBM * value); /* exp, one addition, one division */
}

/* erf' <= 2/sqrt(pi) < 1.1284, and 1 - erf(6) < 2^-55. */
quick_number quick_erf(quick_number a)
{
    return finish(erf(a.value), fabs(a.value) - a.error > 6 ? 0x1p-55 : 1.1284 * a.error);
}

/* For x > 0, -erfc'/erfc < x + sqrt(x^2 + 2) <= 2 x + 1.4143 (Abramowitz and Stegun 7.1.13). */
quick_number quick_erfc(quick_number a)
{
    double value = a.value > ERFC_UNDERFLOW ? 0 : erfc(a.value), absolute = 1.1284 * a.error;
    if (a.value - a.error > ERFC_UNDERFLOW) return finish(value, 0);
    if (a.value + a.error < -6) return finish(value, 0x1p-55);
    double slope = 2 * (fabs(a.value) + a.error) + 1.4143;
    return finish(value, smaller(value * relative_growth(slope * a.error), absolute));
}

quick_number quick_normcdf(quick_number a)
{
    double z = a.value * -0x1.6a09e667f3bcdp-1; /* 1/sqrt(2), rounded */
    quick_number twice = quick_erfc(
        (quick_number){z, quick_bound(0.70711 * a.error + 2 * QUICK_ROUNDING * fabs(z) + QUICK_TINY)});
    return (quick_number){0.5 * twice.value, quick_bound(0.5 * twice.error + QUICK_TINY)};
}

/* softplus' = sigmoid <= 1, and sigmoid/softplus <= 1. */
quick_number quick_softplus(quick_number a)
{
    double z = log1p(ranged_exp(-fabs(a.value))), value = a.value > 0 ? a.value + z : z;
    quick_number r = like_exp(a, value);
    quick_number absolute = finish(value, a.error);
    r.error = quick_bound(smaller(r.error, absolute.error) + QUICK_LIBM * value);
    return r;
}

quick_number quick_sin(quick_number a) { return finish(sin(a.value), a.error); }
quick_number quick_cos(quick_number a) { return finish(cos(a.value), a.error); }

/* |sqrt(x +- d) - sqrt(x)| <= d / sqrt(x) for d <= x. */
quick_number quick_sqrt(quick_number a)
{
    double value = sqrt(a.value);
    return finish(value, a.error == 0 ? 0 : a.error <= a.value ? a.error / value : INFINITY);
}

quick_number quick_abs(quick_number a) { return (quick_number){fabs(a.value), a.error}; }

quick_number quick_sign(quick_number a)
{
    double value = a.value > 0 ? 1 : a.value < 0 ? -1 : 0;
    bool known = fabs(a.value) > a.error || a.error == 0;
    return (quick_number){value, known ? 0 : INFINITY};
}

/* x^q = exp(q log x): the relative errors of x and of q. */
quick_number quick_power(quick_number a, double exponent)
{
    double least = a.value - a.error;
    if (!(least > 0)) {
        bool is_zero = a.value == 0 && a.error == 0 && exponent > 0;
        return (quick_number){0, is_zero ? 0 : INFINITY};
    }
    double t = fabs(exponent) * (a.error / least + 0x1p-52 * fabs(log(a.value)));
    double value = pow(a.value, exponent);
    return finish(value, value * relative_growth(t));
}
