/* Parts of magnitude.c: operations on magnitudes, and functions whose values leave MPFR's range. */
#ifndef ACTGEN_MAGNITUDE_PARTS_H
#define ACTGEN_MAGNITUDE_PARTS_H

#include "magnitude.h"

/* Intervals for intermediate results, of the precision of `like`. */
enum { SPARES = 4 };
void spares_init(interval *list, const interval *like);
void spares_clear(interval *list);

/* Returns 1 or -1, or 0 if the interval contains 0. */
int interval_sign_of(const interval *a);
void interval_halve(interval *a);
/* Widens an interval by a unit in the last place on both sides. This covers a relative change of
 * 2^-precision. */
void interval_widen(interval *a);
/* Computes n log(2). */
void multiple_of_log2(interval *out, long n);

void magnitude_set(struct magnitude *out, const interval *factor, const interval *exponent);
/* Computes a function of u whose value is beyond the range. Leaves `out` unknown if there is no formula for
 * it. */
void magnitude_exponential(struct magnitude *out, enum expr_kind kind, const interval *u);
/* Computes a function of a magnitude that is tiny beyond the range. Leaves `out` unknown if the function is
 * not like its argument there. */
void magnitude_near_zero(struct magnitude *out, enum expr_kind kind, const struct magnitude *a);
/* Puts the logarithm of n times the magnitude into `value`, to a base if it is not 0. */
void magnitude_logarithm(interval *value, const struct magnitude *a, long n, unsigned long base);

#endif
