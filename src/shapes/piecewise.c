/* Piecewise plans: f(x) = base(x) + h (half_line.h), with h by segments (segments.h), in f32 and in f64. */
#include "budget.h"
#include "half_line.h"
#include "segments.h"
#include "shape.h"

#include <math.h>

struct piecewise {
    struct half_line f;
    struct segments h;
    /* Clamps the bits as an integer. A NaN then reaches the result through the base. */
    bool integer_clamp;
    /* h = t R, with R in two words by the segments. Only for an odd f without a base. */
    bool is_multiple;
};

/* -- code -- */

static lane_value piecewise_argument(const struct piecewise *w, lane_program *p, lane_value x)
{
    const double limit = w->h.limit;
    if (!w->integer_clamp) return half_line_clamped(p, &w->f, x, limit);
    lane_value bits = lane_unary(p, LANE_BITCAST, half_line_argument(p, &w->f, x));
    bits = lane_binary(p, LANE_IMIN, bits, lane_unary(p, LANE_BITCAST, lane_const(p, w->h.type, limit)));
    return lane_unary(p, LANE_BITCAST, bits);
}

/* Returns x R(|x|), for x clamped to the range of R. */
static lane_value build_multiple(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct piecewise *w = parameters;
    const lane_value most = lane_f32(p, w->h.limit), least = lane_f32(p, -w->h.limit);
    const lane_value v = lane_max(p, least, lane_min(p, most, x));
    const struct segments_parts parts = segments_build_parts(&w->h, p, lane_unary(p, LANE_ABS, v), x);
    const struct segments_words r = segments_words_of(p, &parts);
    (void)possible;
    return lane_fma(p, v, r.whole, lane_mul(p, v, r.rest));
}

static lane_value build_piecewise(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct piecewise *w = parameters;
    (void)possible;
    lane_value h = segments_build(&w->h, p, piecewise_argument(w, p, x), x);
    if (half_line_has_sign(&w->f)) h = lane_times_sign(p, h, x);
    return half_line_signed_result(p, &w->f, x, h);
}

/* -- candidates -- */

struct value_source {
    const struct half_line *f;
    reference *truth;
    unsigned side;
};

static bool piecewise_truth(void *context, double t, quad *out)
{
    const struct value_source *v = context;
    return half_line_value(out, v->f, v->truth, t, v->side);
}

/* Computes h(t) / t, which is a quad_function. */
static bool value_over_t(void *context, double t, quad *out)
{
    if (t == 0) t = 0x1p-70; /* The quotient hardly varies here. */
    const bool known = piecewise_truth(context, t, out);
    *out /= t;
    return known;
}

static bool set_side(struct segments_goal *goal, unsigned n, const struct half_line *f, reference *truth,
                     arena *memory)
{
    const unsigned side = half_line_side(f, n);
    struct value_source source = {f, truth, side};
    struct surrogate_request request = {.value = piecewise_truth,
                                        .context = &source,
                                        .high = goal->end,
                                        .tolerance = goal->wanted * 0x1p-6,
                                        .relative = goal->relative,
                                        .power = goal->vanishes};
    /* Errors count on the side whose h is fitted. */
    goal->side[n] = (struct segments_side){
        .slope = (double)f->slope[side] * (side ? -1 : 1), .constant = f->middle, .limit = f->limits[side]};
    goal->side[n].f = surrogate_make(&request, memory);
    return goal->side[n].f != NULL;
}

static void describe_piecewise(struct candidate *c, const struct piecewise *w, arena *memory)
{
    struct text t = text_new(memory);
    half_line_describe(&t, &w->f, false);
    if (w->is_multiple) text_add(&t, "h = t R, R in two words: ");
    segments_describe(&t, &w->h);
    text_add(&t, ", fit error %.2g", w->h.error);
    c->shape = "piecewise";
    c->description = t.data;
}

/* Returns the size of f64 tables. A table that no permute holds is read from memory, as in factored_f64.c. */
static unsigned entries_of_f64(const struct target_profile *profile)
{
    const unsigned most = profile->lookup_f64 ? profile->lookup_f64 : 64;
    unsigned log2_entries = 0;
    while (2u << log2_entries <= most && 2u << log2_entries <= SEGMENTS_MAX_ENTRIES) log2_entries++;
    return log2_entries;
}

static bool set_goal(struct segments_goal *goal, const struct half_line *f, bool relative, double error,
                     const struct shape_context *context)
{
    quad zero;
    const struct plan_request *r = context->request;
    const bool wide = r->piece.argument == ELEMENT_F64;
    /* The fit gets the error that the planner accepts, minus the rounding of the last sum. */
    const double unit = wide ? 0x1p-54 : 0x1p-25;
    const double last = half_line_has_base(f) || f->symmetry == SYMMETRY_POINT ? unit : 0;
    *goal = (struct segments_goal){.type = wide ? LANE_F64 : LANE_F32,
                                   .sides = f->symmetry == SYMMETRY_NONE ? 2 : 1};
    goal->end = f->end;
    goal->relative = relative;
    goal->wanted = BUDGET_SEGMENTS * error - last * (relative ? 2 : 1);
    goal->highest = SEGMENTS_MAX_DEGREE;
    if (!(goal->wanted > 0)) return false;
    goal->vanishes = relative && half_line_value(&zero, f, context->traits->fitted, 0, 0) && zero == 0;
    goal->log2_entries = wide ? entries_of_f64(&r->profile) : plan_log2_entries(&r->profile, r->costs, 0);
    if (goal->log2_entries < 3) return false;
    for (unsigned side = 0; side < goal->sides; side++)
        if (!set_side(goal, side, f, context->traits->fitted, context->memory)) return false;
    return true;
}

