/* Factored plans in f64 lanes, for correctly rounded f32 and for f64.
 *
 * For f32, x has 24 bits. In f64 lanes x^2 is therefore exact, and so are the exponent's products with
 * coefficients of few bits. For f64, the exponent is a double word. The rest is plain f64 or, with care, in
 * double words. Its error is about two ulps in all. */
#include "extended_fit.h"
#include "factored.h"
#include "float_bits.h"

#include <math.h>

static unsigned fit_exact(struct segments *found, const struct factored *w, struct factor_rest *rest,
                          struct segments_goal_exact goal, arena *memory)
{
    goal.value = factor_rest_at;
    goal.context = rest;
    goal.end = w->settled;
    return segments_search_exact(found, &goal, memory);
}

/* -- f32, rounded correctly -- */

static bool lanes_suit(const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    return judge_is_exact(&r->piece.bound) && r->piece.result != ELEMENT_F64 && r->profile.fma &&
           r->profile.lookup_f64 >= WIDE_ENTRIES;
}

static bool set_lanes_exponent(struct factored *w, struct factor_polynomial *q,
                               const struct shape_context *context)
{
    (void)context;
    if (!w->f.line.mirrors || w->f.line.is_rounded || w->f.has_root || !wide_exp_find(&w->wide_exp, q))
        return false;
    *q = wide_exp_exponent(&w->wide_exp);
    return true;
}

/* Finds the largest R that the program may use, w->most.
 *
 * For tiny t, R is R(0) in f64. The result is f = x + t R(0) + d x^2, which must not be a tie where x + t
 * R(0) is one. If R shrinks everywhere, |R| is kept below |R(0)| by two units of the last place. All values
 * of R for t beyond 2^-50 are that much smaller anyway. One unit would not be enough for the smallest x, half
 * of which is a tie and a power of two. The exponential must not count yet, so q must begin with t^2. */
static void find_most(struct factored *w, struct factor_rest *rest)
{
    enum { FIRST = -44, STEPS = 192, PER_OCTAVE = 4 };
    quad value, before;
    const bool is_ramp = w->f.line.slope != 0 && w->f.line.sign > 0;
    if (!is_ramp || w->f.power != 1 || rest->q.coefficient[1] != 0 || !factor_rest_at(rest, 0x1p-140, &value))
        return;
    const double limit = (double)(float)value;
    if (quad_abs(value - limit) > fabs(limit) * (quad)0x1p-90) return;
    before = quad_abs(limit);
    for (int i = 0; i < STEPS; i++) {
        const double t = ldexp(1 + (double)(i % PER_OCTAVE) / (double)PER_OCTAVE, FIRST + i / PER_OCTAVE);
        if (t > w->last) break;
        if (!factor_rest_at(rest, t, &value) || (value < 0) != (limit < 0) || quad_abs(value) >= before)
            return;
        before = quad_abs(value);
    }
    w->most = limit * (1 - 0x1p-52);
}

static unsigned fit_lanes(struct segments found[FACTORED_MOST_RESTS], struct factored *w,
                          struct factor_rest *rest, const struct shape_context *context)
{
    const struct segments_goal_exact goal = {.log2_entries = WIDE_LOG2_ENTRIES,
                                             .variable = VARIABLE_DISTANCE,
                                             .divides = true,
                                             .most_terms = 17,
                                             .wanted = 0x1p-55};
    find_most(w, rest);
    w->settled = settled_from(factor_rest_at, rest, w->last);
    return fit_exact(found, w, rest, goal, context->memory);
}

static struct factored_part lanes_part(const struct factored *w, lane_program *p, struct factored_argument a)
{
    lane_value h = wide_exp_build(&w->wide_exp, p, a.t);
    for (unsigned i = 0; i < w->f.power; i++) h = lane_mul(p, h, a.v);
    lane_value rest = segments_build_halves(&w->rest, p, a.near);
    if (w->most != 0)
        rest = lane_binary(p, w->most < 0 ? LANE_MAX : LANE_MIN, lane_const(p, LANE_F64, w->most), rest);
    return (struct factored_part){h, rest};
}

const struct factored_arithmetic factored_f64_lanes = {
    .shape = "wide factored",
    .care = {""},
    .widens = true,
    .suits = lanes_suit,
    .set_exponent = set_lanes_exponent,
    .fit = fit_lanes,
    .part = lanes_part,
};

/* -- f64 -- */

static bool f64_suits(const struct shape_context *context)
{
    return context->request->piece.result == ELEMENT_F64;
}

static struct word_pair pair_of(quad c) { return (struct word_pair){(double)c, (double)(c - (double)c)}; }

/* Rounds q's coefficients to 106 bits, or drops a low word that is practically 0. */
static bool set_double_exponent(struct factored *w, struct factor_polynomial *q,
                                const struct shape_context *context)
{
    (void)context;
    for (unsigned k = 1; k <= q->degree; k++) {
        w->exponent[k] = pair_of(q->coefficient[k]);
        if (fabs(w->exponent[k].low) < 0x1p-100 * fabs(w->exponent[k].high)) w->exponent[k].low = 0;
        q->coefficient[k] = (quad)w->exponent[k].high + w->exponent[k].low;
    }
    return w->f.line.mirrors;
}

