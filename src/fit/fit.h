/* Minimax polynomials by the exchange algorithm on a grid, with coefficients rounded to the compute type. */
#ifndef ACTGEN_FIT_H
#define ACTGEN_FIT_H

#include "exchange.h"
#include "lane.h"

/* A fit of the sum of coefficient[k] * x^power[k] to the values at the points. The error at a point is
 * multiplied by its weight. */
struct fit_problem {
    unsigned point_count;
    quad point[FIT_MAX_POINTS];
    quad value[FIT_MAX_POINTS];
    quad weight[FIT_MAX_POINTS];
    unsigned term_count; /* at most FIT_MAX_TERMS, and fewer than points */
    unsigned power[FIT_MAX_TERMS];
};
/* Takes all powers from 0 on. */
void fit_powers(struct fit_problem *p, unsigned terms);

struct fit_result {
    double coefficient[FIT_MAX_TERMS]; /* exactly representable in the compute type */
    /* The largest weighted error at the points, with the rounded coefficients. */
    double error;
};

/* Sets the points at which polynomials of that degree oscillate: `count` points from low to high, ends
 * included. The points are the same on every machine, because no libm is used. */
void fit_points(struct fit_problem *p, double low, double high, unsigned count);

/* Fits the polynomial. Coefficients are rounded one after another in the given order. After each rounding the
 * rest is fitted again, which makes up for the rounding error. Returns false if the equations are
 * singular. */
bool fit_polynomial(const struct fit_problem *p, enum lane_type type, struct fit_result *out);

/* Returns the error of the best polynomial with unrounded coefficients, or 1 if the error exceeds 1 or
 * `most`. This shows quickly how many terms a fit needs. */
double fit_error(const struct fit_problem *p, double most);

#endif
