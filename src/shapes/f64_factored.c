/* Factored plans of f64: on the side where f decays it is
 *
 *     h(t) = t^m exp(q(t)) (t - root) R(t),   t = |x|,   R in segments, no root or one,
 *
 * and from there f is on the other side
 *
 *     f(x) - f(-x) = x    ->  h(t) + x
 *     f(x) + f(-x) = c    ->  c - h(t)
 *     f(x) = f(-x)        ->  h(t)
 *
 * in plain f64 but for the exponent, which is a double word: some two ulps in all. factor.h finds m and q. */
#include "extended_fit.h"
#include "f64_patch.h"
#include "factor.h"

#include <math.h>

enum form { FORM_RAMP, FORM_POINT, FORM_EVEN };

struct f64_factored {
    enum form form;
    bool negative;        /* the side that decays */
    double sum;           /* c */
    double last, settled; /* of t: h is as good as 0; R as good as constant */
    unsigned power, degree, care;
    struct ext_pair exponent[FACTOR_MAX_DEGREE + 1]; /* coefficients of q, which has no constant term */
    bool has_root;
    struct ext_pair root;
    struct segments rest;
    reference *truth;
};

enum { BITS = 136 };

/* -- the form -- */

static bool find_form(struct f64_factored *w)
{
    struct symmetry s;
    if (!symmetry_find(&s, w->truth)) return false;
    const bool even = line_is(&s.difference, 0, 0), ramp = line_is(&s.difference, 1, 0);
    w->form = even ? FORM_EVEN : ramp ? FORM_RAMP : FORM_POINT;
    w->sum = (double)s.sum.constant;
    return even || ramp || line_is(&s.sum, 0, w->sum);
}

/* f on the decaying side, which may be far below what doubles hold. */
static bool value_at(mpfr_t out, const struct f64_factored *w, double t)
{
    const double x = w->negative ? -t : t;
    return reference_precise(w->truth, &x, BITS - 10, out) == REFERENCE_DECIDED && mpfr_regular_p(out);
}

/* The first t, by 32nds of octaves, from which on h is below half of the least f64. */
static bool find_last(struct f64_factored *w)
{
    mpfr_t value;
    bool known = true, small = false;
    mpfr_init2(value, BITS);
    for (double octave = 0.25; octave < 4096 && known && !small; octave *= 2)
        for (int step = 0; step < 32 && known && !small; step++) {
            w->last = octave * (1 + step / 32.0);
            known = value_at(value, w, w->last);
            small = known && mpfr_get_exp(value) < -1077;
        }
    mpfr_clear(value);
    return small;
}

/* -- the slowly varying factor -- */

static void add_pair(mpfr_t sum, struct ext_pair pair)
{
    mpfr_add_d(sum, sum, pair.high, MPFR_RNDN);
    mpfr_add_d(sum, sum, pair.low, MPFR_RNDN);
}

/* h / (t^m exp(q) (t - root)), with the constants as the program has them. */
static bool rest_at(void *context, double t, quad *out)
{
    const struct f64_factored *w = context;
    mpfr_t y, part;
    mpfr_init2(y, BITS);
    if (t == 0) t = 0x1p-70; /* R hardly varies; at 0 it is a limit */
    bool known = value_at(y, w, t);
    mpfr_init2(part, BITS + 20);
    mpfr_set_zero(part, 1);
    for (unsigned k = w->degree; k > 0; k--) {
        add_pair(part, w->exponent[k]);
        mpfr_mul_d(part, part, t, MPFR_RNDN);
    }
    mpfr_exp(part, part, MPFR_RNDN);
    mpfr_div(y, y, part, MPFR_RNDN);
    for (unsigned k = 0; k < w->power; k++) mpfr_div_d(y, y, t, MPFR_RNDN);
    if (w->has_root) {
        mpfr_set_d(part, t, MPFR_RNDN);
        add_pair(part, (struct ext_pair){-w->root.high, -w->root.low});
        mpfr_div(y, y, part, MPFR_RNDN);
    }
    known = known && mpfr_regular_p(y);
    if (known) *out = quad_of_mpfr(y);
    mpfr_clears(y, part, (mpfr_ptr)0);
    return known;
}

