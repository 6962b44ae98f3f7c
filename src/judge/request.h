/* A request to the planner: a formula of one value, its bound and types, and the processor. */
#ifndef ACTGEN_REQUEST_H
#define ACTGEN_REQUEST_H

#include "expr.h"
#include "lane.h"
#include "progress.h"
#include "spec.h"
#include "target.h"

/* Machine code, from a higher floor, for programs that run on very many inputs. */
struct plan_machine {
    void *context;
    /* Compiles a program that loads f32 operand 0 and stores f32 operands 1 .. results. Returns NULL if it
     * cannot. */
    void *(*make)(void *context, const lane_program *p, unsigned results);
    void (*run)(void *code, void *const *operands, unsigned operand_count, size_t count);
    void (*free)(void *code);
};

struct plan;
struct plan_request;

/* Finds plans. Returns what plan_find returns. */
struct planner {
    int (*find)(void *context, struct plan **out, const struct plan_request *request, struct diag *error);
    void *context;
};

/* A maximal part of a kernel that is a function of one lane value. That value counts as already computed. A
 * piece is the unit of planning, judging and verification. */
struct piece {
    const expr *written, *simplified; /* functions of EXPR_INPUT 0 */
    struct spec_bound bound;          /* BOUND_DEFAULT is 3 ulp */
    /* The types of the piece's argument and result. The program loads operand 0 and stores operand 1 as f64
     * for ELEMENT_F64, and as f32 for all others. For a 16-bit argument, only values of that type matter. The
     * bound of a 16-bit result is in ulps of that type, after rounding to nearest even. There is no such
     * rounding where lane_is_rounded says that the program has rounded. */
    enum element_type argument, result;
    const lane_program *program; /* NULL before the piece is planned */
    const struct plan *plan;     /* the program's plan, NULL if the program comes from no plan */
    /* The name in the kernel, such as "sigmoid(x / t)". NULL if every result is one piece. */
    const char *name;
};

/* The f32 plans that must be judged at all 2^32 inputs before they are accepted, which takes ten to sixty
 * seconds each:
 *
 *     - NONE: only plans of 0.5 ulp.
 *     - DOUBTFUL: also plans that keep the bound on the sample so narrowly that the sample cannot decide.
 *       Without a sweep such a plan is lost.
 *     - ALL: every plan. */
enum plan_sweeps { PLAN_SWEEPS_NONE, PLAN_SWEEPS_DOUBTFUL, PLAN_SWEEPS_ALL };

/* A piece that the planner must plan, and the conditions. */
struct plan_request {
    expr_dag *dag;
    struct piece piece; /* the piece to plan, whose `program` and `plan` are ignored */
    /* The bound applies to values before they are rounded to a 16-bit result. A search sets this for itself,
     * to try shapes. */
    bool unrounded;
    /* The piece is a part of another formula, for whose plan a shape asks. Its plans for bounds of f32 in
     * ulps are in f32 lanes. A refusal does not say which bound works. */
    bool is_part;
    bool is_factor; /* The piece is such a part, and is not divided into factors again. */
    struct target_profile profile;
    const struct target_costs *costs;
    const struct plan_machine *machine; /* may be NULL, and then the slower interpreter runs the programs */
    enum plan_sweeps sweeps;
    /* The amount of work after which the search takes the best plan so far, as choice_work counts it. 0: no
     * limit. */
    uint64_t most_work;
    /* The number of plans wanted, the cheapest first, so that times can choose among them. 0 means 1. */
    unsigned alternatives;
    /* Other functions of the same value that the kernel also computes, with the same types and bound. A plan
     * that shares work with theirs may win: a kernel that inlines both programs executes their common
     * instructions once. */
    const struct piece *companions;
    unsigned companion_count;
    /* Finds plans of the piece's parts that are known without a search. May be NULL. */
    const struct planner *known;
    struct progress *progress; /* the search's progress, may be NULL */
};

#endif
