/* A kernel that is being lowered. Only for use inside lower/. */
#ifndef ACTGEN_LOWERING_H
#define ACTGEN_LOWERING_H

#include "lower.h"

/* A use of a piece. In the program, it is a load of an operand that the kernel does not have: HOLES plus the
 * hole's number. */
struct hole {
    lane_value input;
    const expr *argument; /* the expression of the input */
    uint32_t piece;
};
enum { HOLES = 1 << 16 };

struct kept_values {   /* by node id */
    lane_value *value; /* valid once `done` */
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
    struct kept_values chosen[2]; /* choices in branches, which leave NaNs to the choice around them */
    uint32_t capacity;            /* length of the arrays of kept values, in node ids */
    const double *factor_ulps;    /* spec_factor_ulps(), NULL if the kernel has a bound of its own */
    struct diag *error;
    int status;
};

/* Lowers a result's formula and its store. On failure sets l->status. In formulas.c. */
void lower_result(struct lowering *l, const struct spec_result *r);
/* Lowers a part of a formula, in f64 if `wide`. */
lane_value lower_node(struct lowering *l, const expr *e, bool wide);
/* Returns true if leaves of the expression are numbers of f64. */
bool lower_is_wide(const struct lowering *l, const expr *e);
/* Returns true if two pieces with the same formula would be one piece. */
bool piece_same_kind(const struct piece *a, const struct piece *b);

/* Lower arithmetic on several values in one step. Return false if the formula has no such form. In
 * fused.c. */
bool lower_scaled_exponential(struct lowering *l, const expr *e, bool wide, lane_value *out);
bool lower_fused_product(struct lowering *l, const expr *cast, lane_value *out);
/* Lowers a remainder. Returns false if the formula is none. In remainder.c. */
bool lower_remainder(struct lowering *l, const expr *e, bool wide, lane_value *out);
/* Returns the f32 value that f64 arithmetic takes, or NULL if its value is no f32. */
const expr *lower_narrow_part(const struct lowering *l, const expr *e);

/* Lowers a product of f32 values and of f64 values that all elements of the row share, before it is rounded
 * to the type. The result is f32, within the bound. Where f32 cannot hold a factor or a step, it is
 * *exact, the value of f64 arithmetic. Returns false if `e` is no such product. In scaled.c. */
struct scaled;
const struct scaled *lower_find_scaled(struct lowering *l, const expr *e, enum element_type type);
lane_value lower_scaled(struct lowering *l, const struct scaled *s, lane_value exact);

/* Returns true if the program may have f16 lanes, provided that the plan of its piece has them. In
 * halves.c. */
bool lower_suits_halves(const struct lowering *l);
/* Returns true if the program has f16 lanes. */
bool lower_is_in_halves(const struct lowering *l);
/* Appends an instruction of the open program in f16 lanes. Its operands are those of p. */
lane_value lower_as_half(lane_program *p, const lane_program *from, struct lane_instruction i);

/* Divides the program of a kernel of summands with totals into passes. In passes.c. */
void lower_to_passes(struct lane_kernel *kernel, const struct spec_kernel *k);

#endif
