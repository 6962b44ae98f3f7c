/* 113-bit floats for traits and fits: gcc and clang have them in software, with enough room beside f64
 * coefficients. */
#ifndef ACTGEN_QUAD_H
#define ACTGEN_QUAD_H

#include "reference.h"

#include <float.h>

#if LDBL_MANT_DIG == 113 /* where it has that form, it is all that some compilers have */
typedef long double quad;
#else
__extension__ typedef __float128 quad;
#endif

/* Rounds within a unit of the 106th bit. */
static inline quad quad_of_mpfr(const mpfr_t value)
{
    mpfr_t rest;
    mpfr_init2(rest, mpfr_get_prec(value));
    double high = mpfr_get_d(value, MPFR_RNDN);
    mpfr_sub_d(rest, value, high, MPFR_RNDN);
    quad q = (quad)high + (quad)mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return q;
}

static inline quad quad_abs(quad q) { return q < 0 ? -q : q; }

static inline quad quad_power(quad x, unsigned n)
{
    quad y = 1;
    for (; n; n >>= 1, x *= x)
        if (n & 1) y *= x;
    return y;
}

/* The true value at x to so many bits, at most 106; false if it is undecided or no number. */
bool quad_of_reference(quad *out, reference *truth, double x, unsigned bits);

/* A function of one argument; false where it has no value that is known. */
typedef bool (*quad_function)(void *context, double t, quad *out);

/* cos(pi / n), n >= 2, from a Taylor series: no libm decides a coefficient. */
quad quad_cos_pi_over(unsigned n);

#endif
