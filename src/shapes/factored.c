/* Factored plans whose R goes by segments: f(x) = v^m * exp(q(t)) * R(t) on a side where f decays, t = |x|, v = +-t.
 *
 * On the other side f is a straight line plus or minus the same (gelu(x) = x + gelu(-x), the derivative of gelu is 1
 * minus its mirror image, exp(-x^2) is even), or plus another such term with an R of its own (mish). A root of f on the
 * decaying side is a factor (t - high) - low, with what is left as R. The power of two comes last. */
#include "factored.h"
#include "budget.h"

#include <math.h>

/* -- what f is made of -- */

static bool fits_f32(quad c) { return c == (quad)(float)c; }

/* The line that f(x) - sign f(-x) is on the other side, if it is one. */
static bool find_mirror(struct factored *w, reference *truth)
{
    struct symmetry s;
    if (!symmetry_find(&s, truth)) return false;
    const bool even = s.difference.known;
    const struct line *line = even ? &s.difference : &s.sum;
    w->sign = even ? 1 : -1;
    w->slope = w->side || even ? line->slope : -line->slope;
    w->constant = w->side || !even ? line->constant : -line->constant;
    return line->known && fits_f32(w->slope) && fits_f32(w->constant);
}

/* The line that f approaches on the other side. */
static bool find_asymptote(struct factored *w, reference *truth)
{
    struct line line;
    if (!asymptote_find(&line, truth, !w->side)) return false;
    w->slope = line.slope;
    w->constant = line.constant;
    return fits_f32(w->slope) && fits_f32(w->constant);
}

/* The one change of sign on the decaying side, by halving. False if there are several. */
static bool find_root(struct factored *w, reference *truth)
{
    enum { STEPS = 48, HALVINGS = 110 };
    const double last = w->f.side[w->side].last, direction = w->side ? -1 : 1;
    quad value, before;
    double low = 0, high = 0;
    if (!formula_value(&before, truth, direction * last / 1024)) return false;
    for (int i = 1; i < STEPS; i++) {
        const double t = last * i / (double)STEPS;
        if (!formula_value(&value, truth, direction * t)) return false;
        if ((value < 0) == (before < 0)) continue;
        if (w->has_root) return false;
        w->has_root = true;
        low = i == 1 ? last / 1024 : last * (i - 1) / (double)STEPS;
        high = t;
        before = value;
    }
    if (!w->has_root) return true;
    if (!formula_value(&before, truth, direction * low)) return false;
    for (int i = 0; i < HALVINGS && nextafter(low, high) < high; i++) {
        const double middle = (low + high) / 2;
        if (!formula_value(&value, truth, direction * middle)) return false;
        *((value < 0) == (before < 0) ? &low : &high) = middle;
    }
    /* The rest by a secant between neighbouring doubles, to 100 bits. */
    if (!formula_value(&before, truth, direction * low) || !formula_value(&value, truth, direction * high))
        return false;
    w->root = (quad)low + ((quad)high - low) * (before / (before - value));
    return true;
}

bool factored_find(struct factored *w, const struct shape_context *context)
{
    reference *truth = context->fitted;
    if (!factor_find(&w->f, context)) return false;
    w->side = w->f.side[1].decays;
    w->mirrored = find_mirror(w, truth);
    if (!w->mirrored && w->f.side[0].decays && w->f.side[1].decays) return false;
    if (!w->mirrored && !find_asymptote(w, truth)) return false;
    return find_root(w, truth);
}

/* -- R -- */

struct rest_source {
    const struct factored *w;
    reference *truth;
    bool other;
};

/* f less its line, with enough bits for what is left of it; 0 where that no longer counts. */
static bool beside_line(quad *out, const struct factored *w, reference *truth, double x, quad size)
{
    enum { BITS = 80, LEAST_EXPONENT = -64 };
    const quad line = w->slope * x + w->constant;
    int exponent;
    frexp((double)(size / (quad_abs(line) + (quad)0x1p-100)), &exponent);
    mpfr_t value;
    mpfr_init2(value, BITS + 6 + (exponent < 0 ? -exponent : 0));
    const unsigned bits = (unsigned)(mpfr_get_prec(value) - 6);
    const bool known = bits < 2000 && reference_precise(truth, &x, bits, value) == REFERENCE_DECIDED;
    if (known) {
        mpfr_sub_d(value, value, (double)line, MPFR_RNDN); /* the line is exact in a double: see fits_f32 */
        *out = quad_of_mpfr(value);
    }
    mpfr_clear(value);
    return known;
}

