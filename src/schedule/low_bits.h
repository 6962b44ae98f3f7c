/* What is known of the low bits of values: the low 16 of f32 and i32; of f64 and i64 the 45 that are 0 in
 * what such an f32 widens to. */
#ifndef ACTGEN_LOW_BITS_H
#define ACTGEN_LOW_BITS_H

#include "lane.h"

enum low_bits { LOW_ANY, LOW_ZERO_IN_NAN, LOW_ZERO };

/* Fills in an enum low_bits for each instruction of the kernel's program; `known` is the caller's, and has
 * room for all. */
void find_low_bits(uint8_t *known, const struct lane_kernel *kernel);

#endif
