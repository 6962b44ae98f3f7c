/* Polynomials that keep given intervals at given points: a linear program, solved by exchanging one
 * constraint for another (Stiefel's algorithm, the simplex method on the dual), in double and without libm.
 */
#ifndef ACTGEN_INTERVAL_FIT_H
#define ACTGEN_INTERVAL_FIT_H

#include "float_format.h"

#include <stdbool.h>
#include <stdint.h>

enum { INTERVAL_MAX_DEGREE = 7 };

struct interval_point {
    double v; /* the polynomial's variable */
    double z; /* where among the points, -1 to 1: v is linear in it */
    double low, high;
    double unit; /* what the distance from the ends counts in */
};

/* Coefficients of z^k whose least distance from the ends, in units, is largest: gives that distance, negative
 * if not all intervals can be kept; NaN if the equations are singular. Stops as soon as it is below `enough`.
 */
double interval_fit(double *coefficient, const struct interval_point *point, uint32_t count, unsigned degree,
                    double enough);

/* Coefficients of v^k, numbers of the format, rounded one after another from the highest on, the rest being
 * fitted again. `scale` is dv/dz. The points' intervals are used up. Returns the distance before anything was
 * rounded. */
double interval_fit_rounded(double *coefficient, struct interval_point *point, uint32_t count,
                            unsigned degree, double scale, const struct float_format *format);

#endif
