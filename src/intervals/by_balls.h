/* Functions that MPFR lacks, from Arb's balls. */
#ifndef ACTGEN_BY_BALLS_H
#define ACTGEN_BY_BALLS_H

#include "arb_headers.h"

#include <mpfr.h>

typedef void arb_function(arb_t y, const arb_t x, slong bits);

/* Computes f(x) by balls of growing precision, rounded correctly. Returns 1, because the value is no binary
 * fraction. `x` is a number at which f has a value. */
int by_balls(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding, arb_function *f);

#endif
