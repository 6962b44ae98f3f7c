/* Chebyshev polynomials: the points where they oscillate, and sums of them. */
#ifndef ACTGEN_CHEBYSHEV_H
#define ACTGEN_CHEBYSHEV_H

#include "quad.h"

/* Computes cos(pi i / n) for i = 0 .. count - 1. The values are exact enough. They are the same on every
 * machine, because no libm is used. */
void chebyshev_cosines(quad *out, unsigned count, unsigned n);
/* Returns cos(pi turn / n) for any turn, given the first n + 1 cosines. */
double chebyshev_cosine(const double *cosine, unsigned n, unsigned turn);
/* Returns the sum of coefficient[k] T_k(z). */
double chebyshev_sum(const double *coefficient, unsigned degree, double z);

#endif
