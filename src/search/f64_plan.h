/* Plans of functions of f64 with f64 results; plan_find calls f64_plan_find for them. */
#ifndef ACTGEN_F64_PLAN_H
#define ACTGEN_F64_PLAN_H

#include "shortfall.h"

/* A plan_finder. */
int f64_plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
                  struct shortfall *why, struct diag *error);

#endif
