/* Instructions that are rarely needed. A choice `rarely` has a part of the program to itself: what only its
 * first value needs. Machine code branches around this part if the condition is false in all lanes. The
 * condition itself is then tested for several vectors at once, and only the part needs it for each lane. */
#ifndef ACTGEN_RARE_H
#define ACTGEN_RARE_H

#include "lane.h"

/* Fills in the number of the choice that alone needs an instruction, plus 1. 0 stands for an instruction that
 * is always needed. Loads, constants and uniform values are always needed. So are choices that are in no part
 * of another. RARE_CONDITION is added to the part of the condition that is tested for several vectors at
 * once. These are comparisons of integers with a value that is the same in all lanes, and `or` of such.
 * `uniform` may be NULL, and then only constants are uniform. */
static const uint32_t RARE_CONDITION = UINT32_C(1) << 31;
void find_rare(uint32_t *rare, const uint8_t *uniform, const lane_program *p);

static inline bool rare_is_of(uint32_t rare, uint32_t choice)
{
    return (rare & ~RARE_CONDITION) == choice + 1;
}

/* Returns which operand of the comparison is the same in all lanes, or -1 if neither or both are. */
int rare_limit(const uint8_t *uniform, const lane_program *p, uint32_t comparison);

#endif