static unsigned fit_double(struct segments found[FACTORED_MOST_RESTS], struct factored *w,
                           struct factor_rest *rest, const struct shape_context *context)
{
    const bool permutes = context->request->profile.lookup_f64 >= 16;
    struct segments_goal_exact goal = {.log2_entries = permutes ? 4 : 6,
                                       .variable = VARIABLE_EXACT,
                                       .interpolates = true,
                                       .low_words = 1,
                                       .most_terms = 19,
                                       .wanted = 0x1p-57};
    w->settled = settled_from(factor_rest_at, rest, w->last);
    if (fit_exact(found, w, rest, goal, context->memory)) return 1;
    goal.log2_entries = 5;
    return permutes && fit_exact(found, w, rest, goal, context->memory);
}

/* Returns a times k. A power of two times a double word loses nothing. */
static struct number times_constant(struct composer *c, struct number a, struct word_pair k)
{
    if (k.low != 0 || !f64_is_power_of_two(k.high)) return number_times(c, a, number_of_pair(c, k));
    if (a.has_low) a.low = word_mul(c, a.low, word_constant(c, k.high));
    a.high = k.high == 1 ? a.high : word_mul(c, a.high, word_constant(c, k.high));
    return a;
}

/* Returns q(t) = t (c1 + c2 t + ...). */
static struct number exponent_polynomial(struct composer *c, const struct factored *w, lane_value t)
{
    const unsigned degree = w->f.side[w->f.own].q.degree;
    const struct number x = number_of_word(t);
    struct number sum = times_constant(c, x, w->exponent[degree]);
    for (unsigned k = degree - 1; k > 0; k--) {
        if (w->exponent[k].high != 0) sum = number_plus(c, sum, number_of_pair(c, w->exponent[k]));
        sum = number_times(c, sum, x);
    }
    return sum;
}

/* Lists the factors t and t - root of the part. */
static unsigned factors_of(struct composer *c, const struct factored *w, struct factored_argument a,
                           lane_value out[FACTOR_MAX_POWER + 1])
{
    unsigned count = 0;
    if (w->f.has_root) {
        const struct word_pair root = pair_of(w->f.root);
        const lane_value d = word_sub(c, a.t, word_constant(c, root.high));
        out[count++] = word_sub(c, d, word_constant(c, root.low));
    }
    for (unsigned i = 0; i < w->f.power; i++) out[count++] = a.v;
    return count;
}

/* Returns R times the exponential and the factors. With fma, the product with the exponential adds one
 * rounding to R's. Each factor adds another. */
static lane_value plain_tail(struct composer *c, const struct factored *w, struct word_power e,
                             lane_value near, const lane_value *factor, unsigned count)
{
    const lane_value rest =
        segments_terms(&w->rest, c->program, segments_place(&w->rest, c->program, near), 0);
    lane_value y = word_fma(c, rest, e.base, word_mul(c, rest, e.change));
    for (unsigned i = 0; i < count; i++) y = word_mul(c, y, factor[i]);
    return y;
}

/* Returns R times the exponential and the factors, all in double words. The last sum loses the sign of a
 * value that underflows, which a select restores. */
static lane_value careful_tail(struct composer *c, const struct factored *w, struct word_power e,
                               lane_value near, const lane_value *factor, unsigned count)
{
    struct number y = ext_segments_value(c, &w->rest, number_of_word(near));
    lane_value low = y.low;
    for (unsigned i = 0; i < count; i++) {
        y = word_two_product(c, y.high, factor[i]);
        y.low = low = word_fma(c, low, factor[i], y.low);
    }
    low = word_fma(c, y.high, e.change, word_mul(c, low, e.base));
    const struct number p = word_two_product(c, y.high, e.base);
    const lane_value sum = word_add(c, p.high, word_add(c, p.low, low));
    if (!w->f.power) return sum;
    return lane_select(c->program, word_op(c, LANE_EQ, y.high, word_constant(c, 0)), y.high, sum);
}

/* Writes the part. Care 0 keeps no rounding errors, care 1 keeps those of the exponential's base, and care 2
 * keeps all of them. */
static struct factored_part double_part(const struct factored *w, lane_program *p, struct factored_argument a)
{
    struct composer c = {.program = p};
    const struct word_power e = word_exp(&c, exponent_polynomial(&c, w, a.t), w->care > 0);
    lane_value factor[FACTOR_MAX_POWER + 1];
    const unsigned count = factors_of(&c, w, a, factor);
    const lane_value y = w->care < 2 ? plain_tail(&c, w, e, a.near, factor, count)
                                     : careful_tail(&c, w, e, a.near, factor, count);
    return (struct factored_part){.value = word_op(&c, LANE_SCALE2, y, e.exponent)};
}

static bool has_double_care(const struct factored *w, const struct segments *rest, unsigned care)
{
    (void)w;
    return !care || rest->index != INDEX_RECIPROCAL;
}

const struct factored_arithmetic factored_f64 = {
    .shape = "factored",
    .care = {"", ", 2^(j/n) in double words", ", R and products in double words"},
    .has_care = has_double_care,
    .many_roundings_below = 2,
    .suits = f64_suits,
    .set_exponent = set_double_exponent,
    .fit = fit_double,
    .part = double_part,
};
