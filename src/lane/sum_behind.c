/* Finds sums that round. */
#include "sum_behind.h"

uint64_t sum_magic(enum lane_type type, unsigned fraction)
{
    return lane_is_wide(type) ? UINT64_C(0x4338000000000000) - ((uint64_t)fraction << 52)
                              : UINT64_C(0x4b400000) - ((uint64_t)fraction << 23);
}

bool sum_find(struct sum_behind *out, const lane_program *p, lane_value v)
{
    const struct lane_instruction *difference = &p->code[v];
    if (difference->op != LANE_SUB) return false;
    const struct lane_instruction *constant = &p->code[difference->operand[1]];
    if (constant->op != LANE_CONST) return false;
    for (unsigned k = 0; k <= SUM_MOST_FRACTION; k++) {
        *out = (struct sum_behind){difference->operand[0], sum_magic(constant->type, k), k};
        if (constant->bits == out->magic) return true;
    }
    return false;
}
