/* Polynomials as operations. */
#ifndef ACTGEN_HORNER_H
#define ACTGEN_HORNER_H

#include "lane.h"

/* Returns the sum of coefficient[k] v^k, with coefficients rounded to f32. */
lane_value horner_f32(lane_program *p, const double *coefficient, unsigned degree, lane_value v);

#endif
