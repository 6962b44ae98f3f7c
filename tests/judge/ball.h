/* Values with bounds of their errors, in three arithmetics: double for blocks of inputs, __float128, and MPFR
 * with as many bits as are asked for. */
#ifndef JUDGE_BALL_H
#define JUDGE_BALL_H

#include "formula.h"

enum { BLOCK = 64 };

/* The value, or the derivative, of a formula is within `error` of `value`. An error that is not finite says
 * that this arithmetic does not know. A value that is NaN stands for a place outside the formula's domain. */
struct block {
    double value[BLOCK], error[BLOCK];
};
struct quad_ball {
    __float128 value;
    long double error;
};

struct double_steps;
struct double_steps *double_prepare(const struct formula *f);
void double_evaluate(struct double_steps *s, int derivative, const float *x, struct block *out);
struct quad_ball quad_evaluate(const struct formula *f, int derivative, float x);
/* Rounds the value to __float128. */
struct quad_ball mpfr_evaluate(const struct formula *f, int derivative, float x, int bits);

#endif
