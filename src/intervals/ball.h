/* Elementary functions of narrow intervals, by Arb's balls. They are 4 to 9 times as quick as two calls of
 * MPFR. */
#ifndef ACTGEN_BALL_H
#define ACTGEN_BALL_H

#include "interval.h"

/* Computes a function of an interval. Returns false if balls do not serve: for wide intervals, for ends at
 * which the value may be a number, such as 0, and for values that leave MPFR's range. `r` then means nothing.
 * The ends of the result are open, because no function here has a binary fraction as its value at another
 * one. This is not known of erf and erfc, and does not hold inside waves. */
bool ball_evaluate(interval *r, const interval *a, enum expr_kind kind);

/* Computes a monotone function at a point, rounded up if `is_high`, else down. Returns false as above. */
bool ball_end(mpfr_ptr end, bool *open, mpfr_srcptr at, enum expr_kind kind, bool is_high);

/* Cuts the interval of erf or erfc at finite arguments to the values that the function has. */
void ball_cut(interval *r, enum expr_kind kind);

/* Frees what FLINT and MPFR keep for this thread, such as pi. Both make it again when they need it. */
void ball_free_caches(void);

#endif
