/* The loop that every input passes through. It bounds the error of a result, given the quick reference's
 * bounds of the exact value. */
#ifndef ACTGEN_SCAN_H
#define ACTGEN_SCAN_H

#include "float_format.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A float_format in the form that the loop needs. Below 2 `least`, the spacing is that of the smallest
 * subnormal. From `most` on, it is that of the top binade. Infinity and all values beyond count as
 * `limit`. */
struct scan_format {
    /* The smallest normal number, the first number of the top binade, and float_limit(). */
    double least, most, limit;
    double steps; /* steps per binade: 2^23 for f32 */
    /* For bounds with `flush`: an exact value up to this one may be off by as much. Else negative. */
    double flushed;
};

static inline struct scan_format scan_format_of(const struct float_format *f)
{
    return (struct scan_format){ldexp(1, f->min_exponent), ldexp(1, f->max_exponent), float_limit(f),
                                ldexp(1, f->precision - 1), -1};
}

/* A factor for the few roundings in computing an error from its bounds. */
#define SCAN_GROW (1 + 0x1p-48)

enum { SCAN_BLOCK = 256 };

/* Errors up to these limits need not be known. */
struct scan_limits {
    double ulp, absolute;
    bool sign; /* a zero's sign matters */
};

struct scan {
    double value[SCAN_BLOCK], error[SCAN_BLOCK]; /* in: |value - exact| <= error */
    double computed[SCAN_BLOCK];                 /* in */
    struct scan_format format;                   /* in */
    double low[SCAN_BLOCK], high[SCAN_BLOCK];    /* out: the interval of the exact value, cut to the limits */
    /* Out: 1 where the error may exceed the limits, or may be of another kind. */
    uint64_t doubtful[SCAN_BLOCK];
};

/* Scans lanes 0 .. count-1. Returns true if any lane is doubtful. */
bool scan_block(struct scan *s, size_t count, struct scan_limits limits);

/* Computes the largest errors that `computed` can have if the exact value is in [low, high]. All values are
 * cut to the limits. The errors are in ulps of the exact value, and relative to max(1, |exact|). They are NaN
 * if any input is NaN. */
static inline void scan_errors(const struct scan_format *format, double computed, double low, double high,
                               double *ulp, double *absolute)
{
    const double below = fabs(computed - low), above = fabs(high - computed);
    const double distance = (below > above ? below : above) * SCAN_GROW;
    double least = low > 0 ? low : 0;
    least = high < 0 ? -high : least;
    const double unit = least > 1 ? least : 1;
    least = least > format->least ? least : format->least;
    least = least < format->most ? least : format->most;
    uint64_t bits;
    memcpy(&bits, &least, sizeof bits);
    /* The reciprocal of the power of two at or below: the exponent's bits, mirrored. */
    bits = (UINT64_C(2046) << 52) - (bits & UINT64_C(0x7ff0000000000000));
    double inverse;
    memcpy(&inverse, &bits, sizeof inverse);
    *ulp = distance * inverse * format->steps;
    const double most = -low > high ? -low : high, farthest = most > distance ? most : distance;
    *ulp = farthest <= format->flushed ? 0 : *ulp;
    *absolute = distance / unit * SCAN_GROW;
}

#endif
