/* Minimax quotients of polynomials, P(v) / Q(v), and single polynomials, with f32 coefficients.
 *
 * The fit is least squares with weights that grow where the error is large (Lawson's algorithm). The error is
 * linearised: (P - value Q) / Q, with Q from the previous round (Sanathanan and Koerner). The method needs no
 * good start, and keeps coefficients that are already rounded. It computes in f64, which leaves 28 bits to
 * spare for f32 coefficients. From libm it uses only the exactly rounded square root, so that the
 * coefficients are the same on every machine. */
#ifndef ACTGEN_QUOTIENT_H
#define ACTGEN_QUOTIENT_H

#include <stdbool.h>

enum { QUOTIENT_MAX_DEGREE = 11, QUOTIENT_MAX_POINTS = 80 };

struct quotient_problem { /* A fit's points. The error at a point is multiplied by its weight. */
    unsigned point_count;
    double point[QUOTIENT_MAX_POINTS], value[QUOTIENT_MAX_POINTS], weight[QUOTIENT_MAX_POINTS];
    unsigned numerator_degree, denominator_degree; /* denominator 0: a polynomial */
    /* In rounded fits, P's constant is 1. Otherwise Q's constant is a short number in [1, 2) for which P's
     * constant is nearly an f32 number. */
    bool unit_numerator;
};

struct quotient {
    unsigned numerator_degree, denominator_degree;
    double numerator[QUOTIENT_MAX_DEGREE + 1], denominator[QUOTIENT_MAX_DEGREE + 1];
    /* The largest weighted error at the points. Infinite if the denominator is not positive at all of
     * them. */
    double error;
};

/* Fits without rounding, within some percent of the best error. */
void quotient_fit(struct quotient *out, const struct quotient_problem *problem);

/* Fits with f32 coefficients. They are rounded one after another, from the constant terms up, and the rest is
 * fitted again. */
void quotient_fit_rounded(struct quotient *out, const struct quotient_problem *problem);

/* Returns whether the denominator is surely positive on all of [low, high]. low and high have the same
 * sign. */
bool quotient_is_finite(const struct quotient *q, double low, double high);

double quotient_value(const struct quotient *q, double v);

#endif
