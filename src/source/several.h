/* Programs of several vectors. */
#ifndef ACTGEN_SOURCE_SEVERAL_H
#define ACTGEN_SOURCE_SEVERAL_H

#include "style.h"

/* Returns the number of vectors that a loop should take at once, or 1. Lanes of 8 bytes take one: their texts
 * are long. */
unsigned source_several_count(arena *memory, struct source_form form, const lane_program *p);

struct source_several {
    const lane_program *program;
    const uint8_t *low_bits; /* By value. */
};
/* Joins `count` programs. Operand k of vector v is operand k + v * operand_count. */
struct source_several source_several_of(arena *memory, const lane_program *p, const uint8_t *low_bits,
                                        unsigned count, uint32_t operand_count);

#endif
