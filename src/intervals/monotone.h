/* Functions that rise or fall, on intervals. */
#ifndef ACTGEN_MONOTONE_H
#define ACTGEN_MONOTONE_H

#include "interval.h"

/* Computes a function of MPFR, rounded as asked. Returns 0 if the value is exact. */
typedef int mpfr_function(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);

/* Evaluates a function at a point. A NaN makes the result undefined. */
void monotone_at_point(interval *r, const interval *a, mpfr_function *f);
/* Evaluate a function that rises or falls on all of the argument, by balls where they serve. */
void monotone_rising(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f);
void monotone_falling(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f);

#endif
