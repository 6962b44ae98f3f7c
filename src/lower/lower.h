/* A kernel of the spec to one lane program: loads, pieces of one variable from the planner, the arithmetic
 * around them, stores.
 *
 * A piece is a maximal subexpression that is a function of one lane value, be that an operand or the
 * result of arithmetic on several. The planner finds its program, with the bound; the arithmetic around
 * pieces is IEEE in the order of the kernel's formulas, as expr_gather left them. */
#ifndef ACTGEN_LOWER_H
#define ACTGEN_LOWER_H

#include "plan.h"

struct planner {
    int (*find)(void *context, struct plan **out, const struct plan_request *request, struct diag *error);
    void *context;
};

struct lowered {
    struct lane_kernel kernel;
    struct piece *pieces;
    uint32_t piece_count;
    bool is_whole; /* every result is one piece of an operand: the bound holds for the results themselves */
    const lane_program *scaled_exponential; /* loads u and k and stores e^u 2^k, operand 2; NULL where the
                                               formulas have none */
};

struct lower_request {
    const struct spec *spec;
    const struct spec_kernel *kernel;
    struct spec_bound bound;
    struct target_profile profile;
    const struct target_costs *costs;
    bool prove;          /* accept only plans that were judged at all inputs */
    uint64_t plan_limit; /* plan_request's most_work, for each piece */
    struct planner planner;
    const char *broken_rule; /* of expr_simplify; NULL but in tests */
};

/* The steps, each if the one before gave DIAG_OK. Memory is the spec's arena; what the request and `error`
 * point to must live until the last. */
struct lowering;
int lower_pieces(struct lowering **out, const struct lower_request *request, struct diag *error);
uint32_t lower_piece_count(const struct lowering *l);
/* What is asked of the planner for piece n. */
struct plan_request lower_piece_request(const struct lowering *l, uint32_t n);
const struct plan *lower_piece_plan(const struct lowering *l, uint32_t n); /* that it has taken; or NULL */
arena *lower_memory(const struct lowering *l);
/* Takes a plan for piece n, in place of what the planner says or of another one. */
void lower_take_plan(struct lowering *l, uint32_t n, struct plan *plan);
/* Appends what tells the kernel apart from others whose pieces have the same requests: its operands and the
 * program around the pieces. */
void lower_digest(struct text *out, const struct lowering *l);
int lower_plans(
    struct lowering *l); /* what the planner says of each piece, in the order in which they are met */
/* Each call fills in the plans that there are then, in the place of what was filled in before. */
int lower_program(struct lowered **out, struct lowering *l);
/* The operands as the kernel's, without a program. */
void lower_operands(struct lane_kernel *out, const struct spec_kernel *k, arena *memory);
/* The totals of a kernel as it is called, whose summands are `k`. */
void lower_totals(struct lane_kernel *called, const struct spec_kernel *k, arena *memory);
/* All three. */
int lower_kernel(struct lowered **out, const struct lower_request *request, struct diag *error);

#endif
