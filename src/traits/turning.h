/* The argument of a sin or cos as a polynomial in x, counted in quarter turns, so that what is a multiple of
 * a turn is exact. */
#ifndef ACTGEN_TURNING_H
#define ACTGEN_TURNING_H

#include "expr.h"

#include <mpfr.h>

enum { TURNING_POWERS = 3 };

struct turning {
    mpfr_t coefficient[TURNING_POWERS]; /* of x^k */
    bool is_polynomial;                 /* else the coefficients mean nothing */
};

/* Writes the argument, a simplified function of EXPR_INPUT 0, with coefficients of `precision` bits, to be
 * freed by turning_clear. */
void turning_of(struct turning *out, const expr *argument, mpfr_prec_t precision);
void turning_clear(struct turning *t);
/* Whether the argument is a constant plus a slope times x, which it writes to the precision of `slope`. */
bool turning_is_linear(const expr *argument, mpfr_t constant, mpfr_t slope);

/* Multiplies by 2/pi. A multiple of pi has a short number of quarter turns, which rounding does not lose. */
void turning_from_radians(mpfr_t c);

#endif