static bool rest_at(void *context, double t, quad *out)
{
    const struct rest_source *s = context;
    const struct factored *w = s->w;
    const double v = w->side ? -t : t;
    const quad size = factor_exponential(factored_exponent(w), t) * quad_power(v, w->f.power);
    if (s->other) {
        if (!beside_line(out, w, s->truth, -v, quad_abs(size))) return false;
        *out /= size;
        return true;
    }
    if (!formula_value(out, s->truth, v)) return false;
    *out /= size;
    if (w->has_root) *out /= t - w->root;
    return true;
}

static bool set_side(struct segments_goal *goal, unsigned n, const struct factored *w, bool other,
                     const struct shape_context *context)
{
    struct rest_source source = {w, context->fitted, other};
    struct surrogate_request request = {
        .value = rest_at, .context = &source, .low = 0, .high = goal->end, .tolerance = 0x1p-40};
    request.relative = !other; /* beside the line an error of R counts less than in R's own ulps */
    goal->side[n].f = surrogate_make(&request, context->memory);
    if (!goal->side[n].f) return false;
    goal->side[n].limit = (double)NAN;
    goal->side[n].constant = other ? 2 * fmax(1, fabs(surrogate_at(goal->side[n].f, 0))) : 0;
    return true;
}

/* -- code -- */

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }
static lane_value mul(lane_program *p, lane_value a, lane_value b) { return lane_binary(p, LANE_MUL, a, b); }

/* R (1 + fraction). The careful way adds R's largest part last: c + (rest + R fraction), R = c + rest. */
static lane_value exponential_times_rest(const struct factored *w, lane_program *p, lane_value x,
                                         lane_value t, lane_value fraction)
{
    if (!w->careful) {
        const lane_value rest = segments_build(&w->rest, p, t, x);
        return lane_fma(p, rest, fraction, rest);
    }
    const struct segments_parts r = segments_build_parts(&w->rest, p, t, x);
    const lane_value whole = lane_fma(p, r.slope, r.variable, r.constant);
    const lane_value small = lane_fma(p, whole, fraction, mul(p, r.slope, r.variable));
    return lane_binary(p, LANE_ADD, r.constant, small);
}

/* y (t - root); the other side has no root. The careful way keeps what t - high loses away from the root. */
static lane_value times_distance(const struct factored *w, lane_program *p, lane_value x, lane_value t,
                                 lane_value y)
{
    const double high = (double)(float)w->root;
    const lane_value root = number(p, high), low = number(p, (double)(w->root - (quad)high));
    const lane_value is_own = w->mirrored ? 0 : lane_binary(p, LANE_LT, x, number(p, 0));
    const lane_value far = lane_binary(p, LANE_SUB, t, root);
    lane_value distance = lane_binary(p, LANE_SUB, far, low), rest = 0;
    if (w->careful) {
        const lane_value back = lane_binary(p, LANE_SUB, far, t), mine = lane_binary(p, LANE_SUB, far, back);
        const lane_value lost =
            lane_binary(p, LANE_SUB, lane_binary(p, LANE_SUB, t, mine), lane_binary(p, LANE_ADD, root, back));
        distance = far;
        rest = lane_binary(p, LANE_SUB, lost, low);
    }
    if (!w->mirrored) {
        const lane_value one = number(p, 1), none = number(p, 0);
        distance = w->side ? lane_select(p, is_own, distance, one) : lane_select(p, is_own, one, distance);
        if (w->careful)
            rest = w->side ? lane_select(p, is_own, rest, none) : lane_select(p, is_own, none, rest);
    }
    return w->careful ? lane_fma(p, y, distance, mul(p, y, rest)) : mul(p, y, distance);
}

/* v^m (1 + fraction) R (t - root) */
static lane_value mantissa(const struct factored *w, lane_program *p, lane_value x, lane_value v,
                           lane_value t, lane_value fraction)
{
    lane_value y = exponential_times_rest(w, p, x, t, fraction);
    for (unsigned k = 0; k < w->f.power; k++) y = mul(p, y, v);
    return w->has_root ? times_distance(w, p, x, t, y) : y;
}

