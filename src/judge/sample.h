/* Samples of all f32 numbers: every binade of both signs, the special ones, and runs of neighbours. */
#ifndef ACTGEN_SAMPLE_H
#define ACTGEN_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Fills x with sample numbers first .. first + count - 1 of an endless sequence; every prefix of it is
 * spread over all binades, twice as dense where 2^-12 <= |x| < 2^8, and it begins with the special values. */
void sample_floats(float *x, uint64_t first, size_t count);

/* The special values that sample_floats begins with: zeros, infinities, NaNs, ends of the subnormal and
 * normal numbers. */
extern const uint32_t sample_specials[];
extern const size_t sample_special_count;

#endif