/* By as many fraction bits as need the fewest terms. */
static bool fit_rest(struct f64_factored *w, unsigned log2_entries, arena *memory)
{
    const struct segments_goal_exact goal = {.value = rest_at,
                                             .context = w,
                                             .end = w->settled,
                                             .log2_entries = log2_entries,
                                             .variable = VARIABLE_EXACT,
                                             .interpolates = true,
                                             .low_words = 1,
                                             .most_terms = 19,
                                             .wanted = 0x1p-57};
    return segments_search_exact(&w->rest, &goal, memory);
}

/* -- the program -- */

/* A power of two times a double word loses nothing. */
static struct extended times_constant(struct extender *c, struct extended a, struct ext_pair k)
{
    int exponent;
    if (k.low != 0 || fabs(frexp(k.high, &exponent)) != 0.5) return ext_mul(c, a, ext_constant(c, k));
    if (a.has_low) a.low = ext_times(c, a.low, ext_number(c, k.high));
    a.high = k.high == 1 ? a.high : ext_times(c, a.high, ext_number(c, k.high));
    return a;
}

/* q(t) = t (c1 + c2 t + ...) */
static struct extended exponent_of(struct extender *c, const struct f64_factored *w, lane_value t)
{
    const unsigned degree = w->degree;
    const struct extended x = ext_single(t);
    struct extended sum = times_constant(c, x, w->exponent[degree]);
    for (unsigned k = degree - 1; k > 0; k--) {
        if (w->exponent[k].high != 0) sum = ext_add(c, sum, ext_constant(c, w->exponent[k]));
        sum = ext_mul(c, sum, x);
    }
    return sum;
}

/* t or (t - root) as factors. */
static unsigned factors_of(struct extender *c, const struct f64_factored *w, lane_value t,
                           lane_value out[FACTOR_MAX_POWER + 1])
{
    unsigned count = 0;
    if (w->has_root) {
        const lane_value d = ext_minus(c, t, ext_number(c, w->root.high));
        out[count++] = ext_minus(c, d, ext_number(c, w->root.low));
    }
    for (unsigned i = 0; i < w->power; i++) out[count++] = t;
    return count;
}

/* R exp with one rounding more than R's, where there is fma, and a rounding for every factor. */
static lane_value plain_tail(struct extender *c, const struct f64_factored *w, struct ext_power e,
                             lane_value near, const lane_value *factor, unsigned count)
{
    const lane_value rest =
        segments_terms(&w->rest, c->program, segments_place(&w->rest, c->program, near), 0);
    lane_value y = ext_multiply_add(c, rest, e.base, ext_times(c, rest, e.change));
    for (unsigned i = 0; i < count; i++) y = ext_times(c, y, factor[i]);
    return y;
}

/* All of it in double words. Their sum loses the sign of what underflows. */
static lane_value careful_tail(struct extender *c, const struct f64_factored *w, struct ext_power e,
                               lane_value near, const lane_value *factor, unsigned count)
{
    struct extended y = ext_segments_value(c, &w->rest, ext_single(near));
    lane_value low = y.low;
    for (unsigned i = 0; i < count; i++) {
        y = ext_two_product(c, y.high, factor[i]);
        y.low = low = ext_multiply_add(c, low, factor[i], y.low);
    }
    low = ext_multiply_add(c, y.high, e.change, ext_times(c, low, e.base));
    const struct extended p = ext_two_product(c, y.high, e.base);
    const lane_value sum = ext_plus(c, p.high, ext_plus(c, p.low, low));
    if (!w->power) return sum;
    return lane_select(c->program, ext_op(c, LANE_EQ, y.high, ext_number(c, 0)), y.high, sum);
}

