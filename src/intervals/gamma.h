/* The logarithm of |gamma| and its derivatives, where Arb and MPFR lack them. */
#ifndef ACTGEN_GAMMA_H
#define ACTGEN_GAMMA_H

#include "by_balls.h"

/* Compute balls of log |gamma(x)| and of its second derivative. They are not finite at poles. */
void ball_of_lgamma(arb_t y, const arb_t x, slong bits);
void ball_of_trigamma(arb_t y, const arb_t x, slong bits);

/* Computes the second derivative as MPFR computes functions. The poles are infinities. */
int trigamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);

#endif
