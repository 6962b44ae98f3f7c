/* What factored plans know of a function: factored.c makes them for one, factored_pair.c for a function and its
 * derivative. */
#ifndef ACTGEN_FACTORED_H
#define ACTGEN_FACTORED_H

#include "factored_exp.h"
#include "segments.h"

struct factored {
    struct factor f;
    unsigned side; /* 1: it is for x < 0 that f decays */
    bool mirrored; /* other side: slope x + constant + sign f(-x) */
    int sign;
    quad slope, constant;
    bool has_root;
    quad root; /* of t */
    struct factored_exp exp;
    struct segments rest;
    const struct target_costs *costs;
    bool careful; /* R times exp with one rounding less, for two operations */
};

static inline const struct factor_polynomial *factored_exponent(const struct factored *w)
{
    return &w->f.side[w->side].q;
}

/* Everything but `exp`, `rest` and what a plan chooses; false if the function is not of this form. */
bool factored_find(struct factored *w, const struct shape_context *context);

/* f from its decaying part and the line of the other side. Chosen, not added to max(x, 0): a zero keeps its sign. */
lane_value factored_joined(const struct factored *w, lane_program *p, lane_value x, lane_value part);

/* The entries of the largest table that the profile looks up cheaply. */
unsigned factored_log2_entries(const struct plan_request *r);

#endif
