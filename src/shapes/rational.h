/* Rational plans: the pieces between rational.c (the search) and rational_build.c (the code).
 *
 * h (half_line.h) is one quotient of polynomials R, by one division:
 *
 *   SQUARE   h = x^m R(x^2), m = 0 or 1: smooth even and odd functions, of x itself
 *   LINEAR   h = v^m R(v)
 *
 * and R may tell w instead of h, from which h comes by
 *
 *   CIRCLE   h = limit 2 w / (1 + w^2) = limit 2 a b / (a^2 + b^2), w = a / b, for odd h
 *   SQUARES  h = limit (1 - g), g = (1 + w / 2^k)^(2^k), by w -> w (1 + w / 2^k), for one-sided h: elu's
 *            exponential, without division
 *
 * All are flat where h is near its limit: what roundings of w do there is nearly lost. If h itself is the quotient,
 * they count most just there, where the polynomials are large. */
#ifndef ACTGEN_RATIONAL_H
#define ACTGEN_RATIONAL_H

#include "half_line.h"
#include "quotient.h"

enum rational_form { RATIONAL_SQUARE, RATIONAL_LINEAR };
enum rational_link { LINK_NONE, LINK_CIRCLE, LINK_SQUARES };

struct rational {
    struct half_line f;
    enum rational_form form;
    enum rational_link link;
    unsigned m, doublings; /* doublings: k of LINK_SQUARES */
    bool unit;             /* m = 1, and the numerator's constant is 1 */
    struct quotient r;     /* of w */
};

/* A plan_builder. */
lane_value rational_build(void *parameters, lane_program *p, lane_value x, bool *possible);

#endif
