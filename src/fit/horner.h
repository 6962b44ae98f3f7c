/* Polynomials as operations. */
#ifndef ACTGEN_HORNER_H
#define ACTGEN_HORNER_H

#include "lane.h"

/* sum of coefficient[k] v^k, coefficients rounded to f32. */
lane_value horner_f32(lane_program *p, const double *coefficient, unsigned degree, lane_value v);

/* Writes links of a long chain: in two halves of v^2 where the degree is 6 or more. That takes one
 * multiplication more, and half the time from v to the sum; cores look ahead for some hundred instructions, and a
 * chain can be so long that they see too few of them. */
lane_value horner_f32_halves(lane_program *p, const double *coefficient, unsigned degree, lane_value v);

#endif
