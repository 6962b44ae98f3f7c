/* Minimax polynomials by the exchange algorithm on a grid, with coefficients rounded to the compute type. */
#ifndef ACTGEN_FIT_H
#define ACTGEN_FIT_H

#include "exchange.h"
#include "lane.h"

/* sum of coefficient[k] * x^power[k] against value at the points; the error counts times the weight. */
struct fit_problem {
    unsigned point_count;
    quad point[FIT_MAX_POINTS];
    quad value[FIT_MAX_POINTS];
    quad weight[FIT_MAX_POINTS];
    unsigned term_count; /* at most FIT_MAX_TERMS, and fewer than points */
    unsigned power[FIT_MAX_TERMS];
};
/* All powers from 0 on. */
void fit_powers(struct fit_problem *p, unsigned terms);

struct fit_result {
    double coefficient[FIT_MAX_TERMS]; /* exactly representable in the compute type */
    double error; /* largest weighted error at the points, with the rounded coefficients */
};

/* The points where polynomials of that degree oscillate: `count` of them from low to high, ends included,
 * the same whatever the machine (no libm is asked). */
void fit_points(struct fit_problem *p, double low, double high, unsigned count);

/* Coefficients are rounded one after another in the order given, the rest being fitted again, so that what
 * one rounding loses the next ones win back. False if the equations are singular. */
bool fit_polynomial(const struct fit_problem *p, enum lane_type type, struct fit_result *out);

/* The error of the best polynomial with unrounded coefficients, or 1 if it is larger than that or than
 * `most`: how many terms it takes, quickly. */
double fit_error(const struct fit_problem *p, double most);

#endif
