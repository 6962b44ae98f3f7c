/* A shape is a way of writing a function of one value as a lane program. A shape proposes candidates. The
 * search measures the candidates and keeps the cheapest one that is right. */
#ifndef ACTGEN_SHAPE_H
#define ACTGEN_SHAPE_H

#include "answers.h"
#include "cost.h"
#include "polynomial.h"
#include "reference.h"
#include "request.h"
#include "traits.h"

/* Writes the shape's value for `x` and returns that value. Both have the same type: f64 where the request's
 * argument is f64, f16 for a candidate that computes in f16, and f32 otherwise. Clears *possible if the shape
 * cannot write the value. */
typedef lane_value (*plan_builder)(void *shape, lane_program *p, lane_value x, bool *possible);

struct candidate {
    const char *shape, *description;
    plan_builder build;
    void *parameters;
    lane_program *program; /* made by candidate_finish */
    double cost;
    bool halves; /* The program computes in f16, which only some profiles support. */
    /* The result's last bit depends on about BUDGET_ROUNDINGS_PLAIN roundings. Only the f64 search reads this
     * flag. */
    bool many_roundings;
};

/* State that all calls of extended_candidates in one search share. Starts as all zeros. */
struct extended_parts {
    struct segments *tails[2]; /* see struct composer */
    struct f64_patch *patch;   /* polynomials around roots, NULL before they are fitted */
    unsigned patch_count;
};

/* A plan of a part of the formula. */
struct planned_part {
    const char *shape, *description;
    /* Loads operand 0, stores operand 1. It is right at the infinities, zeros and NaN as well. */
    const lane_program *program;
    double cost;
};

/* The search, for shapes that write a function by the plans of its parts. */
struct part_planner {
    /* Finds a plan for the piece, by the request's other conditions. Bounds of f32 in ulps are kept in f32
     * lanes, because the whole formula can be computed in f64 as well. `is_factor`: the piece is not divided
     * into factors again. Returns false if there is no plan. */
    bool (*plan)(struct planned_part *out, void *context, const struct piece *piece, bool is_factor);
    void *context;
};

/* The inputs from which a shape makes its candidates. */
struct shape_context {
    const struct plan_request *request;
    arena *memory;
    /* The traits of the formula and of the request's companions, and what was derived from the formula. All
     * of this is the same for every bound and stage. A companion's traits are NULL until a shape asks for
     * them. */
    struct traits *traits, **companions;
    const struct part_planner *parts;
    struct polynomial_cache *cache;
    struct extended_parts *extended;
    struct answers_asked *asked;
    unsigned stage; /* the stage of the search, see plan.c */
    /* The allowed results, for a 16-bit result of a 16-bit argument. NULL otherwise. */
    struct answers *answers;
    /* Inputs next to sign changes that the measurer found. Only for f64. */
    const double *roots;
    unsigned root_count;
    struct text *unmade; /* the shapes that made no candidate, and why: see no_candidates. May be NULL */
};

/* Notes why a shape makes no candidate, for `show --stage plan`. Returns 0. */
size_t no_candidates(const struct shape_context *context, const char *shape, const char *why);

/* Reasons that several shapes have. */
#define WHY_ALGEBRAIC    "the formula is algebraic, which direct plans serve"
#define WHY_NO_FMA       "the instruction set has no fma"
#define WHY_NO_FACTOR    "no side is known to decay like an exponential"
#define WHY_NO_HALF_LINE "at an infinity it is near no line, or, for a bound in ulps, near 0"
#define WHY_NO_SYMMETRY  "its two sides differ"
#define WHY_NO_PARTS     "it serves bounds in ulps of f32"
#define WHY_NO_PART      "a part has no plan, or the whole cannot be written"
#define WHY_NO_FIT       "no fit keeps the bound"

/* Makes the candidate's program and adds what the shape did not write. NaN in gives NaN out. Infinities,
 * zeros and (for f64) kinks give the values of the formula as written. Returns false if the shape cannot be
 * built. */
bool candidate_finish(struct candidate *c, const struct shape_context *context);

/* Writes at most `room` finished candidates to `out` and returns their number. */
typedef size_t (*shape_candidates)(struct candidate *out, size_t room, const struct shape_context *context);

size_t composed_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves all bounds and types, for functions that are exact operations around others: around.c. */
size_t around_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves algebraic formulas likewise, which need it only where they break the bound as they stand. */
size_t around_algebraic_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves bounds in ulps, for products and quotients whose factors have plans: product.c. */
size_t product_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves bounds in ulps, for square roots of functions that have plans: root.c. */
size_t root_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves absolute bounds. */
size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves absolute bounds, for functions of |x| or of one side that settle. Needs no segments. */
size_t power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves the functions of power_candidates, by a quotient of polynomials. Also serves bounds in ulps where f
 * settles at a limit other than 0. */
size_t rational_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves 16-bit results of 16-bit arguments. */
size_t piecewise_power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves f32 results of f16 arguments that a gate multiplies, and computes them in f16 lanes. The results are
 * judged as f16, although the gate uses them as f32. */
size_t piecewise_power_operands(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves bounds that no other shape keeps, by the formula in double words of f64. Later stages add
 * polynomials around roots. */
size_t extended_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Serves 0.5 ulp. Adds a polynomial near 0 whose sums and products leave nothing out, so that the term that
 * breaks a tie is seen. */
size_t started_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Adds polynomials of 1/x for large x, where the formula cancels. */
size_t ended_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Adds a polynomial near 0, where the formula cancels. Makes no candidate if the formula does not vanish at 0
 * like a power. */
size_t patched_candidates(struct candidate *out, size_t room, const struct shape_context *context);

#endif
