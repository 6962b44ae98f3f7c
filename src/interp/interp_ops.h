/* The operations of the lane program on blocks of lanes: what interp.c calls and interp_ops.c defines. */
#ifndef ACTGEN_INTERP_OPS_H
#define ACTGEN_INTERP_OPS_H

#include "lane.h"

#include <stddef.h>

/* Lanes that go through an operation at once: small enough for the values and constants of a program to stay
 * in the first cache, large enough to hide the call. */
enum { INTERP_BLOCK = 256, INTERP_ROUND = 16 };

struct interp_step;
/* Does lanes 0 .. n-1 of the step, n a multiple of INTERP_ROUND up to INTERP_BLOCK. */
typedef void interp_op(const struct interp_step *step, size_t n);

struct interp_elements { /* of an operand: in memory, and whether lanes hold them as f16, or as they are */
    enum element_type type;
    bool half, byte;
};

/* An instruction with its blocks of lanes. i8 takes a byte a lane, f16 and i16 take 2 bytes a lane, f32 and
 * i32 4, f64 and i64 8; a truth value is an int32_t, 0 or -1. `out` is never one of the operands. */
struct interp_step {
    interp_op *run; /* NULL for a store */
    void *out;
    const void *a, *b, *c;
    const void *table;    /* LOOKUP: entries of the result's width, */
    uint64_t table_mask;  /* their number - 1, */
    unsigned index_bytes; /* and the index's width */
    uint32_t operand;     /* STORE: of the kernel, */
    struct interp_elements elements;
};

/* By operation and lane_type_that_chooses(). */
typedef interp_op *const interp_op_table[LANE_OP_COUNT][LANE_TYPE_COUNT];
extern const interp_op_table interp_ops_plain;
extern const interp_op_table interp_ops_fma;

#endif
