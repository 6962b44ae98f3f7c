/* The loop that every input goes through: bounds of its error from the quick reference's bounds of the exact
 * value. */
#ifndef ACTGEN_SCAN_H
#define ACTGEN_SCAN_H

#include "float_format.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A float_format as the loop wants it: the spacing is that of the smallest subnormal below 2 `least`, the top
 * binade's from `most` on; infinity and all values beyond count as `limit`. */
struct scan_format {
    double least, most, limit; /* the smallest normal number; the top binade's first; float_limit() */
    double steps;              /* in a binade: 2^23 for f32 */
};

static inline struct scan_format scan_format_of(const struct float_format *f)
{
    return (struct scan_format){ldexp(1, f->min_exponent), ldexp(1, f->max_exponent), float_limit(f),
                                ldexp(1, f->precision - 1)};
}

/* The few roundings in computing an error from bounds of it. */
#define SCAN_GROW (1 + 0x1p-48)

enum { SCAN_BLOCK = 256 };

struct scan_limits { /* up to which errors need not be known */
    double ulp, absolute;
    bool sign; /* a zero's sign matters */
};

struct scan {
    double value[SCAN_BLOCK], error[SCAN_BLOCK]; /* in: |value - exact| <= error */
    double computed[SCAN_BLOCK];                 /* in */
    struct scan_format format;                   /* in */
    double low[SCAN_BLOCK], high[SCAN_BLOCK];    /* out: where the exact value lies, cut to the limits */
    uint64_t doubtful[SCAN_BLOCK]; /* out: 1 where the error may exceed the limits, or be of another kind */
};

/* Lanes 0 .. count-1; true if any is doubtful. */
bool scan_block(struct scan *s, size_t count, struct scan_limits limits);

/* The largest errors that `computed` can have if the exact value is in [low, high], all cut to the limits: in
 * ulps of the exact value, and relative to max(1, |exact|). NaN if anything is. */
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
    /* One over the power of two at or below: the exponent's bits, mirrored. */
    bits = (UINT64_C(2046) << 52) - (bits & UINT64_C(0x7ff0000000000000));
    double inverse;
    memcpy(&inverse, &bits, sizeof inverse);
    *ulp = distance * inverse * format->steps;
    *absolute = distance / unit * SCAN_GROW;
}

#endif
