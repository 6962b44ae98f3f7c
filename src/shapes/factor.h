/* What a function that decays exponentially is made of, found by looking at its formula and its values:
 *
 *     f(x) = x^m * exp(q(t)) * R(t),   t = |x|, on a side where f decays,   q a polynomial without constant term.
 *
 * R varies slowly, so that it can be approximated in relative terms all along the tail, where f itself loses all its
 * bits long before it is zero. */
#ifndef ACTGEN_FACTOR_H
#define ACTGEN_FACTOR_H

#include "lines.h"
#include "shape.h"

enum { FACTOR_MAX_DEGREE = 4, FACTOR_MAX_POWER = 3 };

struct factor_polynomial { /* sum of coefficient[k] * t^k */
    unsigned degree;
    quad coefficient[FACTOR_MAX_DEGREE + 1];
};

struct factor_side {
    bool decays;                /* q goes to minus infinity: else f is taken whole on this side */
    struct factor_polynomial q; /* of t */
    double last;                /* f's size falls below 2^-150 before this t */
};

struct factor {
    unsigned power;             /* m: how f vanishes at 0, from both sides */
    struct factor_side side[2]; /* x > 0, x < 0 */
};

/* False if f decays on neither side, or vanishes at 0 in no way that is known. */
bool factor_find(struct factor *out, const struct shape_context *context);

/* exp(q(t)), any size. */
quad factor_exponential(const struct factor_polynomial *q, double t);
/* f / (x^m exp(q)) where f decays on the side, else f / x^m. */
bool factor_rest(quad *out, const struct factor *f, reference *truth, double t, bool negative);

#endif