lane_value factored_joined(const struct factored *w, lane_program *p, lane_value x, lane_value part)
{
    const lane_value zero = number(p, 0);
    const bool odd = w->mirrored && w->sign < 0 && w->slope == 0 && w->constant == 0;
    if (odd && w->f.power % 2) return part; /* v carries the sign */
    if (w->slope == 0 && w->constant == 0 && !odd) return part;
    lane_value line = number(p, (double)w->constant);
    if (w->slope == 1 && w->constant == 0)
        line = x;
    else if (w->slope != 0)
        line = lane_fma(p, x, number(p, (double)w->slope), line);
    const bool minus = w->mirrored && w->sign < 0;
    const lane_value other =
        odd ? lane_unary(p, LANE_NEG, part) : lane_binary(p, minus ? LANE_SUB : LANE_ADD, line, part);
    const lane_value is_negative = lane_binary(p, LANE_LT, x, zero);
    return w->side ? lane_select(p, is_negative, part, other) : lane_select(p, is_negative, other, part);
}

static lane_value build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct factored *w = parameters;
    const double last = fmin(w->f.side[w->side].last, w->rest.limit);
    const bool odd = w->mirrored && w->sign < 0 && w->slope == 0 && w->constant == 0 && w->f.power % 2;
    (void)possible;
    const lane_value t = lane_binary(p, LANE_MIN, number(p, last), lane_unary(p, LANE_ABS, x));
    lane_value v = w->side ? lane_unary(p, LANE_NEG, t) : t;
    if (odd) v = lane_binary(p, LANE_MAX, number(p, -last), lane_binary(p, LANE_MIN, number(p, last), x));
    const struct factored_exp_value e = factored_exp_build(&w->exp, p, t);
    const struct factored_scale scale = factored_scale_make(p, e.n, w->costs);
    const lane_value part = factored_scale(&scale, p, mantissa(w, p, x, v, t, e.fraction));
    return factored_joined(w, p, x, part);
}

/* -- candidates -- */

static void describe(struct candidate *c, const struct factored *w, arena *memory)
{
    struct text t = text_new(memory);
    text_add(&t, "x^%u exp(q(|x|)) R(|x|)%s, R: ", w->f.power, w->has_root ? " (x - root)" : "");
    segments_describe(&t, &w->rest);
    text_add(&t, "; exp by %u terms%s", w->exp.terms, w->careful ? ", multiplied with care" : "");
    c->shape = "factored";
    c->description = t.data;
}

unsigned factored_log2_entries(const struct plan_request *r)
{
    unsigned k = 0;
    while (2u << k <= r->profile.lookup_f32 && 2u << k <= SEGMENTS_MAX_ENTRIES) k++;
    return k;
}

size_t factored_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    enum { FOUND = 8 };
    const struct plan_request *r = context->request;
    struct factored w = {.costs = context->request->costs};
    struct segments found[FOUND];
    size_t count = 0;
    if (r->bound.kind == BOUND_ABS || context->algebraic || !r->profile.fma || r->profile.lookup_f32 < 8)
        return 0;
    const double bound = judge_allowed(&r->bound), ulps = fmax(0.9, bound - BUDGET_FACTORED);
    if (!factored_find(&w, context) || !factored_exp_fit(&w.exp, factored_exponent(&w), 0x1p-25 * ulps))
        return 0;
    struct segments_goal goal = {.type = LANE_F32, .sides = w.mirrored ? 1 : 2, .end = w.f.side[w.side].last};
    goal.log2_entries = factored_log2_entries(r);
    goal.relative = true;
    goal.wanted = 0x1p-23 * ulps;
    goal.highest = SEGMENTS_MAX_DEGREE;
    const unsigned own = w.mirrored ? 0 : w.side;
    if (!set_side(&goal, own, &w, false, context) ||
        (!w.mirrored && !set_side(&goal, 1 - own, &w, true, context)))
        return 0;
    const unsigned rests = segments_search(found, FOUND, &goal, context->memory);
    for (unsigned i = 0; i < 2 * rests && count < room; i++) {
        struct factored *copy = arena_alloc(context->memory, sizeof *copy);
        *copy = w;
        copy->rest = found[i / 2];
        copy->careful = i % 2;
        if (copy->careful && !copy->rest.degree) continue;
        out[count] = (struct candidate){.build = build, .parameters = copy};
        describe(&out[count], copy, context->memory);
        if (candidate_finish(&out[count], r, context->truth)) count++;
    }
    return count;
}
