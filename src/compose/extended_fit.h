/* Polynomials for the functions of compose.h, by interpolation: all are made while planning. */
#ifndef ACTGEN_EXTENDED_FIT_H
#define ACTGEN_EXTENDED_FIT_H

#include "fit.h"
#include "number.h"
#include "segments.h"

/* False where it has no value. */
typedef bool (*fit_function)(void *context, mpfr_t y, mpfr_srcptr x);

enum { EXT_MOST_TERMS = FIT_MAX_TERMS, EXT_FIT_BITS = 200, EXT_LOG2_MOST_ENTRIES = 7 /* of a table */ };

/* One as a quad_function, its context being this. */
struct ext_function {
    fit_function f;
    void *context;
};
bool ext_quad_value(void *function, double t, quad *out);

/* f on [low, high] is the sum of coefficient[k] x^k, unrounded; terms <= EXT_MOST_TERMS. */
bool ext_interpolate(quad *coefficient, unsigned terms, double low, double high, fit_function f,
                     void *context);
/* Those rounded to f64. */
bool ext_fit(double *coefficient, unsigned terms, double low, double high, fit_function f, void *context);

/* The value at t + t_low, t in [0, limit], of segments whose constant terms have low words; bounded. */
struct number ext_segments_value(struct composer *c, const struct segments *s, struct number t);

/* exp(u) = (base + change) * 2^exponent, u a double word, |u| below 2000. The base is one of a table, 1 <=
 * base < 2, and the change much smaller, so that its rounding matters little; with `exact_base` it makes up
 * for the base's, too. */
struct word_power {
    lane_value base, change, exponent;
};
struct word_power word_exp(struct composer *c, struct number u, bool exact_base);

#endif
