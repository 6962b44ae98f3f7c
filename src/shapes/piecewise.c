/* Piecewise plans: the candidates and their code around the segments. */
#include "piecewise.h"

#include <math.h>

struct piecewise {
    struct decomposition f;
    struct segments h;
    bool integer_clamp; /* by the bits, where a NaN gets through by the base */
};

static bool is_one_sided(const struct decomposition *f)
{
    return f->symmetry == SYMMETRY_LEFT || f->symmetry == SYMMETRY_RIGHT;
}

static bool has_base(const struct decomposition *f) { return f->slope[0] != 0 || f->slope[1] != 0; }

/* -- code -- */

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }

/* t; -t where only the left side counts. A NaN gets through the floating-point forms. */
static lane_value argument(const struct piecewise *w, lane_program *p, lane_value x)
{
    const double limit = w->h.limit;
    if (w->f.symmetry == SYMMETRY_LEFT)
        return lane_binary(p, LANE_MAX, number(p, -limit), lane_binary(p, LANE_MIN, number(p, 0), x));
    if (w->f.symmetry == SYMMETRY_RIGHT)
        return lane_binary(p, LANE_MIN, number(p, limit), lane_binary(p, LANE_MAX, number(p, 0), x));
    lane_value t = lane_unary(p, LANE_ABS, x);
    if (!w->integer_clamp) return lane_binary(p, LANE_MIN, number(p, limit), t);
    lane_value bits = lane_unary(p, LANE_BITCAST, t);
    bits = lane_binary(p, LANE_IMIN, bits, lane_unary(p, LANE_BITCAST, number(p, limit)));
    return lane_unary(p, LANE_BITCAST, bits);
}

/* h with x's sign. */
static lane_value signed_like(lane_program *p, lane_value h, lane_value x)
{
    lane_value sign =
        lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x), lane_const_bits(p, LANE_I32, 0x80000000));
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, lane_unary(p, LANE_BITCAST, h), sign));
}

/* sum + slope * x */
static lane_value add_slope(lane_program *p, lane_value sum, quad slope, lane_value x)
{
    if (slope == 0) return sum;
    if (slope == 1) return lane_binary(p, LANE_ADD, x, sum);
    return lane_fma(p, x, number(p, (double)slope), sum);
}

static lane_value with_base(const struct decomposition *f, lane_program *p, lane_value h, lane_value x)
{
    if (f->slope[0] == f->slope[1]) return add_slope(p, h, f->slope[0], x);
    if (f->slope[0] == -f->slope[1]) return add_slope(p, h, f->slope[0], lane_unary(p, LANE_ABS, x));
    lane_value zero = number(p, 0);
    if (f->slope[0] != 0) h = add_slope(p, h, f->slope[0], lane_binary(p, LANE_MAX, zero, x));
    if (f->slope[1] != 0) h = add_slope(p, h, f->slope[1], lane_binary(p, LANE_MIN, zero, x));
    return h;
}

static lane_value build_piecewise(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct piecewise *w = parameters;
    (void)possible;
    lane_value h = segments_build(&w->h, p, argument(w, p, x), x);
    if (w->f.symmetry == SYMMETRY_ODD || w->f.symmetry == SYMMETRY_POINT) h = signed_like(p, h, x);
    if (w->f.symmetry == SYMMETRY_POINT) return lane_binary(p, LANE_ADD, h, number(p, w->f.middle));
    return with_base(&w->f, p, h, x);
}

/* -- candidates -- */

struct value_source {
    const struct decomposition *f;
    reference *truth;
    unsigned side;
};

static bool value_of(void *context, double t, quad *out)
{
    const struct value_source *v = context;
    return piecewise_value(out, v->f, v->truth, t, v->side);
}

