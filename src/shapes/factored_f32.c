/* Factored plans in f32: the exponent in two floats, R in segments of f32, perhaps another R for the other side. */
#include "budget.h"
#include "factored.h"

#include <math.h>

/* -- R -- */

static bool fits_f32(double c) { return c == (double)(float)c; }

static bool suits(const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    return r->bound.kind != BOUND_ABS && !judge_is_exact(&r->bound) && r->profile.fma &&
           r->argument != ELEMENT_F64 && r->result != ELEMENT_F64;
}

const struct factor *factored_of_f32(const struct shape_context *context)
{
    const bool may_be =
        !context->traits->is_algebraic && suits(context) && context->request->profile.lookup_f32 >= 8;
    const struct factor *f = may_be ? traits_factor_part(context->traits) : NULL;
    return f && fits_f32(f->line.slope) && fits_f32(f->line.constant) ? f : NULL;
}

/* What the table's error may be, in ulps: see BUDGET_FACTORED. */
static double ulps_of(const struct shape_context *context)
{
    return fmax(BUDGET_FACTORED_LEAST, judge_allowed(&context->request->bound) - BUDGET_FACTORED);
}

static bool set_exponent(struct factored *w, struct factor_polynomial *q, const struct shape_context *context)
{
    if (w->centre != 0 && !factored_exp_suits(q, false))
        return false; /* of one term: see factored_exp_build */
    return fits_f32(w->f.line.slope) && fits_f32(w->f.line.constant) &&
           factored_exp_fit(&w->exp, q, 0, false, 0x1p-25 * ulps_of(context));
}

static bool set_side(struct segments_goal *goal, unsigned n, struct factor_rest rest, bool other,
                     arena *memory)
{
    if (other) rest.side = !rest.side, rest.beside_line = true, rest.has_root = false;
    struct surrogate_request request = {
        .value = factor_rest_at, .context = &rest, .high = goal->end, .tolerance = 0x1p-40};
    request.relative = !other; /* beside the line an error of R counts less than in R's own ulps */
    goal->side[n] = (struct segments_side){.f = surrogate_make(&request, memory), .limit = (double)NAN};
    if (goal->side[n].f && other)
        goal->side[n].constant = 2 * fmax(1, fabs(surrogate_at(goal->side[n].f, 0)));
    return goal->side[n].f != NULL;
}

static unsigned fit(struct segments found[FACTORED_MOST_RESTS], struct factored *w, struct factor_rest *rest,
                    const struct shape_context *context)
{
    const bool mirrors = w->f.line.mirrors;
    const unsigned own = mirrors ? 0 : w->f.own;
    const unsigned entries = context->request->profile.lookup_f32;
    if (!mirrors && entries < 2) return 0; /* what is told by the side is looked up */
    struct segments_goal goal = {.type = LANE_F32,
                                 .divides =
                                     plan_lookup_is_dear(context->request->costs), /* than all of them */
                                 .sides = mirrors ? 1 : 2,
                                 .end = w->last,
                                 .relative = true,
                                 .wanted = 0x1p-23 * ulps_of(context),
                                 .highest = SEGMENTS_MAX_DEGREE};
    if (!set_side(&goal, own, *rest, false, context->memory) ||
        (!mirrors && !set_side(&goal, 1 - own, *rest, true, context->memory)))
        return 0;
    if (entries < 8) return segments_search(found, FACTORED_MOST_RESTS, &goal, context->memory);
    unsigned count = 0;
    const struct plan_request *r = context->request;
    for (unsigned i = 0; (goal.log2_entries = plan_log2_entries(&r->profile, r->costs, i)); i++) {
        const bool is_last = !plan_log2_entries(&r->profile, r->costs, i + 1);
        const unsigned room = is_last ? FACTORED_MOST_RESTS - count : FACTORED_MOST_RESTS / 2;
        count += segments_search(found + count, room, &goal, context->memory);
    }
    return count;
}

/* -- code -- */

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
static lane_value mul(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_MUL, a, b); }

/* R (1 + fraction). The careful way adds R's largest part last: c + (rest + R fraction), R = c + rest. Where R has a part that
 * rounding lost, that is added with R fraction, and the first power of v is multiplied in with the same rounding. */
static lane_value exponential_times_rest(const struct factored *w, lane_program *p,
                                         struct factored_argument a, lane_value fraction, unsigned *power)
{
    const lane_value x = a.x, t = a.t;
    *power = w->f.power;
    if (w->rest.index != INDEX_RECIPROCAL && (!w->care || !w->rest.degree)) {
        const lane_value rest = segments_build(&w->rest, p, t, x);
        return lane_fma(p, rest, fraction, rest);
    }
    const struct segments_parts r = segments_build_parts(&w->rest, p, t, x);
    const lane_value whole = lane_fma(p, r.slope, r.variable, r.constant);
    if (r.rest) {
        const lane_value low = lane_fma(p, whole, fraction, r.rest);
        if (!*power) return lane_binary(p, LANE_ADD, whole, low);
        --*power;
        return lane_fma(p, whole, a.v, mul(p, low, a.v));
    }
    const lane_value small = lane_fma(p, whole, fraction, mul(p, r.slope, r.variable));
    return lane_binary(p, LANE_ADD, r.constant, small);
}

/* y (t - root); the other side has no root. The careful way keeps what t - high loses away from the root. */
static lane_value times_distance(const struct factored *w, lane_program *p, lane_value x, lane_value t,
                                 lane_value y)
{
    const double high = (double)(float)w->f.root;
    const lane_value root = number(p, high), low = number(p, (double)(w->f.root - (quad)high));
    const lane_value is_own = w->f.line.mirrors ? 0 : lane_binary(p, LANE_LT, x, number(p, 0));
    const lane_value far = lane_binary(p, LANE_SUB, t, root);
    lane_value distance = lane_binary(p, LANE_SUB, far, low), rest = 0;
    if (w->care) {
        const lane_value back = lane_binary(p, LANE_SUB, far, t), mine = lane_binary(p, LANE_SUB, far, back);
        const lane_value lost =
            lane_binary(p, LANE_SUB, lane_binary(p, LANE_SUB, t, mine), lane_binary(p, LANE_ADD, root, back));
        distance = far;
        rest = lane_binary(p, LANE_SUB, lost, low);
    }
    if (!w->f.line.mirrors) {
        const lane_value one = number(p, 1), none = number(p, 0);
        distance = w->f.own ? lane_select(p, is_own, distance, one) : lane_select(p, is_own, one, distance);
        if (w->care)
            rest = w->f.own ? lane_select(p, is_own, rest, none) : lane_select(p, is_own, none, rest);
    }
    return w->care ? lane_fma(p, y, distance, mul(p, y, rest)) : mul(p, y, distance);
}

static struct factored_part part(const struct factored *w, lane_program *p, struct factored_argument a)
{
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){a.t, a.x, a.low}, w->costs);
    unsigned power; /* that is left */
    lane_value y = exponential_times_rest(w, p, a, e.fraction, &power);
    for (; power > 0; power--) y = mul(p, y, a.v);
    if (w->f.has_root) y = times_distance(w, p, a.x, a.t, y);
    return (struct factored_part){.value = factored_scale(&e.scale, p, y)};
}

const struct factored_arithmetic factored_f32 = {
    .shape = "factored",
    .care = {"", ", multiplied with care"},
    .suits = suits,
    .set_exponent = set_exponent,
    .fit = fit,
    .part = part,
    .centres = true,
};
