/* Minimax quotients of polynomials, P(v) / Q(v), and polynomials alone, with f32 coefficients.
 *
 * Least squares with weights that grow where the error is large (Lawson's algorithm) on the linearised
 * error (P - value Q) / Q of the round before (Sanathanan and Koerner): it needs no good start and takes
 * coefficients that are already rounded as they are. In f64: that leaves the rounding of f32 coefficients 28
 * bits, and no function of libm but the exactly rounded square root is asked, so that the coefficients are
 * the same on every machine. */
#ifndef ACTGEN_QUOTIENT_H
#define ACTGEN_QUOTIENT_H

#include <stdbool.h>

enum { QUOTIENT_MAX_DEGREE = 11, QUOTIENT_MAX_POINTS = 80 };

struct quotient_problem { /* the error counts times the weight */
    unsigned point_count;
    double point[QUOTIENT_MAX_POINTS], value[QUOTIENT_MAX_POINTS], weight[QUOTIENT_MAX_POINTS];
    unsigned numerator_degree, denominator_degree; /* denominator 0: a polynomial */
    /* In rounded fits P's constant is 1; else Q's is a short number in [1, 2) for which P's is nearly an f32
     * number. */
    bool unit_numerator;
};

struct quotient {
    unsigned numerator_degree, denominator_degree;
    double numerator[QUOTIENT_MAX_DEGREE + 1], denominator[QUOTIENT_MAX_DEGREE + 1];
    /* largest weighted error at the points; infinite if the denominator is not positive there */
    double error;
};

/* Unrounded, within some percent of the best. */
void quotient_fit(struct quotient *out, const struct quotient_problem *problem);

/* With f32 coefficients, rounded one after another, from the constant terms up, the rest being fitted again.
 */
void quotient_fit_rounded(struct quotient *out, const struct quotient_problem *problem);

/* Whether the denominator is surely positive on all of [low, high], low and high of one sign. */
bool quotient_is_finite(const struct quotient *q, double low, double high);

double quotient_value(const struct quotient *q, double v);

#endif
