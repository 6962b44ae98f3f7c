/* Polynomials that keep given intervals at given points. This is a linear program. Stiefel's algorithm solves
 * it by exchanging one constraint for another, which is the simplex method on the dual. It computes in double
 * and without libm. */
#ifndef ACTGEN_INTERVAL_FIT_H
#define ACTGEN_INTERVAL_FIT_H

#include "float_format.h"

#include <stdbool.h>
#include <stdint.h>

enum { INTERVAL_MAX_DEGREE = 7 };

struct interval_point {
    double v; /* the polynomial's variable */
    double z; /* the position among the points, -1 to 1, in which v is linear */
    double low, high;
    double unit; /* the unit of the distance from the ends */
};

/* Finds the coefficients of z^k for which the smallest distance from the ends, in units, is largest. Returns
 * this distance. The distance is negative if no polynomial keeps all intervals, and NaN if the equations are
 * singular. Stops as soon as the distance is below `enough`. */
double interval_fit(double *coefficient, const struct interval_point *point, uint32_t count, unsigned degree,
                    double enough);

/* Finds coefficients of v^k that are numbers of the format. They are rounded one after another from the
 * highest on, and the rest is fitted again. `scale` is dv/dz. Overwrites the points' intervals. Returns the
 * distance before any rounding. */
double interval_fit_rounded(double *coefficient, struct interval_point *point, uint32_t count,
                            unsigned degree, double scale, const struct float_format *format);

#endif
