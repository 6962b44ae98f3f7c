/* Chebyshev's polynomials: where they oscillate, and sums of them. */
#ifndef ACTGEN_CHEBYSHEV_H
#define ACTGEN_CHEBYSHEV_H

#include "quad.h"

/* cos(pi i / n) for i = 0 .. count - 1: exact enough, and the same on every machine (no libm is asked). */
void chebyshev_cosines(quad *out, unsigned count, unsigned n);
/* cos(pi turn / n) for any turn, from the first n + 1. */
double chebyshev_cosine(const double *cosine, unsigned n, unsigned turn);
/* sum of coefficient[k] T_k(z) */
double chebyshev_sum(const double *coefficient, unsigned degree, double z);

#endif
