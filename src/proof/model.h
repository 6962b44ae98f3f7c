/* Taylor models: a polynomial and a bound of what it leaves out, which together enclose a function of one
 * variable on an interval.
 *
 * The variable is u in [-1, 1]. A model says of a real function g
 *
 *     |g(u) - 2^exponent (c_0 + c_1 u + ... + c_n u^n)| <= 2^exponent rest    for all u,
 *
 * and the operations keep that so: what they round, and the powers that they cut off, is added to the rest.
 * Each model has an exponent of its own, so that tails of 1e-400 are as good as numbers near 1. */
#ifndef ACTGEN_MODEL_H
#define ACTGEN_MODEL_H

#include "pair.h"

#include <mpfr.h>
#include <stdbool.h>

enum { MODEL_DEGREE = 12 };
#define MODEL_GROW                                                                                           \
    (1 + 0x1p-40) /* more than the roundings of a bound: of some hundred terms, all positive                 \
                   */

struct model {
    bool known; /* else nothing is said but by `sign` and `least` */
    int sign;   /* 1: g >= 0 everywhere, -1: g <= 0, 0: that is not known */
    long least; /* |g| >= 2^least, if not 0: of functions that overflow */
    long exponent;
    unsigned degree;
    struct pair c[MODEL_DEGREE + 1];
    double rest;
};

extern const struct model model_unknown;

struct model model_number(double value);
struct model model_variable(double low, double high); /* of one sign, or 0 */
/* Between two numbers, low <= high, of any exponents; unknown, but for `least`, where they are infinite or
 * too far away. */
struct model model_between(mpfr_srcptr low, mpfr_srcptr high);
/* What lies in either. */
struct model model_hull(const struct model *a, const struct model *b);

struct model model_add(const struct model *a, const struct model *b);
struct model model_sub(const struct model *a, const struct model *b);
struct model model_mul(const struct model *a, const struct model *b);
struct model model_div(const struct model *a, const struct model *b); /* unknown where b may be 0 */
struct model model_neg(const struct model *a);
struct model model_scale(const struct model *a, long exponent); /* times 2^exponent */
/* Returns the sum of series[k] (a - centre)^k, k < count, and a rest of up to `rest`. */
struct model model_series(const struct model *a, const struct model *centre, const struct model *series,
                          unsigned count);
struct model model_widened(struct model a, double rest); /* in units of 2^exponent */

/* Bounds, in units of 2^exponent: of |g|, from above; of g; of |g|'s part in u^2 and beyond. */
double model_size(const struct model *a);
void model_range(const struct model *a, double *low, double *high);
double model_bend(const struct model *a);
/* Returns the model's bounds as doubles, rounded outwards; infinite beyond their range. */
void model_bounds(const struct model *a, double *low, double *high);
/* 2^exponent as a double, at least 2^-1074 and perhaps infinite: to turn bounds into numbers from above. */
double model_unit(const struct model *a);

#endif
