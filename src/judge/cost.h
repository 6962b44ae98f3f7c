/* The cost of a program. */
#ifndef ACTGEN_COST_H
#define ACTGEN_COST_H

#include "lane.h"
#include "target.h"

/* Returns the cycles per vector according to the cost table. This number only ranks programs. */
double plan_cost(const lane_program *p, const struct target_costs *costs);

/* Returns table size number i of the f32 tables that are worth plans of their own, as log2. The largest comes
 * first. Returns 0 after the last. */
unsigned plan_log2_entries(const struct target_profile *profile, const struct target_costs *costs,
                           unsigned i);
/* Returns whether several operations read a table of f32, and not one or two permutes. */
bool plan_lookup_is_dear(const struct target_costs *costs);
/* Returns whether one instruction multiplies by 2^n. A choice between its result and a constant then takes
 * nothing, because the instruction has a mask. */
bool plan_scale_is_one(const struct target_costs *costs);

#endif
