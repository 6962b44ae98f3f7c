/* log |gamma| and its derivatives, with bounds of their errors. They have roots between poles, where no bound
 * is relative. Their errors are below QUICK_FUNCTION times the sum of the sizes of their terms.
 *
 * To the right of 1/2, the terms are those of compose/gamma.c, with w = x and d = w - 1/2. The polynomials
 * have 4 u with their coefficients, and 3 u by the argument. To the left, w is 1 - x, and the sine counts in
 * addition. x less the nearest integer is exact, d and w have u each, which counts for less than u of the
 * terms. */
#ifndef ACTGEN_QUICK_GAMMA_H
#define ACTGEN_QUICK_GAMMA_H

#include "quick_number.h"

struct quick_reflected {
    quick_real distance; /* d, at least 0 */
    quick_real right;    /* w */
    quick_real inverse;  /* 1/(d + 1) */
    quick_real mapped;   /* 1 - 2/(d + 1), within 3 u */
    quick_real rest;     /* x less the nearest integer */
    bool is_left;
};

QUICK_INLINE struct quick_reflected quick_reflect(quick_real x)
{
    const quick_real d = fabs(x - (quick_real)0.5), inverse = 1 / (d + 1);
    return (struct quick_reflected){d, d + (quick_real)0.5, inverse, 1 - 2 * inverse, x - rint(x), x < 0.5};
}

/* Computes sin(pi r)/pi for 0 <= r <= 1/2, within 12 u: 7 u and 2 u of the argument, and those of the
 * quotient. */
QUICK_INLINE quick_real quick_sine_over_pi(quick_real r)
{
    return quick_sin_value(2 * QUICK_HALF_PI * r) / (2 * QUICK_HALF_PI);
}

/* Finishes a value with that sum of its terms. `slope` bounds the derivative within the argument's error. */
QUICK_INLINE struct quick_number quick_of_terms(struct quick_number a, quick_real value, quick_real terms,
                                                quick_real slope)
{
    const quick_real propagated = a.error == 0 ? 0 : slope * a.error;
    return (struct quick_number){value, quick_bound(propagated + QUICK_FUNCTION * terms + QUICK_TINY)};
}

/* Returns a lower bound of the distance from the poles, if the argument is not known to be above 0. */
QUICK_INLINE quick_real quick_gap(struct quick_number a)
{
    const quick_real gap = (fabs(a.value - rint(a.value)) - a.error) * (1 - 0x1p-40);
    return gap > 0 ? gap : 0;
}

/* Uses log t - 1/t < digamma(t) < log t for t > 0, and to the left -pi cot(pi t) + digamma(1 - t). */
QUICK_INLINE struct quick_number quick_lgamma(struct quick_number a)
{
    static const quick_real coefficients[] = {LGAMMA_COEFFICIENTS};
    const struct quick_reflected r = quick_reflect(a.value);
    const quick_real log = quick_log_value(r.right), series = QUICK_POLYNOMIAL(coefficients, r.mapped);
    const quick_real constant = QUICK_HALF_LOG_TWO_PI - (quick_real)0.5;
    const quick_real value = r.distance * (log - 1) + (constant + series * r.inverse);
    const quick_real beside = quick_log_value(quick_sine_over_pi(fabs(r.rest)));
    const quick_real least = a.value - a.error, most = fabs(a.value) + a.error;
    const quick_real steep = least > 0 ? fabs(quick_log_value(least)) + 1 / least : 1 / quick_gap(a);
    return quick_of_terms(a, r.is_left ? -(beside + value) : value,
                          r.distance * (fabs(log) + 1) + 1 + (r.is_left ? fabs(beside) : 0),
                          1.001 * (steep + fabs(quick_log_value(most + 2)) + 1));
}

/* Uses trigamma(t) < 1/t + 1/t^2 for t > 0, and to the left trigamma(t) < (pi/sin(pi t))^2. */
QUICK_INLINE struct quick_number quick_digamma(struct quick_number a)
{
    static const quick_real coefficients[] = {DIGAMMA_COEFFICIENTS};
    const struct quick_reflected r = quick_reflect(a.value);
    const quick_real log = quick_log_value(r.right),
                     series = QUICK_POLYNOMIAL(coefficients, r.mapped) * r.inverse;
    const quick_real size = fabs(r.rest), sine = copysign(quick_sine_over_pi(size), r.rest);
    const quick_real cot = 2 * QUICK_HALF_PI * quick_sine_over_pi((quick_real)0.5 - size) / sine;
    const quick_real value = log - series, least = a.value - a.error, gap = quick_gap(a);
    return quick_of_terms(a, r.is_left ? value - cot : value,
                          fabs(log) + series + (r.is_left ? fabs(cot) : 0),
                          1.001 * (least > 0 ? (1 + 1 / least) / least : 2.4675 / (gap * gap)));
}

/* Uses |trigamma'(t)| < 1/t^2 + 2/t^3 for t > 0, and to the left 2 |cot(pi t)| pi^3/sin(pi t)^2 + 3. */
QUICK_INLINE struct quick_number quick_trigamma(struct quick_number a)
{
    static const quick_real coefficients[] = {TRIGAMMA_COEFFICIENTS};
    const struct quick_reflected r = quick_reflect(a.value);
    const quick_real right = QUICK_POLYNOMIAL(coefficients, r.mapped) * r.inverse;
    const quick_real inverse = 1 / quick_sine_over_pi(fabs(r.rest)), square = inverse * inverse;
    const quick_real least = a.value - a.error, gap = quick_gap(a);
    return quick_of_terms(
        a, r.is_left ? square - right : right, right + (r.is_left ? square : 0),
        1.001 * (least > 0 ? (1 + 2 / least) / (least * least) : 3 + 4.935 / (gap * gap * gap)));
}

#endif
