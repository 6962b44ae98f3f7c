/* The argument of a sin or cos as a polynomial in x. Coefficients count quarter turns, so that multiples of a
 * turn are exact. */
#ifndef ACTGEN_TURNING_H
#define ACTGEN_TURNING_H

#include "expr.h"

#include <mpfr.h>

enum { TURNING_POWERS = 3 };

struct turning {
    mpfr_t coefficient[TURNING_POWERS]; /* coefficients of x^k */
    bool is_polynomial;                 /* otherwise the coefficients mean nothing */
};

/* Finds the polynomial of an argument, which is a simplified function of EXPR_INPUT 0. Coefficients have
 * `precision` bits. The caller frees them with turning_clear. */
void turning_of(struct turning *out, const expr *argument, mpfr_prec_t precision);
void turning_clear(struct turning *t);
/* Returns true if the argument is a constant plus a slope times x. Writes both with the precision of
 * `slope`. */
bool turning_is_linear(const expr *argument, mpfr_t constant, mpfr_t slope);

/* Multiplies by 2/pi. A multiple of pi becomes a short number of quarter turns, which rounding does not
 * lose. */
void turning_from_radians(mpfr_t c);

#endif
