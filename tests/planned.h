/* A formula's piece with the plan that is found for it within 3 ulp. Include cmocka.h first. */
#ifndef ACTGEN_TEST_PLANNED_H
#define ACTGEN_TEST_PLANNED_H

#include "lower.h"
#include "plan.h"
#include "texts.h"

static inline int find_plan(void *context, struct plan **out, const struct plan_request *request,
                            struct diag *error)
{
    return plan_find(out, request, context, error);
}

/* Lowers the first kernel of the spec, which the result borrows. The planner plans its formulas for the
 * instruction set's profile. */
static inline struct lowered *lower_planned(const struct spec *s, const struct target_isa *isa)
{
    struct plan_search search = {text_new(expr_dag_memory(s->dag))};
    struct diag error = {0};
    struct lowered *l;
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = {.kind = BOUND_ULP, .value = 3},
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {find_plan, &search}};
    if (lower_kernel(&l, &request, &error)) fail_msg("%s", error.message);
    return l;
}

#endif
