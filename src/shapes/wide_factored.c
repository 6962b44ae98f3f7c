/* Factored plans in f64 lanes, for correct rounding: f = x^m exp(q(t)) W(t), t = |x|, on the side where f decays, and
 * from there on the other:
 *
 *     f(x) - f(-x) = x    ->  f = max(x, 0) + h(t)
 *     f(x) + f(-x) = c    ->  f = h(t), or c - h(t)
 *
 * x has 24 bits, so that x^2 is exact in f64, and so are the exponent's products with coefficients of few bits. */
#include "wide_factored.h"
#include "segments.h"

#include <math.h>
#include <string.h>

enum form { FORM_RAMP, FORM_POINT };

struct wide_factored {
    enum form form;
    bool negative; /* the side that decays */
    double sum;    /* c */
    unsigned power;
    double last, settled; /* of t: h is as good as 0; W as good as constant */
    double limit;         /* of W's size: see find_limit; 0: none */
    struct wide_exp exponential;
    struct segments rest;
    reference *truth;
};

static bool find_form(struct wide_factored *w)
{
    struct symmetry s;
    if (!symmetry_find(&s, w->truth)) return false;
    const bool ramp = w->negative && line_is(&s.difference, 1, 0);
    w->form = ramp ? FORM_RAMP : FORM_POINT;
    w->sum = (double)s.sum.constant;
    return ramp || line_is(&s.sum, 0, w->sum);
}

/* W at t. */
static bool rest_at(void *context, double t, quad *out)
{
    const struct wide_factored *w = context;
    if (!formula_value(out, w->truth, w->negative ? -t : t)) return false;
    *out /= wide_exp_value(&w->exponential, t);
    for (unsigned i = 0; i < w->power; i++) *out /= t;
    return true;
}

/* For tiny t, W is W(0) in f64, but f = x + t W(0) + d x^2 must not be a tie where x + t W(0) is one. If W shrinks
 * everywhere, it is kept below W(0) in size by two units of the last place, which all W beyond 2^-50 are anyway. One unit
 * would not do for the smallest x, whose half is a tie and a power of two. The exponential must not count yet: q begins
 * with t^2. */
static void find_limit(struct wide_factored *w, const struct factor_polynomial *q)
{
    enum { FIRST = -44, STEPS = 192, PER_OCTAVE = 4 };
    quad value, before;
    w->limit = 0;
    if (w->form != FORM_RAMP || w->power != 1 || q->coefficient[1] != 0 || !rest_at(w, 0x1p-140, &value))
        return;
    const double limit = (double)(float)value;
    if (quad_abs(value - limit) > fabs(limit) * (quad)0x1p-90) return;
    before = quad_abs(limit);
    for (int i = 0; i < STEPS; i++) {
        const double t = ldexp(1 + (double)(i % PER_OCTAVE) / (double)PER_OCTAVE, FIRST + i / PER_OCTAVE);
        if (t > w->last) break;
        if (!rest_at(w, t, &value) || (value < 0) != (limit < 0) || quad_abs(value) >= before) return;
        before = quad_abs(value);
    }
    w->limit = limit * (1 - 0x1p-52);
}

static lane_value build(void *parameters, lane_program *p, lane_value x32, bool *possible)
{
    const struct wide_factored *w = parameters;
    const lane_value x = lane_unary(p, LANE_WIDEN, x32), zero = lane_const(p, LANE_F64, 0);
    const lane_value t =
        lane_binary(p, LANE_MIN, lane_const(p, LANE_F64, w->last), lane_unary(p, LANE_ABS, x));
    lane_value near = t, h = wide_exp_build(&w->exponential, p, t), base;
    (void)possible;
    if (w->settled < w->last) near = lane_binary(p, LANE_MIN, lane_const(p, LANE_F64, w->settled), t);
    for (unsigned i = 0; i < w->power; i++) h = lane_binary(p, LANE_MUL, h, t);
    lane_value rest = segments_build_halves(&w->rest, p, near);
    if (w->limit != 0)
        rest = lane_binary(p, w->limit < 0 ? LANE_MAX : LANE_MIN, lane_const(p, LANE_F64, w->limit), rest);
    if (w->form == FORM_RAMP) {
        base = lane_binary(p, LANE_MAX, zero, x);
    } else {
        const lane_value sum = lane_const(p, LANE_F64, w->sum), below = lane_binary(p, LANE_LT, x, zero);
        const lane_value minus = lane_unary(p, LANE_NEG, h);
        h = lane_select(p, below, w->negative ? h : minus, w->negative ? minus : h);
        base = w->negative ? lane_select(p, below, zero, sum) : lane_select(p, below, sum, zero);
    }
    return lane_unary(p, LANE_NARROW, lane_fma(p, h, rest, base));
}

static bool make(struct wide_factored *w, const struct factor *f, const struct shape_context *context)
{
    w->negative = f->side[1].decays;
    w->truth = context->fitted;
    w->power = f->power;
    w->last = f->side[w->negative].last;
    if (!find_form(w) || !wide_exp_find(&w->exponential, &f->side[w->negative].q)) return false;
    find_limit(w, &f->side[w->negative].q);
    w->settled = settled_from(rest_at, w, w->last);
    const struct segments_goal_exact goal = {.value = rest_at,
                                             .context = w,
                                             .end = w->settled,
                                             .log2_entries = WIDE_LOG2_ENTRIES,
                                             .variable = VARIABLE_DISTANCE,
                                             .divides = true,
                                             .most_terms = 17,
                                             .wanted = 0x1p-55};
    return segments_search_exact(&w->rest, &goal, context->memory);
}

size_t wide_factored_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    struct factor f;
    const bool suits =
        request->profile.fma && request->profile.lookup_f64 >= WIDE_ENTRIES && !context->algebraic;
    if (!room || !suits || !judge_is_exact(&request->bound) || !factor_find(&f, context)) return 0;
    struct wide_factored *w = arena_alloc(context->memory, sizeof *w);
    if (!make(w, &f, context)) return 0;
    struct text t = text_new(context->memory);
    text_add(&t, "%s, h = x^%u exp(q) W; W: ", w->form == FORM_RAMP ? "max(x,0) + h" : "h, c - h", w->power);
    segments_describe(&t, &w->rest);
    text_add(&t, ", fit error %.2g", w->rest.error);
    *out =
        (struct candidate){.shape = "wide factored", .description = t.data, .build = build, .parameters = w};
    return candidate_finish(out, request, context->truth);
}
