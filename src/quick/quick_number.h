/* Numbers with a bound of their error, and the bounds of roundings and of functions. */
#ifndef ACTGEN_QUICK_NUMBER_H
#define ACTGEN_QUICK_NUMBER_H

#include "quick_math.h"

struct quick_number {
    quick_real value, error;
};

/* ROUNDING is the relative error of one rounding, with room for the roundings of the bounds themselves.
 * FUNCTION is 32 roundings, the relative error of an elementary function. quick_math.h proves 24. TINY is the
 * absolute error of both below the normal numbers. TINY is a normal number, because subnormals can be slow.
 * Beyond UNDERFLOW exp and erfc are below 2 * TINY and are computed as 0, and so are sigmoid and softplus. */
#ifdef QUICK_LONG
#define QUICK_ROUNDING 0x1.001p-64L
#define QUICK_FUNCTION 0x1.01p-59L
#define QUICK_TINY     0x1p-16380L
#define EXP_UNDERFLOW  -11355.0L /* exp(x) < 2^-16381 */
#define ERFC_UNDERFLOW 106.6L    /* erfc(x) < 2^-16381 */
#define UNDERFLOWN     0x1p-16381L
#else
#define QUICK_ROUNDING 0x1.001p-53
#define QUICK_FUNCTION 0x1.01p-48
#define QUICK_TINY     0x1p-1020
#define EXP_UNDERFLOW  -708.0 /* exp(x) < 2^-1021 */
#define ERFC_UNDERFLOW 26.7   /* erfc(x) < 2^-1021 */
#define UNDERFLOWN     0x1p-1021
#endif
#define QUICK_GROW (1 + 0x1p-48) /* covers the roundings in computing a bound */

/* Finishes a bound. A NaN becomes infinity, because the comparison is false. */
QUICK_INLINE quick_real quick_bound(quick_real error)
{
    error *= QUICK_GROW;
    return error < INFINITY ? error : INFINITY;
}

#endif
