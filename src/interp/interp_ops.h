/* The operations of the lane program on blocks of lanes. interp.c calls them, and interp_ops.c defines
 * them. */
#ifndef ACTGEN_INTERP_OPS_H
#define ACTGEN_INTERP_OPS_H

#include "lane.h"

#include <stddef.h>

/* Lanes that go through an operation at once. The block is small enough for a program's values and constants
 * to stay in the first-level cache, and large enough to hide the call. */
enum { INTERP_BLOCK = 256, INTERP_ROUND = 16 };

struct interp_step;
/* Computes lanes 0 .. n-1 of the step. n is a multiple of INTERP_ROUND, up to INTERP_BLOCK. */
typedef void interp_op(const struct interp_step *step, size_t n);

struct interp_elements { /* the type in memory, and if lanes hold the elements as f16 or as bytes */
    enum element_type type;
    bool half, byte;
};

/* An instruction with its blocks of lanes. A lane takes 1 byte for i8, 2 bytes for f16 and i16, 4 for f32 and
 * i32, 8 for f64 and i64. A truth value is an int32_t, 0 or -1. `out` is never one of the operands. */
struct interp_step {
    interp_op *run; /* NULL for a store */
    void *out;
    const void *a, *b, *c;
    const void *table;    /* LOOKUP: entries of the result's width */
    uint64_t table_mask;  /* LOOKUP: number of entries - 1 */
    unsigned index_bytes; /* LOOKUP: width of the index */
    uint32_t operand;     /* STORE: operand of the kernel */
    struct interp_elements elements;
};

/* Functions by operation and lane_type_that_chooses(). */
typedef interp_op *const interp_op_table[LANE_OP_COUNT][LANE_TYPE_COUNT];
extern const interp_op_table interp_ops_plain;
extern const interp_op_table interp_ops_fma;

#endif
