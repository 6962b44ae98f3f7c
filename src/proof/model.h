/* Taylor models. A model is a polynomial and a bound of the rest. Together they enclose a function of one
 * variable on an interval.
 *
 * The variable is u in [-1, 1]. A model says of a real function g
 *
 *     |g(u) - 2^exponent (c_0 + c_1 u + ... + c_n u^n)| <= 2^exponent rest    for all u,
 *
 * and the operations keep this true. They add their rounding errors, and the powers that they cut off, to the
 * rest. Each model has an exponent of its own, so that tails of 1e-400 are as accurate as numbers near 1. */
#ifndef ACTGEN_MODEL_H
#define ACTGEN_MODEL_H

#include "pair.h"

#include <mpfr.h>
#include <stdbool.h>

enum { MODEL_DEGREE = 12 };
/* A factor that covers the roundings of a bound, which is a sum of some hundred positive terms. */
#define MODEL_GROW (1 + 0x1p-40)

struct model {
    bool known; /* false: only `sign` and `least` say something */
    int sign;   /* 1: g >= 0 everywhere, -1: g <= 0 everywhere, 0: not known */
    long least; /* if not 0, |g| >= 2^least, for functions that overflow */
    long exponent;
    unsigned degree;
    struct pair c[MODEL_DEGREE + 1];
    double rest;
};

extern const struct model model_unknown;

struct model model_number(double value);
struct model model_variable(double low, double high); /* of one sign, or 0 */
/* Returns the model of a value between two numbers, low <= high, with any exponents. If they are infinite or
 * too far away, the model is unknown except for `least`. */
struct model model_between(mpfr_srcptr low, mpfr_srcptr high);
/* Returns a model of all values that a or b encloses. */
struct model model_hull(const struct model *a, const struct model *b);

struct model model_add(const struct model *a, const struct model *b);
struct model model_sub(const struct model *a, const struct model *b);
struct model model_mul(const struct model *a, const struct model *b);
struct model model_div(const struct model *a, const struct model *b); /* unknown where b may be 0 */
struct model model_neg(const struct model *a);
struct model model_scale(const struct model *a, long exponent); /* times 2^exponent */
/* Returns the sum of series[k] (a - centre)^k, k < count. */
struct model model_series(const struct model *a, const struct model *centre, const struct model *series,
                          unsigned count);
struct model model_widened(struct model a, double rest); /* adds to the rest, in units of 2^exponent */

/* Return bounds in units of 2^exponent: an upper bound of |g|, bounds of g, and an upper bound of g's part in
 * u^2 and beyond. */
double model_size(const struct model *a);
void model_range(const struct model *a, double *low, double *high);
double model_bend(const struct model *a);
/* Returns the model's bounds as doubles, rounded outwards. They are infinite beyond the range of doubles. */
void model_bounds(const struct model *a, double *low, double *high);
/* Returns 2^exponent as a double, at least 2^-1074 and perhaps infinite. It turns upper bounds into
 * numbers. */
double model_unit(const struct model *a);

#endif
