/* Helpers of the shapes that join plans of parts of a formula. */
#ifndef ACTGEN_PARTS_H
#define ACTGEN_PARTS_H

#include "budget.h"
#include "shape.h"

enum { MOST_PART_STEPS = BUDGET_FACTOR_STEPS };

/* The bounds in ulps within which parts are planned, the loosest first. */
struct part_steps {
    double ulps[MOST_PART_STEPS];
    unsigned count;
};
struct part_steps part_steps_of(double most_ulps);

/* Plans a function of the piece's value, with results in f32. Returns false if there is no plan. */
bool part_plan(struct planned_part *out, const expr *formula, double ulps,
               const struct shape_context *context);

/* Returns whether the request has a bound in ulps of f32 lanes, which plans of parts can keep. */
bool part_suits(const struct plan_request *r);

#endif
