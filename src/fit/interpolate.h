/* Polynomials by interpolation at Chebyshev points, in 113-bit floats. They are nearly as good as the best
 * polynomials, and quick to compute. */
#ifndef ACTGEN_INTERPOLATE_H
#define ACTGEN_INTERPOLATE_H

#include "fit.h"

/* Finds the unrounded coefficients with which f on [low, high] is the sum of coefficient[k] (x - centre)^k.
 * There are at least 2 terms and at most FIT_MAX_TERMS. Returns false where f has no value. */
bool fit_interpolate(quad *coefficient, unsigned terms, double low, double high, double centre,
                     quad_function f, void *context);

#endif
