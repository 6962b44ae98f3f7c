/* What a program costs. */
#ifndef ACTGEN_COST_H
#define ACTGEN_COST_H

#include "lane.h"
#include "target.h"

/* Cycles a vector by the cost table: for ranking programs only. */
double plan_cost(const lane_program *p, const struct target_costs *costs);

#endif
