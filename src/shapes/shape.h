/* What a shape is: a way of writing a function of one value as a lane program. A shape proposes candidates;
 * the search measures them and keeps the cheapest that is right. */
#ifndef ACTGEN_SHAPE_H
#define ACTGEN_SHAPE_H

#include "answers.h"
#include "cost.h"
#include "polynomial.h"
#include "reference.h"
#include "request.h"
#include "traits.h"

/* Writes a shape's value for `x`, both f64 where the request's argument is, f16 of a
 * candidate in halves, else f32; clears *possible where it cannot. */
typedef lane_value (*plan_builder)(void *shape, lane_program *p, lane_value x, bool *possible);

struct candidate {
    const char *shape, *description;
    plan_builder build;
    void *parameters;
    lane_program *program; /* made by candidate_finish */
    double cost;
    bool halves;         /* it computes in f16: of profiles that may */
    bool many_roundings; /* of about the result's last bit: BUDGET_ROUNDINGS_PLAIN; asked of f64 alone */
};

/* What extended_candidates share; zero at first. */
struct extended_parts {
    struct segments *tails[2]; /* see struct composer */
    struct f64_patch *patch;   /* around roots, */
    unsigned patch_count;      /* if there are any */
};

/* What a shape's candidates are made from. */
struct shape_context {
    const struct plan_request *request;
    arena *memory;
    /* What is known of the formula, and of the request's companions (NULL where they were not asked for yet),
     * and what was made of it: the same for all bounds and stages. */
    struct traits *traits, **companions;
    struct polynomial_cache *cache;
    struct extended_parts *extended;
    struct answers_asked *asked;
    unsigned stage;          /* of the search, see plan.c */
    struct answers *answers; /* that a 16-bit result of a 16-bit argument is to give; else NULL */
    const double *roots;     /* inputs next to changes of sign that the measurer has found; of f64 alone */
    unsigned root_count;
};

/* The program of the candidate with what it lacks: NaN in gives NaN out, infinities, zeros and (of f64) kinks
 * give what the formula as written tells. False if the shape cannot. */
bool candidate_finish(struct candidate *c, const struct shape_context *context);

/* Puts at most `room` finished candidates into `out`; returns how many. */
typedef size_t (*shape_candidates)(struct candidate *out, size_t room, const struct shape_context *context);

size_t composed_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For a bound in ulps, of what decays exponentially: logistic.c says what of. */
size_t logistic_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* exp(c x) by a table: exponential.c. */
size_t exponential_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Functions that logistic_candidates takes, with lookups: factored.c. For bounds in ulps in f32, for 0.5 ulp
 * in f64 lanes, and for f64. */
size_t factored_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* A function and its derivative from one table: factored_pair.c. Only with companions. */
size_t factored_pair_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For an absolute bound. */
size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Functions of |x| or of one side that settle, without segments: power plans for an absolute bound. */
size_t power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* Functions that power_candidates takes, by a quotient of polynomials; for ulp bounds where f settles at a
 * limit that is not 0. */
size_t rational_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For 16-bit results of 16-bit arguments. */
size_t piecewise_power_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For f32 results of f16 arguments, which gates multiply: in lanes of f16, whose results are judged as f16
 * though they are used as f32. */
size_t piecewise_power_operands(struct candidate *out, size_t room, const struct shape_context *context);
/* The formula in double words of f64: what nothing else keeps. In later stages with polynomials around roots.
 */
size_t extended_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* For 0.5 ulp: near 0 a polynomial whose sums and products leave nothing out, so that the term that breaks a
 * tie is seen. */
size_t started_candidates(struct candidate *out, size_t room, const struct shape_context *context);
/* A polynomial near 0, where the formula cancels; none if it does not vanish there like a power. */
size_t patched_candidates(struct candidate *out, size_t room, const struct shape_context *context);

#endif
