/* Polynomials by interpolation at Chebyshev points, in 113-bit floats: nearly as good as the best, and quick.
 */
#ifndef ACTGEN_INTERPOLATE_H
#define ACTGEN_INTERPOLATE_H

#include "fit.h"

/* f on [low, high] is the sum of coefficient[k] (x - centre)^k, unrounded; at least 2 terms, at most
 * FIT_MAX_TERMS. False where f has no value. */
bool fit_interpolate(quad *coefficient, unsigned terms, double low, double high, double centre,
                     quad_function f, void *context);

#endif
