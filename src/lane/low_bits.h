/* The low bits of values, as far as they are known: the low 16 bits of f32 and i32. For f64 and i64 they are
 * the 45 bits that are 0 in the widened form of such an f32. */
#ifndef ACTGEN_LOW_BITS_H
#define ACTGEN_LOW_BITS_H

#include "lane.h"

enum low_bits { LOW_ANY, LOW_ZERO_IN_NAN, LOW_ZERO };

/* Fills in an enum low_bits for each instruction of the kernel's program. The caller provides `known`, with
 * room for all. nan_of_ones: an invalid operation gives a NaN whose low bits are ones, as on GPUs. Then
 * nothing is known of NaNs. */
void find_low_bits(uint8_t *known, const struct lane_kernel *kernel, bool nan_of_ones);

#endif