/* The most tables of 16 f64 that stay in AVX-512's registers. More tables are loaded for each vector.
 * Compared with plans within 2^-40, gelu, tanh and silu within 2^-44 took a quarter more time than their cost
 * says. */
enum { F64_TABLES_IN_REGISTERS = 10 };
static const double F64_LOADED = 1.25;

/* Adds candidates of h = t R. Near 0, h itself has the roundings of two products, and here only the last one.
 * Elsewhere the constant's second word saves a rounding. */
static size_t candidates_of_quotient(struct candidate *out, size_t room, const struct half_line *f,
                                     const struct shape_context *context)
{
    enum { MOST = 4 };
    const struct plan_request *r = context->request;
    const double ulps = judge_allowed(&r->piece.bound);
    if (f->symmetry != SYMMETRY_ODD || half_line_has_base(f) || ulps > BUDGET_WORDS_MOST) return 0;
    struct value_source source = {f, context->traits->fitted, 0};
    struct segments_goal goal = {.type = LANE_F32,
                                 .log2_entries = plan_log2_entries(&r->profile, r->costs, 0),
                                 .sides = 1,
                                 .end = f->end,
                                 .relative = true,
                                 .low_words = 1,
                                 .wanted = 0x1p-23 * fmax(BUDGET_WORDS_LEAST, (ulps - BUDGET_WORDS) / 2),
                                 .highest = SEGMENTS_MAX_DEGREE};
    const struct surrogate_request request = {.value = value_over_t,
                                              .context = &source,
                                              .high = goal.end,
                                              .tolerance = goal.wanted * 0x1p-6,
                                              .relative = true};
    size_t count = 0;
    if (goal.log2_entries < 3) return 0;
    goal.side[0] =
        (struct segments_side){.f = surrogate_make(&request, context->memory), .limit = f->limit / goal.end};
    struct segments *found = arena_alloc(context->memory, MOST * sizeof *found);
    const unsigned ways = goal.side[0].f ? segments_search(found, MOST, &goal, context->memory) : 0;
    for (unsigned i = 0; i < ways && count < room; i++) {
        struct piecewise *w = arena_alloc(context->memory, sizeof *w);
        *w = (struct piecewise){.f = *f, .h = found[i], .is_multiple = true};
        out[count] = (struct candidate){.build = build_multiple, .parameters = w};
        describe_piecewise(&out[count], w, context->memory);
        if (candidate_finish(&out[count], context)) count++;
    }
    return count;
}

/* Adds candidates of h by itself, with the tables of both sizes that take one permute. */
static size_t candidates_of_half_line(struct candidate *out, size_t room, const struct half_line *f,
                                      struct segments_goal *goal, const struct shape_context *context)
{
    enum { MOST = 8 };
    const struct plan_request *r = context->request;
    struct segments *found = arena_alloc(context->memory, 2 * MOST * sizeof *found);
    size_t count = 0;
    unsigned ways = segments_search(found, MOST, goal, context->memory);
    goal->log2_entries = goal->type == LANE_F32 ? plan_log2_entries(&r->profile, r->costs, 1) : 0;
    if (goal->log2_entries) ways += segments_search(found + ways, MOST, goal, context->memory);
    for (unsigned i = 0; i < ways; i++)
        for (int integer = 0;
             integer <= (half_line_has_base(f) && !half_line_is_one_sided(f)) && count < room; integer++) {
            struct piecewise *w = arena_alloc(context->memory, sizeof *w);
            *w = (struct piecewise){.f = *f, .h = found[i], .integer_clamp = integer == 1};
            w->h.mirrored = f->symmetry == SYMMETRY_LEFT;
            struct candidate *c = &out[count];
            *c = (struct candidate){.build = build_piecewise, .parameters = w, .many_roundings = true};
            describe_piecewise(c, w, context->memory);
            if (!candidate_finish(c, context)) continue;
            if (w->h.type == LANE_F64 && w->h.degree > F64_TABLES_IN_REGISTERS - 1) c->cost *= F64_LOADED;
            count++;
        }
    return count;
}

size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    const bool relative = request->piece.bound.kind != BOUND_ABS;
    /* One ulp is 2^-23 of y's binade, which is more than half of y. */
    const double error = judge_allowed(&request->piece.bound) * (relative ? 0x1p-23 : 1),
                 settled = relative ? BUDGET_SETTLED_ULPS : BUDGET_SETTLED;
    struct half_line f;
    struct segments_goal goal;
    if (context->traits->is_algebraic) return no_candidates(context, "piecewise", WHY_ALGEBRAIC);
    if (!request->profile.fma) return no_candidates(context, "piecewise", WHY_NO_FMA);
    if (request->piece.argument == ELEMENT_F64 && relative)
        return no_candidates(context, "piecewise", "in f64, it serves absolute bounds");
    if (!half_line_find(&f, context->traits, relative, settled * error))
        return no_candidates(context, "piecewise", WHY_NO_HALF_LINE);
    size_t count = relative ? candidates_of_quotient(out, room, &f, context) : 0;
    const bool has_goal = set_goal(&goal, &f, relative, error, context);
    if (has_goal) count += candidates_of_half_line(out + count, room - count, &f, &goal, context);
    if (count) return count;
    return no_candidates(context, "piecewise",
                         has_goal ? WHY_NO_FIT : "roundings leave no error for a table, or lookups no table");
}
