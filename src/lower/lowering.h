/* Inside lower/: a kernel on its way to a program. */
#ifndef ACTGEN_LOWERING_H
#define ACTGEN_LOWERING_H

#include "lower.h"

/* A use of a piece, in the program a load of an operand that the kernel does not have: number HOLES + its
 * own. */
struct hole {
    lane_value input;
    const expr *argument; /* what the input is of */
    uint32_t piece;
};
enum { HOLES = 1 << 16 };

struct kept_values {   /* by node id */
    lane_value *value; /* once `done` */
    bool *done;
};

struct lowering {
    struct lower_request request;
    expr_dag *dag;
    lane_program *program;
    struct lowered *result;
    struct hole *holes;
    uint32_t hole_count;
    struct kept_values made[2];   /* in f32 and in f64 */
    struct kept_values chosen[2]; /* by choices in branches, which leave NaNs to the choice around them */
    uint32_t capacity;            /* of kept values, in node ids */
    struct diag *error;
    int status;
};

/* formulas.c: one result's formula, to its store. Where that fails, l->status says so. */
void lower_result(struct lowering *l, const struct spec_result *r);
/* A part of it, in f64 if `wide`. */
lane_value lower_node(struct lowering *l, const expr *e, bool wide);
/* Whether its leaves have numbers of f64. */
bool lower_is_wide(const struct lowering *l, const expr *e);
/* Whether the pieces, if they were one formula, would be one piece. */
bool piece_same_kind(const struct piece *a, const struct piece *b);

/* fused.c: arithmetic of several values that is done at once. False: the formula is none of this. */
bool lower_scaled_exponential(struct lowering *l, const expr *e, bool wide, lane_value *out);
bool lower_fused_product(struct lowering *l, const expr *cast, lane_value *out);

/* halves.c: whether the program may be one of f16 lanes if the plan of its piece is one, */
bool lower_suits_halves(const struct lowering *l);
/* whether it is, */
bool lower_is_in_halves(const struct lowering *l);
/* and an instruction of the open program, whose operands are p's, in such lanes. */
lane_value lower_as_half(lane_program *p, const lane_program *from, struct lane_instruction i);

/* bytes.c: the kernel's program by tables of bytes, where all results are of a byte and each a function of
 * one operand of a byte; else, or without memory, the program that it has. */
const lane_program *lower_to_bytes(const struct lane_kernel *kernel, const struct target_profile *profile);

/* passes.c: the passes of a kernel of summands that has totals, from its program. */
void lower_to_passes(struct lane_kernel *kernel, const struct spec_kernel *k);

#endif
