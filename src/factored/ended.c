/* Finds where and to what a decaying function ends, and writes the choice of that end. */
#include "ended.h"
#include "segments.h"

#include <math.h>

struct ended ended_on_side(const struct shape_context *context, unsigned side)
{
    const struct traits_end *ends = traits_ends(context->traits);
    struct ended e = {.by_mask = false};
    for (unsigned i = 0; i < TRAITS_ENDS; i++)
        if (isinf(ends[i].x) && signbit(ends[i].x) == (side != 0) && ends[i].is_known) {
            e.by_mask = ends[i].value == 0 && plan_scale_is_one(context->request->costs);
            e.zero = ends[i].is_zero ? 0 : ends[i].value;
        }
    return e;
}

/* Returns t^k. It has the same bits with any libm, which pow has not. */
static double power_of(double t, unsigned k)
{
    double y = 1;
    while (k-- > 0) y *= t;
    return y;
}

double ended_last(const struct factor_side *side, unsigned power, double share, const struct ended *e)
{
    static const double step = 1 + 0x1p-8; /* Larger steps would go far beyond the end of segments. */
    double t = side->last;
    while (!e->by_mask &&
           share * power_of(t, power) * (double)factor_exponential(&side->q, t) > ENDED_QUIETLY)
        t = segments_rounded_up(step * t);
    return t;
}

lane_value ended_argument(const struct ended *e, lane_program *p, enum lane_op clamp, double last,
                          lane_value x, lane_value *beyond)
{
    const lane_value limit = lane_f32(p, last);
    *beyond = 0;
    if (!e->by_mask) return lane_binary(p, clamp, limit, x);
    *beyond = clamp == LANE_MIN ? lane_less(p, limit, x) : lane_less(p, x, limit);
    return x;
}

lane_value ended_value(lane_program *p, lane_value beyond, double zero, lane_value y)
{
    return beyond ? lane_select(p, beyond, lane_f32(p, zero), y) : y;
}
