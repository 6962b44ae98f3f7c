/* Programs as 32-bit Arm runs them by NEON, for tests of its code. */
#ifndef ACTGEN_FLUSHED_BY_NEON_H
#define ACTGEN_FLUSHED_BY_NEON_H

#include "lane.h"

/* Returns what lane_flushed returns, except that scalar instructions keep subnormal numbers. They compute
 * quotients, roots and everything of f64. */
lane_program *lane_flushed_by_neon(arena *memory, const lane_program *p);

#endif
