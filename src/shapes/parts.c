/* Plans parts of a formula, within bounds of a list. */
#include "parts.h"

struct part_steps part_steps_of(double most_ulps)
{
    static const double all[] = BUDGET_FACTORS;
    struct part_steps s = {.count = 0};
    for (unsigned i = 0; i < sizeof all / sizeof *all && s.count < MOST_PART_STEPS; i++)
        if (all[i] <= most_ulps) s.ulps[s.count++] = all[i];
    return s;
}

bool part_plan(struct planned_part *out, const expr *formula, double ulps,
               const struct shape_context *context)
{
    struct piece piece = context->request->piece;
    piece.written = piece.simplified = formula;
    piece.result = ELEMENT_F32;
    piece.bound.kind = BOUND_ULP;
    piece.bound.value = ulps;
    return context->parts->plan(out, context->parts->context, &piece, true);
}

bool part_suits(const struct plan_request *r)
{
    return r->piece.argument != ELEMENT_F64 && r->piece.bound.kind != BOUND_ABS &&
           !judge_is_exact(&r->piece.bound);
}
