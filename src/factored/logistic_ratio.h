/* Functions that are rational in an exponential, apart from powers of x. logistic.c writes their plans:
 *
 *     f(x) = x^m u^j N(E) / D(E) * (E^k where f decays),   E = exp(q(t)), t = |x|, 0 < E <= 1
 *
 * u is 1 - E with the sign of x. It vanishes at 0 like x. N and D may differ on the two sides of 0. */
#ifndef ACTGEN_LOGISTIC_RATIO_H
#define ACTGEN_LOGISTIC_RATIO_H

#include "factor.h"

enum { RATIO_DEGREE = 4 };

/* The ratio: scale * sum of top[k] E^k / sum of bottom[k] E^k, with bottom[0] = 1. The scale is 1 if top[0]
 * is an f32 number. Otherwise top[0] is 1, and the scale is any number, in two words of f32. */
struct ratio {
    float top[RATIO_DEGREE + 1], bottom[RATIO_DEGREE + 1], scale[2];
};

struct logistic_form {
    struct factor_polynomial q;
    unsigned power;       /* m */
    unsigned steps;       /* j */
    unsigned decay;       /* k, at least 1 */
    struct ratio side[2]; /* x > 0, x < 0 */
};

/* D over the ratio's scale. Its coefficients are rounded, all by `share` of themselves. */
struct scaled_bottom {
    float coefficient[RATIO_DEGREE + 1], share;
};
/* Returns false if the coefficients are not rounded alike. */
bool logistic_scale_bottom(struct scaled_bottom *out, const struct ratio *r);

/* Finds the form of least decay and then of fewest steps. f is the factor of `truth`. Returns false if there
 * is none. */
bool logistic_find(struct logistic_form *out, const struct factor *f, reference *truth);

#endif
