/* Polynomials for the functions of extended.h: by interpolation at Chebyshev points, in 113-bit floats. Nearly as good as
 * the best, and quick: all are made while planning. */
#ifndef ACTGEN_EXTENDED_FIT_H
#define ACTGEN_EXTENDED_FIT_H

#include "extended.h"
#include "fit.h"

/* False where it has no value. */
typedef bool (*fit_function)(void *context, mpfr_t y, mpfr_srcptr x);

enum { EXT_MOST_TERMS = 26, EXT_FIT_BITS = 200, EXT_LOG2_MOST_ENTRIES = 7 };

/* f on [low, high] is the sum of coefficient[k] (x - centre)^k, unrounded; terms <= EXT_MOST_TERMS. */
bool ext_interpolate(quad *coefficient, unsigned terms, double low, double high, double centre,
                     fit_function f, void *context);
/* Those rounded to f64. */
bool ext_fit(double *coefficient, unsigned terms, double low, double high, fit_function f, void *context);

/* A smooth function on [0, end] by 2^log2_entries polynomials: the exponent and leading fraction bits of t + offset
 * tell which. The constant terms, and nothing else, have 106 bits. */
struct ext_segments {
    unsigned log2_entries, fraction_bits, terms;
    double offset, end;
    double coefficient[EXT_MOST_TERMS][1 << EXT_LOG2_MOST_ENTRIES];
    double constant_low[1 << EXT_LOG2_MOST_ENTRIES];
};
bool ext_segments_fit(struct ext_segments *out, unsigned log2_entries, unsigned fraction_bits, unsigned terms,
                      double end, fit_function f, void *context);
/* The upper end of the segment that `t` is in (of one with entries, fraction bits and end). */
double ext_segments_border(struct ext_segments *s, double t);
/* f(t) in f64 arithmetic, t in [0, end]. */
lane_value ext_segments_plain(struct extender *c, const struct ext_segments *s, lane_value t);
/* f(t + t_low), t in [0, end]; bounded. */
struct extended ext_segments_value(struct extender *c, const struct ext_segments *s, struct extended t);

/* exp(u) = (base + change) * 2^exponent, u a double word, |u| below 2000. The base is one of a table, 1 <= base < 2, and
 * the change much smaller, so that its rounding matters little; with `exact_base` it makes up for the base's, too. */
struct ext_power {
    lane_value base, change, exponent;
};
struct ext_power ext_plain_exp(struct extender *c, struct extended u, bool exact_base);

#endif