/* `care` is for roundings: 0 none, 1 for the exponential's base, 2 for all. */
static lane_value build_tail(struct extender *c, const struct f64_factored *w, lane_value t)
{
    const struct ext_power e = ext_plain_exp(c, exponent_of(c, w, t), w->care > 0);
    lane_value near = t, factor[FACTOR_MAX_POWER + 1];
    const unsigned count = factors_of(c, w, t, factor);
    if (w->settled < w->last) near = ext_op(c, LANE_MIN, ext_number(c, w->settled), t);
    const lane_value y =
        w->care < 2 ? plain_tail(c, w, e, near, factor, count) : careful_tail(c, w, e, near, factor, count);
    return ext_op(c, LANE_SCALE2, y, e.exponent);
}

static lane_value build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct f64_factored *w = parameters;
    struct extender c = {.program = p};
    const lane_value t = ext_op(&c, LANE_MIN, ext_number(&c, w->last), lane_unary(p, LANE_ABS, x));
    const lane_value h = build_tail(&c, w, t);
    *possible = !c.impossible;
    if (w->form == FORM_EVEN) return h;
    if (w->form == FORM_RAMP) /* -0 keeps the sign of a zero */
        return ext_plus(&c, ext_op(&c, w->negative ? LANE_MAX : LANE_MIN, ext_number(&c, -0.0), x), h);
    const lane_value other = ext_minus(&c, ext_number(&c, w->sum), h), below = ext_is_below_zero(&c, x);
    return lane_select(p, below, w->negative ? h : other, w->negative ? other : h);
}

/* -- making it -- */

static void set_root(struct f64_factored *w, const struct shape_context *context)
{
    for (unsigned i = 0; i < context->root_count; i++) {
        const double near = context->roots[i];
        struct f64_patch patch;
        if (near == 0 || (near < 0) != w->negative || w->has_root) continue;
        if (!f64_patch_fit(&patch, context->fitted, near)) continue;
        w->has_root = true;
        w->root = (struct ext_pair){fabs(patch.root), near < 0 ? -patch.root_low : patch.root_low};
    }
}

/* The exponent's coefficients, which are rounded to 106 bits, or are short. */
static void set_exponent(struct f64_factored *w, const struct factor_polynomial *q)
{
    w->degree = q->degree;
    for (unsigned k = 1; k <= q->degree; k++) {
        const double high = (double)q->coefficient[k], low = (double)(q->coefficient[k] - (quad)high);
        w->exponent[k] = (struct ext_pair){high, fabs(low) < 0x1p-100 * fabs(high) ? 0 : low};
    }
}

static const char *description_of(const struct f64_factored *w, arena *memory)
{
    static const char *const care[] = {"", ", 2^(j/n) in double words", ", R and products in double words"};
    static const char *const form[] = {"max(x,0) + h", "h, c - h", "h"};
    struct text t = text_new(memory);
    text_add(&t, "%s, h = x^%u exp(q)%s R; R: ", form[w->form], w->power, w->has_root ? " (x - root)" : "");
    segments_describe(&t, &w->rest);
    text_add(&t, "%s", care[w->care]);
    return t.data;
}

size_t f64_factored_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    enum { CARES = 3 };
    const struct plan_request *request = context->request;
    struct f64_factored *w = arena_alloc(context->memory, sizeof *w);
    struct factor f;
    size_t count = 0;
    w->truth = context->fitted;
    if (context->algebraic || !factor_find(&f, context)) return 0;
    w->negative = f.side[1].decays;
    w->power = f.power;
    set_exponent(w, &f.side[w->negative].q);
    if (!find_form(w) || !find_last(w)) return 0;
    set_root(w, context);
    w->settled = settled_from(rest_at, w, w->last);
    const bool permutes = request->profile.lookup_f64 >= 16;
    if (!fit_rest(w, permutes ? 4 : 6, context->memory) && !(permutes && fit_rest(w, 5, context->memory)))
        return 0;
    for (unsigned care = 0; care < CARES && count < room; care++) {
        struct f64_factored *own = arena_alloc(context->memory, sizeof *own);
        *own = *w;
        own->care = care;
        out[count] = (struct candidate){.shape = "factored",
                                        .description = description_of(own, context->memory),
                                        .build = build,
                                        .parameters = own,
                                        .many_roundings = care < 2};
        if (candidate_finish(&out[count], request, context->truth)) count++;
    }
    return count;
}
