/* Finds the cheapest lane program that keeps a bound for a function of one f32 value. plan.c is the list
 * of shapes. */
#ifndef ACTGEN_PLAN_H
#define ACTGEN_PLAN_H

#include "interp.h"
#include "judge.h"
#include "polynomial.h"
#include "progress.h"
#include "target.h"

/* Machine code for programs that are run on very many inputs, from a higher floor. */
struct plan_machine {
    void *context;
    /* Of a program that loads f32 operand 0 and stores f32 operands 1 .. results; NULL if there is none. */
    void *(*make)(void *context, const lane_program *p, unsigned results);
    void (*run)(void *code, void *const *operands, unsigned operand_count, size_t count);
    void (*free)(void *code);
};

/* Another function of the same argument that a kernel computes, too, to the same types and bound. */
struct plan_companion {
    const expr *written, *simplified; /* of EXPR_INPUT 0 */
};

struct plan_request {
    expr_dag *dag;
    const expr *written, *simplified; /* of EXPR_INPUT 0 */
    struct spec_bound bound;
    /* Of its argument and its result. The program loads operand 0 and stores operand 1 as f64 for ELEMENT_F64, else as
     * f32; of a 16-bit argument only those values matter, and a 16-bit result's bound is in its own ulps, after the
     * rounding to it (to nearest even; none where lane_is_rounded tells that the program has done it). */
    enum element_type argument, result;
    struct lane_profile profile;
    const struct target_costs *costs;
    const struct plan_machine *machine; /* may be NULL: the interpreter does it, more slowly */
    bool prove; /* all 2^32 inputs of an f32 are judged before a plan is accepted, not only those in danger */
    /* Plans that share work with theirs may win: their programs have instructions in common, which are one where a kernel
     * inlines both. */
    const struct plan_companion *companions;
    unsigned companion_count;
    struct progress *progress; /* of the search; may be NULL */
};

struct plan {
    const char *shape;           /* "direct", "piecewise", ... */
    const char *description;     /* the shape's parameters, one line */
    const lane_program *program; /* loads operand 0, stores operand 1 */
    double cost;                 /* cycles a vector by the cost table: for ranking only */
    struct tally measured;       /* on the planner's sample */
    uint64_t swept; /* inputs whose results were shown to be right, one by one; 0: only the sample */
};

struct plan_search { /* what was looked at, for `show --stage plan` */
    struct text log;
};

/* DIAG_ACCURACY, with the best that was found, if nothing keeps the bound; DIAG_STOPPED if the request's progress says so. Memory is the DAG's arena. */
int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error);

/* -- for the shapes -- */

/* How a shape writes its value for the f32 value `x`; clears *possible where it cannot. */
typedef lane_value (*plan_builder)(void *shape, lane_program *p, lane_value x, bool *possible);

struct candidate {
    const char *shape, *description;
    plan_builder build;
    void *parameters;
    lane_program *program; /* made by candidate_finish */
    double cost;
};

/* The program of the candidate with what it lacks: NaN in gives NaN out, infinities give the limits that
 * `truth` tells. False if the shape cannot. */
bool candidate_finish(struct candidate *c, const struct plan_request *request, reference *truth);

double plan_cost(const lane_program *p, const struct target_costs *costs);

/* measure.c: judges programs for one formula on all inputs of a 16-bit type, else on a dense sample of all f32, denser at
 * the formula's own numbers and where the program is worst; stops early when the program surely breaks the bound. What depends on the
 * formula alone is found out once. */
struct measurer;
enum { PLAN_INPUTS = 1 << 16 };                            /* of a 16-bit type */
float plan_input(enum element_type type, uint32_t number); /* one of them, by its bits */
/* NULL without memory. The request's DAG must outlive it. */
struct measurer *measurer_create(const struct plan_request *request);
void measurer_free(struct measurer *m);           /* NULL is fine */
uint64_t measurer_work(const struct measurer *m); /* see reference_work */
int plan_measure(struct tally *out, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);
/* Decides whether a program that plan_measure found to keep the bound does so on inputs that no sample shows, by analysis and by
 * judging those in danger one by one (danger.h). Adds to its tally. Where they are too many to judge, it is kept only if what
 * was tried stays far below the bound (budget_quiet). */
int plan_confirm(bool *kept, struct tally *tally, struct measurer *m, const lane_program *program,
                 const struct spec_bound *bound, struct diag *error);

enum { PLAN_LAST_STAGE = 6 };

/* What a shape's candidates are made from. */
struct shape_context {
    const struct plan_request *request;
    reference *truth; /* of the formula as written: zeros and infinities are asked of it */
    /* Of the simplified formula: what is fitted is asked of it, since it answers at once where the written one cancels and
     * climbs to thousands of bits. A fit that is wrong because the simplification was is found when the plan is judged. */
    reference *fitted;
    struct polynomial_cache *cache;
    arena *memory;
    unsigned stage;                /* of the search, see plan.c */
    bool algebraic;                /* plan_is_algebraic of the formula as written */
    const struct answers *answers; /* that a correctly rounded 16-bit result is to give; else NULL */
};

bool plan_is_algebraic(arena *memory, const expr *e);

/* Puts at most `room` finished candidates into `out`; gives how many. */
typedef size_t (*shape_candidates)(struct candidate *out, size_t room, const struct shape_context *context);

size_t composed_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For a bound in ulps, of what decays exponentially: logistic.c says what of. */
size_t logistic_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* The same with a lookup: factored.c. */
size_t factored_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* A function and its derivative from one table: factored_pair.c. Only with companions. */
size_t factored_pair_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For an absolute bound. */
size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* In f64 lanes, for 0.5 ulp: functions that decay exponentially. */
size_t wide_factored_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Functions of |x| or of one side that settle, without segments: power plans for an absolute bound. */
size_t power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* The same by a quotient of polynomials; for ulp bounds where f settles at a limit that is not 0. */
size_t rational_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For correctly rounded 16-bit results. */
size_t piecewise_power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* The formula in double words of f64: what nothing else keeps. In the last stage with polynomials around roots. */
size_t extended_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For 0.5 ulp: near 0 a polynomial whose sums and products leave nothing out, so that the term that breaks a tie is seen. */
size_t started_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* A polynomial near 0, where the formula cancels; none if it does not vanish there like a power. */
size_t patched_candidates(struct candidate *out, size_t room, const struct shape_context *context);

#endif
