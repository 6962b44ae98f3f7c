/* Lowers a kernel of the spec to one lane program: loads, pieces of one variable from the planner, the
 * arithmetic around them, and stores.
 *
 * A piece is a maximal subexpression that is a function of one lane value. This value is an operand or the
 * result of arithmetic on several values. The planner finds a program for the piece that keeps the bound. The
 * arithmetic around pieces is IEEE arithmetic in the order of the kernel's formulas, as expr_gather() left
 * them. */
#ifndef ACTGEN_LOWER_H
#define ACTGEN_LOWER_H

#include "plan.h"

struct lowered {
    struct lane_kernel kernel;
    struct piece *pieces;
    uint32_t piece_count;
    bool is_whole; /* every result is one piece of an operand, so the bound holds for the results */
    /* A program that loads u and k and stores e^u 2^k as operand 2. NULL if the formulas have no such
     * product. */
    const lane_program *scaled_exponential;
};

struct lower_request {
    const struct spec *spec;
    const struct spec_kernel *kernel;
    struct spec_bound bound;
    struct target_profile profile;
    const struct target_costs *costs;
    bool prove;          /* accept only plans that were judged at all inputs */
    uint64_t plan_limit; /* most_work of each piece's plan_request */
    struct planner planner;
    const char *broken_rule; /* for expr_simplify(); NULL except in tests */
};

/* The steps of lowering. Each runs only if the step before returned DIAG_OK. Memory comes from the spec's
 * arena. The objects that the request and `error` point to must live until the last step. */
struct lowering;
/* Makes the program with holes, and finds the pieces. */
int lower_pieces(struct lowering **out, const struct lower_request *request, struct diag *error);
uint32_t lower_piece_count(const struct lowering *l);
/* Returns the request to the planner for piece n. */
struct plan_request lower_piece_request(const struct lowering *l, uint32_t n);
/* Returns the plan of piece n, or NULL if it has none yet. */
const struct plan *lower_piece_plan(const struct lowering *l, uint32_t n);
arena *lower_memory(const struct lowering *l);
/* Sets the plan of piece n, instead of the planner's or an earlier one. */
void lower_take_plan(struct lowering *l, uint32_t n, struct plan *plan);
/* Appends a text that differs between kernels whose pieces have the same requests: its operands and the
 * program around the pieces. */
void lower_digest(struct text *out, const struct lowering *l);
/* Asks the planner for the plan of each piece, in the order in which they are met. */
int lower_plans(struct lowering *l);
/* Fills in the plans of the pieces. Each call replaces the plans of the call before. */
int lower_program(struct lowered **out, struct lowering *l);
/* Returns the kernel's program as lookups in tables of bytes, in the memory of the kernel's program. Each
 * result must be a byte that depends on one operand of a byte. Otherwise, or without memory, returns the
 * program that the kernel has. In bytes.c. */
const lane_program *lower_to_bytes(const struct lane_kernel *kernel, const struct target_profile *profile);
/* Makes a kernel with the operands of `k` and no program. */
void lower_operands(struct lane_kernel *out, const struct spec_kernel *k, arena *memory);
/* Sets the totals of a kernel as its callers see it. `k` is the kernel of its summands. */
void lower_totals(struct lane_kernel *called, const struct spec_kernel *k, arena *memory);
/* Runs all three steps. */
int lower_kernel(struct lowered **out, const struct lower_request *request, struct diag *error);

#endif