static bool set_side(struct segments_goal *goal, unsigned n, const struct decomposition *f, reference *truth,
                     arena *memory)
{
    const unsigned side = f->symmetry == SYMMETRY_LEFT ? 1 : n;
    struct value_source source = {f, truth, side};
    struct surrogate_request request = {.value = value_of,
                                        .context = &source,
                                        .low = 0,
                                        .high = goal->end,
                                        .tolerance = goal->wanted * 0x1p-6,
                                        .relative = goal->relative,
                                        .power = goal->vanishes};
    /* Errors count against the side that has less of a base. */
    const bool even = f->symmetry == SYMMETRY_EVEN && quad_abs(f->slope[1]) < quad_abs(f->slope[0]);
    const unsigned base = even ? 1 : side;
    goal->side[n] = (struct segments_side){
        .slope = (double)f->slope[base] * (base ? -1 : 1), .constant = f->middle, .limit = f->limit[base]};
    goal->side[n].f = surrogate_make(&request, memory);
    return goal->side[n].f != NULL;
}

static void describe(struct candidate *c, const struct piecewise *w, arena *memory)
{
    static const char *const symmetries[] = {"two-sided", "even", "odd", "point", "right", "left"};
    struct text t = text_new(memory);
    const double right = (double)w->f.slope[0], left = (double)w->f.slope[1];
    if (right != 0 || left != 0) text_add(&t, "%g max(x,0) + %g min(x,0) + ", right, left);
    text_add(&t, "h, %s, ", symmetries[w->f.symmetry]);
    segments_describe(&t, &w->h);
    text_add(&t, ", fit error %.2g", w->h.error);
    c->shape = "piecewise";
    c->description = t.data;
}

static bool set_goal(struct segments_goal *goal, const struct decomposition *f,
                     const struct decomposed_bound *bound, const struct shape_context *context)
{
    quad zero;
    /* What the planner accepts, less the rounding of the last sum. */
    const double last = has_base(f) || f->symmetry == SYMMETRY_POINT ? 0x1p-25 : 0;
    *goal = (struct segments_goal){.type = LANE_F32, .sides = f->symmetry == SYMMETRY_NONE ? 2 : 1};
    goal->end = f->end;
    goal->relative = bound->relative;
    goal->wanted = bound->error * 0.75 - last * (bound->relative ? 2 : 1);
    goal->highest = SEGMENTS_MAX_DEGREE;
    if (!(goal->wanted > 0)) return false;
    goal->vanishes = bound->relative && piecewise_value(&zero, f, context->fitted, 0, 0) && zero == 0;
    while (2u << goal->log2_entries <= context->request->profile.lookup_f32 &&
           2u << goal->log2_entries <= SEGMENTS_MAX_ENTRIES)
        goal->log2_entries++;
    if (goal->log2_entries < 3) return false;
    for (unsigned side = 0; side < goal->sides; side++)
        if (!set_side(goal, side, f, context->fitted, context->memory)) return false;
    return true;
}

size_t piecewise_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    enum { MOST = 8 };
    const struct plan_request *request = context->request;
    struct decomposed_bound bound = {request->bound.kind != BOUND_ABS, judge_allowed(&request->bound)};
    struct decomposition f;
    struct segments_goal goal;
    size_t count = 0;
    if (bound.relative) bound.error *= 0x1p-23;
    if (context->algebraic || !request->profile.fma || !piecewise_decompose(&f, context->fitted, bound) ||
        !set_goal(&goal, &f, &bound, context))
        return 0;
    struct segments *found = arena_alloc(context->memory, MOST * sizeof *found);
    unsigned ways = segments_search(found, MOST, &goal, context->memory);
    for (unsigned i = 0; i < ways; i++)
        for (int integer = 0; integer <= (has_base(&f) && !is_one_sided(&f)) && count < room; integer++) {
            struct piecewise *w = arena_alloc(context->memory, sizeof *w);
            *w = (struct piecewise){f, found[i], integer == 1};
            w->h.mirrored = f.symmetry == SYMMETRY_LEFT;
            struct candidate *c = &out[count];
            *c = (struct candidate){.build = build_piecewise, .parameters = w};
            describe(c, w, context->memory);
            count += candidate_finish(c, request, context->truth);
        }
    return count;
}
