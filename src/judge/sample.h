/* Samples all f32 numbers: every binade of both signs, the special numbers, and runs of neighbours. */
#ifndef ACTGEN_SAMPLE_H
#define ACTGEN_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Fills x with the sample numbers first .. first + count - 1 of an endless sequence. Every prefix of the
 * sequence is spread over all binades, twice as dense where 2^-12 <= |x| < 2^8. The sequence begins with the
 * special values. */
void sample_floats(float *x, uint64_t first, size_t count);

/* The special values with which sample_floats begins: zeros, infinities, NaNs, and the ends of the subnormal
 * and normal numbers. */
extern const uint32_t sample_specials[];
extern const size_t sample_special_count;

#endif
