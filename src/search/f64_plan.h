/* Plans of functions of f64 with f64 results; plan_find calls f64_plan_find for them. */
#ifndef ACTGEN_F64_PLAN_H
#define ACTGEN_F64_PLAN_H

#include "f64_sample.h"
#include "shortfall.h"

/* The sample that searches are made on, with references of its own. NULL without memory. The request's arena. */
struct f64_sample *f64_plan_ground(const struct plan_request *request);
void f64_plan_ground_free(struct f64_sample *sample);
/* A plan_finder, whose ground is the sample. */
int f64_plan_find(struct plan **out, void *ground, const struct plan_request *request,
                  struct plan_search *search, struct shortfall *why, struct diag *error);

#endif
