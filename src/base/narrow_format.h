/* The numbers that describe f16, e4m3 and e5m2, for their conversions by integer arithmetic.
 *
 * f16 is IEEE 754's binary16. e4m3 and e5m2 are those of OCP's "8-bit Floating Point Specification
 * (OFP8)" 1.0: e5m2 is the upper half of an f16, and e4m3 has no infinity and one NaN of each sign, so that
 * what is too large becomes its largest number, 448. */
#ifndef ACTGEN_NARROW_FORMAT_H
#define ACTGEN_NARROW_FORMAT_H

#include <stdint.h>

/* A format whose exponents are a part of an f32's. A number's `size` is its bits but the sign. */
struct narrow_format {
    unsigned bits, fraction; /* in all; of the fraction */
    uint32_t rebias;         /* what an f32's biased exponent is more */
    uint32_t special;        /* from this size on infinity and NaN */
    uint32_t cap; /* bits of the f32 that all larger ones become: the first infinity, or the largest number */
    uint32_t nan; /* a size */
};
static const struct narrow_format narrow_f16 = {16, 10, 112, 0x7c00, 0x47800000, 0x7e00},
                                  narrow_e4m3 = {8, 3, 120, 0x7f, 0x43e00000, 0x7f},
                                  narrow_e5m2 = {8, 2, 112, 0x7c, 0x47800000, 0x7e};

/* What follows from it: bits of f32. */
static inline uint32_t narrow_least_normal(struct narrow_format f) { return (f.rebias + 1) << 23; }
static inline uint32_t narrow_least(struct narrow_format f) { return (f.rebias + 1 - f.fraction) << 23; }
/* Numbers from here to twice as much lie as far apart as subnormals: adding it rounds to those. */
static inline uint32_t narrow_rounder(struct narrow_format f) { return narrow_least(f) + (23u << 23); }

#endif
