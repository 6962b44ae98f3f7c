/* The numbers that describe f16, e4m3, e5m2 and e2m1, for their conversions by integer arithmetic.
 *
 * f16 is binary16 of IEEE 754. e4m3 and e5m2 are formats of OCP's "8-bit Floating Point Specification (OFP8)"
 * 1.0. e5m2 is the upper half of an f16. e4m3 has no infinity and one NaN of each sign, so numbers that are
 * too large become its largest number, 448. e2m1 is a format of OCP's "Microscaling Formats (MX)
 * Specification" 1.0. It has neither infinity nor NaN. */
#ifndef ACTGEN_NARROW_FORMAT_H
#define ACTGEN_NARROW_FORMAT_H

#include <stdint.h>

/* A format whose exponents are a part of the exponents of f32. The `size` of a number is its bits without the
 * sign. */
struct narrow_format {
    /* The bits of a number, and of its fraction. */
    unsigned bits, fraction;
    uint32_t rebias;  /* The difference between the biased exponents of an f32 and of this format. */
    uint32_t special; /* The least size of an infinity or NaN. */
    /* The bits of the f32 that all larger numbers become: the first infinity, or the largest number. */
    uint32_t cap;
    uint32_t nan; /* A size. A format without NaN has its largest number here. */
};
static const struct narrow_format narrow_f16 = {16, 10, 112, 0x7c00, 0x47800000, 0x7e00},
                                  narrow_e4m3 = {8, 3, 120, 0x7f, 0x43e00000, 0x7f},
                                  narrow_e5m2 = {8, 2, 112, 0x7c, 0x47800000, 0x7e},
                                  narrow_e2m1 = {4, 1, 126, 8, 0x40c00000, 7};

/* Numbers that follow from the format, as bits of f32. */
static inline uint32_t narrow_least_normal(struct narrow_format f) { return (f.rebias + 1) << 23; }
static inline uint32_t narrow_least(struct narrow_format f) { return (f.rebias + 1 - f.fraction) << 23; }
/* Returns a number to add for rounding to subnormals. From it to twice as much, f32 numbers are as far apart
 * as the subnormals of the format. */
static inline uint32_t narrow_rounder(struct narrow_format f) { return narrow_least(f) + (23u << 23); }

#endif
