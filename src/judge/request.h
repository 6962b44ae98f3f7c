/* What is asked of the planner: a formula of one value, its bound and types, and for which processor. */
#ifndef ACTGEN_REQUEST_H
#define ACTGEN_REQUEST_H

#include "expr.h"
#include "lane.h"
#include "progress.h"
#include "spec.h"
#include "target.h"

/* Machine code for programs that are run on very many inputs, from a higher floor. */
struct plan_machine {
    void *context;
    /* Compiles a program that loads f32 operand 0 and stores f32 operands 1 .. results; NULL if there is
     * none. */
    void *(*make)(void *context, const lane_program *p, unsigned results);
    void (*run)(void *code, void *const *operands, unsigned operand_count, size_t count);
    void (*free)(void *code);
};

struct plan;

/* A maximal part of a kernel that is a function of one lane value, which counts as computed: the unit of
 * planning, judging and verification. */
struct piece {
    const expr *written, *simplified; /* of EXPR_INPUT 0 */
    struct spec_bound bound;          /* BOUND_DEFAULT is 3 ulp */
    /* The types of its argument and its result. The program loads operand 0 and stores operand 1 as f64 for
     * ELEMENT_F64, else as f32; of a 16-bit argument only those values matter, and a 16-bit result's bound is
     * in its own ulps, after the rounding to it (to nearest even; none where lane_is_rounded tells that the
     * program has done it). */
    enum element_type argument, result;
    const lane_program *program; /* NULL before it is planned */
    const struct plan *plan;     /* the program's; NULL where it is nobody's plan */
    const char *name; /* as the kernel has it, "sigmoid(x / t)"; NULL if results are one piece each */
};

/* Which plans of an f32 are judged at all 2^32 inputs, in ten to sixty seconds each, before they are
 * accepted: none but those of 0.5 ulp; those of which the sample says that they keep the bound, but so nearly
 * that it cannot tell, and which are lost otherwise; or each. */
enum plan_sweeps { PLAN_SWEEPS_NONE, PLAN_SWEEPS_DOUBTFUL, PLAN_SWEEPS_ALL };

/* What the planner is told of a piece, and of where it stands. */
struct plan_request {
    expr_dag *dag;
    struct piece piece; /* that is to be planned; its program and plan are not looked at */
    /* the bound is of values before they are rounded to a 16-bit result: a search's own, to try shapes by */
    bool unrounded;
    struct target_profile profile;
    const struct target_costs *costs;
    const struct plan_machine *machine; /* may be NULL: the interpreter does it, more slowly */
    enum plan_sweeps sweeps;
    /* after which the search takes the best plan so far, as choice_work counts it; 0: no limit */
    uint64_t most_work;
    unsigned alternatives; /* plans wanted, the cheapest first, so that times can choose among them; 0 as 1 */
    /* Other functions of the same value that the kernel computes, too, to the same types and bound. Plans
     * that share work with theirs may win: their programs have instructions in common, which are one where a
     * kernel inlines both. */
    const struct piece *companions;
    unsigned companion_count;
    struct progress *progress; /* of the search; may be NULL */
};

#endif
