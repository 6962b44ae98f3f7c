/* What a program costs. */
#ifndef ACTGEN_COST_H
#define ACTGEN_COST_H

#include "lane.h"
#include "target.h"

/* Cycles a vector by the cost table: for ranking programs only. */
double plan_cost(const lane_program *p, const struct target_costs *costs);

/* The sizes of tables of f32 that are worth plans of their own, as log2, the largest first; 0 past the last.
 */
unsigned plan_log2_entries(const struct target_profile *profile, const struct target_costs *costs,
                           unsigned i);
/* Whether a table of f32 is read by several operations, not by one permute or two. */
bool plan_lookup_is_dear(const struct target_costs *costs);

#endif
