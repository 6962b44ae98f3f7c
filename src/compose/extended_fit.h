/* Polynomials for the functions of compose.h, by interpolation. All of them are made during planning. */
#ifndef ACTGEN_EXTENDED_FIT_H
#define ACTGEN_EXTENDED_FIT_H

#include "fit.h"
#include "number.h"
#include "segments.h"

/* Computes a function. Returns false where the function has no value. */
typedef bool (*fit_function)(void *context, mpfr_t y, mpfr_srcptr x);

enum {
    EXT_MOST_TERMS = FIT_MAX_TERMS,
    EXT_FIT_BITS = 200,
    EXT_LOG2_MOST_ENTRIES = 7 /* the largest table */
};

/* The context that makes a fit_function a quad_function. */
struct ext_function {
    fit_function f;
    void *context;
};
bool ext_quad_value(void *function, double t, quad *out);

/* Finds the unrounded coefficients with which f on [low, high] is the sum of coefficient[k] x^k. `terms` is
 * at most EXT_MOST_TERMS. */
bool ext_interpolate(quad *coefficient, unsigned terms, double low, double high, fit_function f,
                     void *context);
/* Finds these coefficients, rounded to f64. */
bool ext_fit(double *coefficient, unsigned terms, double low, double high, fit_function f, void *context);

/* Returns the bounded value of segments at t + t_low, t in [0, limit]. The segments' constant terms have low
 * words. */
struct number ext_segments_value(struct composer *c, const struct segments *s, struct number t);

/* exp(u) = (base + change) * 2^exponent, where u is a double word and |u| < 2000. The base comes from a
 * table, 1 <= base < 2. The change is much smaller, so that its rounding matters little. With `exact_base`,
 * the change also includes the base's rounding error. */
struct word_power {
    lane_value base, change, exponent;
};
struct word_power word_exp(struct composer *c, struct number u, bool exact_base);

#endif
