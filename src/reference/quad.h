/* 113-bit floats for traits and fits. gcc and clang have them in software, and they leave enough room for
 * coefficients in f64. */
#ifndef ACTGEN_QUAD_H
#define ACTGEN_QUAD_H

#include "reference.h"

#include <float.h>

#if LDBL_MANT_DIG == 113 /* some compilers have this form only as long double */
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

/* Computes the true value at x to `bits` bits, at most 106. Returns false if the value is undecided or is no
 * number. */
bool quad_of_reference(quad *out, reference *truth, double x, unsigned bits);

/* A function of one argument. Returns false where its value is not known. */
typedef bool (*quad_function)(void *context, double t, quad *out);

/* Computes cos(pi / n), n >= 2, from a Taylor series, so that no libm influences a coefficient. */
quad quad_cos_pi_over(unsigned n);

#endif
