/* Parts of the programs of logistic.c and logistic_product.c, and the errors that both try. */
#include "budget.h"
#include "logistic.h"

#include <float.h>

struct logistic_argument logistic_argument(lane_program *p, lane_value v, double low, double high,
                                           struct ended end)
{
    struct logistic_argument a;
    a.above = ended_argument(&end, p, LANE_MAX, low, v, &a.beyond);
    a.held = lane_min(p, lane_f32(p, high), a.above);
    return a;
}

double logistic_end(const struct factor_polynomial *q, unsigned power, double least)
{
    double t = 1;
    while ((quad)(power ? t : 1) * factor_exponential(q, t) > (quad)least) t += 0.25;
    return t;
}

lane_value logistic_careful_quotient(lane_program *p, lane_value top, lane_value beyond, lane_value bottom,
                                     lane_value lost, bool may_overflow)
{
    const lane_value inverse = lane_binary(p, LANE_DIV, lane_f32(p, 1), bottom);
    const lane_value y = lane_mul(p, top, inverse), opposite = lane_unary(p, LANE_NEG, y);
    lane_value left = lane_plus_product(p, top, opposite, bottom);
    if (beyond) left = lane_add(p, left, beyond);
    left = lane_fma(p, opposite, lost, left);
    /* min returns its second operand where the first one is NaN. */
    if (may_overflow) left = lane_min(p, left, lane_f32(p, FLT_MAX));
    return lane_fma(p, left, inverse, y);
}

double logistic_part_of_bound(const struct shape_context *context, double part)
{
    return part * 0x1p-24 * judge_allowed(&context->request->piece.bound);
}

struct logistic_errors logistic_errors_in_ulps(const struct shape_context *context)
{
    static const double strict[LOGISTIC_MOST_ERRORS - 1] = BUDGET_LOGISTICS;
    const double own = logistic_part_of_bound(context, BUDGET_LOGISTIC_ULPS);
    struct logistic_errors e = {.count = 0};
    if (own > strict[0]) e.list[e.count++] = own;
    for (unsigned i = 0; i < LOGISTIC_MOST_ERRORS - 1; i++) e.list[e.count++] = strict[i];
    return e;
}
