/* Factored plans in f64 lanes: the pieces between wide_factored.c (forms, the slowly varying factor, the program) and
 * wide_exp.c (the exponential). */
#ifndef ACTGEN_WIDE_FACTORED_H
#define ACTGEN_WIDE_FACTORED_H

#include "factor.h"

enum { WIDE_LOG2_ENTRIES = 4, WIDE_ENTRIES = 1 << WIDE_LOG2_ENTRIES, WIDE_EXP_TERMS = 7 };

/* 2^(z(t)/16) with z = c2 t^2, or t (c1 + c3 t^2): coefficients of so few bits that z is exact for every f32 t that
 * matters. What they leave of the exponent is in the other factor. */
struct wide_exp {
    double c1, c2, c3;
    double coefficient[WIDE_EXP_TERMS]; /* (2^(r/16) - 1) / r = sum of coefficient[k] r^k, |r| <= 1/2 */
};
bool wide_exp_find(struct wide_exp *out, const struct factor_polynomial *q);
quad wide_exp_value(const struct wide_exp *e, double t);
/* t >= 0 with z(t) > -16 * 1000. */
lane_value wide_exp_build(const struct wide_exp *e, lane_program *p, lane_value t);

#endif
