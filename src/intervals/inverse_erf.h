/* The inverse of erf as MPFR computes functions. */
#ifndef ACTGEN_INVERSE_ERF_H
#define ACTGEN_INVERSE_ERF_H

#include <mpfr.h>

/* Computes the inverse of erf at x, rounded correctly. Returns a value as mpfr_erf does. The value is an
 * infinity for 1 and -1, and NaN beyond. */
int inverse_erf(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
