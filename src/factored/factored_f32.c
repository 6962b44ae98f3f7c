/* Factored plans in f32. The exponent is in two floats, and R is in segments of f32. The other side may have
 * an R of its own. */
#include "budget.h"
#include "factored.h"
#include "number.h"

#include <math.h>

/* -- R -- */

static bool fits_f32(double c) { return c == (double)(float)c; }

static bool suits_factored(const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    return r->piece.bound.kind != BOUND_ABS && !judge_is_exact(&r->piece.bound) &&
           r->piece.argument != ELEMENT_F64 && r->piece.result != ELEMENT_F64;
}

const struct factor *factored_of_f32(const struct shape_context *context)
{
    const bool may_be = !context->traits->is_algebraic && suits_factored(context) &&
                        context->request->profile.lookup_f32 >= 8;
    const struct factor *f = may_be ? traits_factor_part(context->traits) : NULL;
    return f && (f->line.mirrors || fits_f32(f->line.slope)) && fits_f32(f->line.constant) ? f : NULL;
}

/* Returns the error in ulps that the table may have: see BUDGET_FACTORED. */
static double ulps_of(const struct shape_context *context)
{
    return fmax(BUDGET_FACTORED_LEAST, judge_allowed(&context->request->piece.bound) - BUDGET_FACTORED);
}

/* Returns whether exp(q) falls from 1 on. */
static bool falls(const struct factor_polynomial *q)
{
    for (unsigned k = 0; k <= q->degree; k++)
        if (q->coefficient[k] > 0) return false;
    return true;
}

static bool set_exponent(struct factored *w, struct factor_polynomial *q, const struct shape_context *context)
{
    /* A low word of x needs a q of one term: see factored_exp_build. */
    if (!factored_exp_suits(q, context->request->profile.fma && !factored_has_low(w))) return false;
    if ((!w->f.line.mirrors && !fits_f32(w->f.line.slope)) || !fits_f32(w->f.line.constant) ||
        !factored_exp_fit(&w->exp, q, (struct factored_exp_form){.range = falls(q) ? EXP_DECAYS : EXP_ANY},
                          BUDGET_EXPONENTIAL * ulps_of(context)))
        return false;
    w->exp.most = w->quiet;
    return true;
}

/* Finds exponentials by a table of 8, and by a table of 32 if the larger table saves a term. The larger table
 * is fitted to twice the error. Where each side has its own R, R costs so much more that trying these
 * exponentials would be wasted. */
static unsigned more_exponentials(struct factored_exp found[FACTORED_MORE_EXPONENTIALS],
                                  const struct factored *w, const struct shape_context *context)
{
    static const struct {
        unsigned log2_entries;
        double error;
    } tried[FACTORED_MORE_EXPONENTIALS] = {{3, BUDGET_EXPONENTIAL}, {5, BUDGET_EXPONENTIAL_MORE}};
    const struct plan_request *r = context->request;
    unsigned count = 0, terms = w->exp.terms;
    for (unsigned i = 0;
         i < FACTORED_MORE_EXPONENTIALS && w->f.line.mirrors && !plan_lookup_is_dear(r->costs); i++) {
        struct factored_exp *e = &found[count];
        struct factored_exp_form form = w->exp.as;
        form.log2_entries = tried[i].log2_entries;
        if (1u << tried[i].log2_entries > r->profile.lookup_f32 ||
            !factored_exp_fit(e, &w->exp.q, form, tried[i].error * ulps_of(context)) || e->terms >= terms)
            continue;
        e->most = w->quiet;
        terms = e->terms;
        count++;
    }
    return count;
}

static bool set_side(struct segments_goal *goal, unsigned n, struct factor_rest rest, bool other,
                     arena *memory)
{
    struct factor f = *rest.f;
    const bool has_line = other && !f.decays_twice;
    if (goal->vanishes) f.power--, rest.f = &f;
    if (other) rest.side = !rest.side, rest.beside_line = has_line, rest.has_root = false;
    if (other) rest.stretch = f.stretch;
    struct surrogate_request request = {
        .value = factor_rest_at, .context = &rest, .high = goal->end, .tolerance = 0x1p-40};
    request.power = goal->vanishes;
    /* The part is added to the line, so that an error of R counts less than in R's own ulps. */
    request.relative = !has_line;
    goal->side[n] = (struct segments_side){.f = surrogate_make(&request, memory), .limit = (double)NAN};
    if (goal->side[n].f && has_line)
        goal->side[n].constant = 2 * fmax(1, fabs(surrogate_at(goal->side[n].f, 0)));
    return goal->side[n].f != NULL;
}

/* Returns a scale for R. R and the distance to the root can be scaled against each other. Where R comes just
 * above a power of two, its roundings weigh twice as much as they need to. R is then made smaller and the
 * distance larger. The scale has so few bits that its products with t are exact near the root. */
static double scale_of(const struct factored *w, const struct factor_rest *rest,
                       const struct shape_context *context)
{
    enum { POINTS = 256 };
    static const double just_above = 1.25, margin = 1 + 0x1p-10;
    struct segments_goal goal = {.end = w->last};
    double most = 0;
    int exponent;
    if (!rest->has_root || !set_side(&goal, 0, *rest, false, context->memory)) return 1;
    for (unsigned i = 0; i <= POINTS; i++) { /* Takes more points near 0, where R bends. */
        const double share = i / (double)POINTS;
        most = fmax(most, fabs(surrogate_at(goal.side[0].f, goal.end * share * share)));
    }
    const double size = 2 * frexp(most * margin, &exponent);
    return size < just_above ? segments_rounded_up(size) : 1;
}

/* Fits R with tables of two or four permutes and blends, for an R that no table of one permute can hold. Such
 * tables still cost less than f64. */
static unsigned fit_larger(struct segments found[FACTORED_MOST_RESTS], const struct segments_goal *goal,
                           const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct segments_goal larger = *goal;
    unsigned count = 0;
    for (unsigned more = 1; !count && more <= TARGET_MOST_BLENDED_BITS; more++) {
        larger.log2_entries = plan_log2_entries(&r->profile, r->costs, 0) + more;
        count = segments_search(found, FACTORED_MOST_RESTS, &larger, context->memory);
    }
    return count;
}

/* Fits R for each table size that takes one permute. */
static unsigned fit_sizes(struct segments *found, unsigned room, struct segments_goal *goal,
                          const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    unsigned count = 0;
    for (unsigned i = 0; (goal->log2_entries = plan_log2_entries(&r->profile, r->costs, i)); i++) {
        const bool is_last = !plan_log2_entries(&r->profile, r->costs, i + 1);
        const unsigned share = is_last ? room - count : room / 2;
        count += segments_search(found + count, share, goal, context->memory);
    }
    return count;
}

/* Fits R within `ulps`. Where f vanishes at 0, fits t R as well, which saves the rounding of the product with
 * t. Returns the number of fits found. */
static unsigned fit_within(struct segments found[FACTORED_MOST_RESTS], const struct factored *w,
                           const struct factor_rest *rest, double ulps, unsigned low_words,
                           const struct shape_context *context)
{
    const bool mirrors = w->f.line.mirrors;
    const unsigned own = mirrors ? 0 : w->f.own;
    const unsigned entries = context->request->profile.lookup_f32;
    if (!mirrors && entries < 2) return 0; /* The table holds one entry for each side. */
    struct segments_goal goal = {.type = LANE_F32,
                                 .divides = /* where the lookups would cost more than the division */
                                 !low_words && plan_lookup_is_dear(context->request->costs),
                                 .without_fma = !context->request->profile.fma,
                                 .sides = mirrors ? 1 : 2,
                                 .end = w->last,
                                 .relative = true,
                                 .low_words = low_words,
                                 .wanted = 0x1p-23 * ulps,
                                 .highest = SEGMENTS_MAX_DEGREE};
    if (!set_side(&goal, own, *rest, false, context->memory) ||
        (!mirrors && !set_side(&goal, 1 - own, *rest, true, context->memory)))
        return 0;
    if (entries < 8) return segments_search(found, FACTORED_MOST_RESTS, &goal, context->memory);
    const bool vanishes = mirrors && w->f.power && rest->of_size && !goal.divides && !low_words;
    unsigned count =
        fit_sizes(found, vanishes ? FACTORED_MOST_RESTS / 2 : FACTORED_MOST_RESTS, &goal, context);
    if (!count) count = fit_larger(found, &goal, context);
    goal.vanishes = true;
    goal.wanted += 0x1p-23 * BUDGET_PRODUCT;
    if (vanishes && set_side(&goal, 0, *rest, false, context->memory))
        count += fit_sizes(found + count, FACTORED_MOST_RESTS - count, &goal, context);
    return count;
}

static unsigned fit_rests(struct segments found[FACTORED_MOST_RESTS], struct factored *w,
                          struct factor_rest *rest, const struct shape_context *context)
{
    return fit_within(found, w, rest, ulps_of(context), 0, context);
}

/* -- code -- */

/* How each care multiplies. The factors are R, 1 + fraction, and the powers of t and 2 that go with them.
 * PRODUCT_ROUNDED rounds the product three times. PRODUCT_WHOLE rounds it twice: it adds the fraction's share
 * to R times the powers. PRODUCT_PARTS rounds it nearly once: it adds all the rest to R's largest part times
 * the powers.
 *
 * The distance from the root is t minus the root's first word, rounded, minus the second word.
 * DISTANCE_BEYOND adds the rounding error only beyond the root, which takes half as many operations.
 * DISTANCE_EXACT adds it everywhere. */
enum product { PRODUCT_ROUNDED, PRODUCT_WHOLE, PRODUCT_PARTS };
enum distance { DISTANCE_ROUNDED, DISTANCE_BEYOND, DISTANCE_EXACT };
static const struct {
    enum product product;
    enum distance distance;
} care_of[FACTORED_CARES] = {{PRODUCT_ROUNDED, DISTANCE_ROUNDED}, {PRODUCT_WHOLE, DISTANCE_ROUNDED},
                             {PRODUCT_PARTS, DISTANCE_ROUNDED},   {PRODUCT_PARTS, DISTANCE_BEYOND},
                             {PRODUCT_ROUNDED, DISTANCE_EXACT},   {PRODUCT_PARTS, DISTANCE_EXACT}};

/* Returns whether the care makes a program of its own. A reciprocal has its own care of R, so that cares
 * which differ only in that respect give the same program. */
static bool has_care(const struct factored *w, const struct segments *rest, unsigned care)
{
    const enum distance distance = care_of[care].distance;
    if (distance != DISTANCE_ROUNDED && !w->f.has_root) return false;
    if (distance == DISTANCE_EXACT && (w->scale != 1 || w->exp.as.log2_entries)) return false;
    if (care_of[care].product == PRODUCT_WHOLE)
        return rest->index != INDEX_RECIPROCAL && (w->f.power > rest->vanishes || w->exp.as.log2_entries);
    return rest->index != INDEX_RECIPROCAL || rest->without_fma || care_of[care].product == PRODUCT_ROUNDED ||
           distance == DISTANCE_BEYOND;
}

static lane_value times(lane_program *p, lane_value a, lane_value b)
{
    return a && b ? lane_mul(p, a, b) : a ? a : b;
}

/* Returns `sum`, which is R's constant, its product and `small` together, times `power`. The first half of
 * the sum is subtracted from its parts, so that its rounding error is in the second half. The products of the
 * first halves are exact, and only the last sum rounds. Takes the place of fma. */
static lane_value product_of_halves(lane_program *p, const struct segments_parts *r, lane_value sum,
                                    lane_value small, lane_value power)
{
    const lane_value first = lane_leading_half(p, sum), product = lane_mul(p, r->slope, r->variable);
    const lane_value beyond = lane_add(p, lane_sub(p, r->constant, first), product);
    const lane_value second = lane_add(p, beyond, small);
    if (!power) return lane_add(p, first, second);
    const lane_value half = lane_leading_half(p, power), rest = lane_sub(p, power, half);
    const lane_value low = lane_add(p, lane_mul(p, first, rest), lane_mul(p, second, power));
    return lane_add(p, lane_mul(p, first, half), low);
}

/* Returns R (1 + fraction) times v^m and the power from the exponential's table. v^m and the power may both
 * be absent. If R has a second part that holds its rounding error, that part is added together with R
 * fraction. */
static lane_value exponential_times_rest(const struct factored *w, lane_program *p,
                                         struct factored_argument a, struct factored_exp_value e)
{
    const enum product care = care_of[w->care].product;
    const bool has_parts = w->rest.index == INDEX_RECIPROCAL || (care == PRODUCT_PARTS && w->rest.degree);
    lane_value power = e.power;
    for (unsigned k = w->rest.vanishes; k < w->f.power; k++) power = times(p, power, a.v);
    if (!has_parts) {
        const lane_value rest = segments_build(&w->rest, p, a.t, a.x);
        if (care != PRODUCT_WHOLE || !power) return times(p, lane_fma(p, rest, e.fraction, rest), power);
        return lane_fma(p, rest, power, lane_mul(p, rest, lane_mul(p, power, e.fraction)));
    }
    const struct segments_parts r = segments_build_parts(&w->rest, p, a.t, a.x);
    const lane_value whole = lane_fma(p, r.slope, r.variable, r.constant);
    const lane_value beside = r.rest ? r.rest : lane_mul(p, r.slope, r.variable);
    const lane_value large = r.rest ? whole : r.constant, small = lane_fma(p, whole, e.fraction, beside);
    if (w->rest.without_fma && care == PRODUCT_PARTS)
        return product_of_halves(p, &r, lane_add(p, large, small), small, power);
    if (!power || !p->profile.fma) return times(p, lane_add(p, large, small), power);
    return lane_fma(p, large, power, lane_mul(p, small, power));
}

/* Returns sum + scale * t with one rounding. */
static lane_value add_scaled(lane_program *p, lane_value sum, double scale, lane_value t)
{
    return scale == 1    ? lane_add(p, sum, t)
           : scale == -1 ? lane_sub(p, sum, t)
                         : lane_fma(p, t, lane_f32(p, scale), sum);
}

/* Returns the part that `far` is missing. `far` is scale*t minus the first word of the root, rounded once.
 * The rounding error is found beyond the root by Fast2Sum (Dekker), or everywhere by TwoSum (Knuth). */
static lane_value rest_of_distance(const struct factored *w, lane_program *p, lane_value t, lane_value far,
                                   double high, double low, enum distance care)
{
    if (care == DISTANCE_ROUNDED) return lane_f32(p, -low);
    const lane_value back = add_scaled(p, far, -w->scale, t), beyond = lane_add(p, lane_f32(p, high), back);
    if (care == DISTANCE_BEYOND) return lane_sub(p, lane_f32(p, -low), beyond);
    const lane_value mine = lane_sub(p, far, back), below = lane_sub(p, t, mine);
    return lane_sub(p, lane_sub(p, below, beyond), lane_f32(p, low));
}

/* Returns y scale (t - root) on the root's side, and y on the other side. The product of y and the distance's
 * second word is added together with the rounding of the main product. */
static lane_value times_distance(const struct factored *w, lane_program *p, lane_value x, lane_value t,
                                 lane_value y)
{
    const quad exact = w->f.root * (quad)w->scale;
    const double high = (double)(float)exact, low = (double)(exact - (quad)high);
    const lane_value far = add_scaled(p, lane_f32(p, -high), w->scale, t);
    const lane_value rest = rest_of_distance(w, p, t, far, high, low, care_of[w->care].distance);
    const lane_value own = lane_fma(p, y, far, lane_mul(p, y, rest));
    if (w->f.line.mirrors) return own;
    const lane_value is_negative = lane_less(p, x, lane_f32(p, 0));
    return w->f.own ? lane_select(p, is_negative, own, y) : lane_select(p, is_negative, y, own);
}

static struct factored_part part(const struct factored *w, lane_program *p, struct factored_argument a)
{
    /* R may be -0 where it is too small and negative. The sum with it must then also be -0. */
    const struct factored_exp_value e = factored_exp_build(
        &w->exp, p, (struct factored_exp_argument){a.t, a.x, a.low, w->rest.vanishes}, w->costs);
    lane_value y = exponential_times_rest(w, p, a, e);
    if (w->f.has_root) y = times_distance(w, p, a.x, a.t, y);
    if (e.scale.has_factors && w->exp.as.range == EXP_DECAYS)
        return (struct factored_part){.value = times(p, y, e.scale.high), .factor = e.scale.low};
    y = factored_scale(&e.scale, p, y);
    return (struct factored_part){.value = ended_value(p, a.beyond, w->end.zero, y)};
}

const struct factored_arithmetic factored_f32 = {
    .shape = "factored",
    .care = {"", ", multiplied in two", ", multiplied with care",
             ", multiplied with care, the root's distance beyond it, too", ", the root's distance with care",
             ", multiplied with care, the root's distance, too"},
    .has_care = has_care,
    .scale = scale_of,
    .suits = suits_factored,
    .set_exponent = set_exponent,
    .more_exponentials = more_exponentials,
    .fit = fit_rests,
    .part = part,
    .centres = true,
    .masks = true,
    .finds_end = true,
};

/* -- in two words -- */

static bool suits_words(const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    return suits_factored(context) && r->profile.fma && r->piece.result == ELEMENT_F32 &&
           judge_allowed(&r->piece.bound) <= BUDGET_WORDS_MOST;
}

static double ulps_of_words(const struct shape_context *context)
{
    return fmax(BUDGET_WORDS_LEAST, (judge_allowed(&context->request->piece.bound) - BUDGET_WORDS) / 2);
}

/* Finds the base: the number to which the part is added on the other side, divided by t^m. The base is 0
 * without a line. Returns false if this number is not the same everywhere. */
static bool find_base(double *base, const struct factor *f)
{
    const struct factor_line *line = &f->line;
    *base = f->power ? (f->own ? line->slope : -line->slope) : line->constant;
    return f->power < 2 && (f->power ? line->constant : line->slope) == 0;
}

static bool set_exponent_of_words(struct factored *w, struct factor_polynomial *q,
                                  const struct shape_context *context)
{
    double base;
    return find_base(&base, &w->f) && fits_f32(base) &&
           (!factored_has_low(w) || (factored_exp_suits(q, false) && !w->f.power)) &&
           factored_exp_fit(&w->exp, q, (struct factored_exp_form){.sum = EXP_TWO_WORDS},
                            BUDGET_EXPONENTIAL * ulps_of_words(context));
}

static unsigned fit_words(struct segments found[FACTORED_MOST_RESTS], struct factored *w,
                          struct factor_rest *rest, const struct shape_context *context)
{
    return fit_within(found, w, rest, ulps_of_words(context), 1, context);
}

/* Returns the rounding error of t, if x is the rounded part of a difference. The error is the low word of x,
 * with the sign that turns x into t. */
static lane_value low_of_t(lane_program *p, struct factored_argument a, lane_value is_negative)
{
    return lane_select(p, is_negative, lane_unary(p, LANE_NEG, a.low), a.low);
}

/* Returns R (1 + fraction) in two words. The low word is some bits longer than other low words. */
static struct number exponential_times_words(const struct factored *w, lane_program *p,
                                             struct factored_argument a, struct factored_exp_value e,
                                             lane_value is_negative)
{
    const struct segments_parts r = segments_build_parts(&w->rest, p, a.t, a.x);
    const struct segments_words words = segments_words_of(p, &r);
    const lane_value whole = words.whole;
    lane_value rest = words.rest;
    /* The slope at the segment's centre is close enough to the derivative. */
    if (w->rest.degree && a.low) rest = lane_fma(p, r.slope, low_of_t(p, a, is_negative), rest);
    struct number y = {.high = lane_fma(p, whole, e.words.high, whole), .has_low = true};
    y.low = lane_fma(p, whole, e.words.high, lane_sub(p, whole, y.high));
    y.low = lane_fma(p, whole, e.words.low, y.low);
    y.low = lane_fma(p, rest, lane_add(p, lane_f32(p, 1), e.fraction), y.low);
    return y;
}

static struct number times_distance_in_words(const struct factored *w, lane_program *p,
                                             struct factored_argument a, struct number y, lane_value is_other)
{
    const double high = (double)(float)w->f.root, low = (double)(w->f.root - (quad)high);
    struct number d = {.high = lane_sub(p, a.t, lane_f32(p, high)), .has_low = true};
    d.low = rest_of_distance(w, p, a.t, d.high, high, low, DISTANCE_EXACT);
    if (!w->f.line.mirrors) {
        d.high = lane_select(p, is_other, lane_f32(p, 1), d.high);
        d.low = lane_select(p, is_other, lane_f32(p, 0), d.low);
    }
    struct number product = {.high = lane_mul(p, y.high, d.high), .has_low = true};
    product.low = lane_fma(p, y.high, d.high, lane_unary(p, LANE_NEG, product.high));
    product.low = lane_fma(p, lane_add(p, y.high, y.low), d.low, product.low);
    product.low = lane_fma(p, y.low, d.high, product.low);
    return product;
}

/* Returns base + y power, where the base is larger. */
static struct number beside(lane_program *p, lane_value base, struct number y, lane_value power)
{
    struct number sum = {.high = lane_fma(p, y.high, power, base), .has_low = true};
    sum.low = lane_fma(p, y.high, power, lane_sub(p, base, sum.high));
    sum.low = lane_fma(p, y.low, power, sum.low);
    return sum;
}

/* The cares in two words. With CARE_TINY, the product of y with a tiny |x| is computed in f64. In f32, that
 * of the low word would be subnormal, and its rounding error a unit of the result. Where R(0) is an f32
 * number, as that of GELU, the low word is nothing there. */
enum { CARE_PLAIN, CARE_TINY };

static bool has_care_of_words(const struct factored *w, const struct segments *rest, unsigned care)
{
    (void)rest;
    return care == CARE_PLAIN || w->f.power == 1;
}

/* Returns `product`, or |x| y in f64 where 0 < |x| < 2^-100. */
static lane_value unless_tiny(lane_program *p, lane_value x, struct number y, lane_value product)
{
    const lane_value one = lane_const(p, LANE_I32, 1), size = lane_unary(p, LANE_ABS, x);
    /* Without the sign, 1 is the smallest number. Less 1 and with the top bit flipped, it is the least i32,
     * and zero is the largest. */
    const lane_value bits = lane_binary(p, LANE_SHL, lane_unary(p, LANE_BITCAST, x), one);
    const lane_value rank = lane_binary(p, LANE_IADD, bits, lane_const_bits(p, LANE_I32, 0x7fffffff));
    const lane_value limit = lane_const_bits(p, LANE_I32, UINT64_C(0x80000000) + (27u << 24) - 1);
    const lane_value sum = lane_add(p, lane_unary(p, LANE_WIDEN, y.high), lane_unary(p, LANE_WIDEN, y.low));
    const lane_value exact = lane_mul(p, lane_unary(p, LANE_WIDEN, size), sum);
    return lane_rarely(p, lane_binary(p, LANE_ILT, rank, limit), lane_unary(p, LANE_NARROW, exact), product);
}

/* Writes both sides as one sum. On f's own side the sum starts from 0 and is scaled last. On the other side
 * it starts from the line over t^m. The sum is then multiplied by |x|, or by the t at which f ends. */
static lane_value whole_of_words(const struct factored *w, lane_program *p, struct factored_argument a)
{
    const struct factor *f = &w->f;
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){a.t, .x = a.x, .low = a.low}, w->costs);
    const lane_value zero = lane_f32(p, 0), is_negative = lane_less(p, a.x, zero),
                     is_other = f->own ? lane_unary(p, LANE_MNOT, is_negative) : is_negative;
    struct number y = exponential_times_words(w, p, a, e, is_negative);
    lane_value v = a.v;
    double base;
    if (f->has_root) y = times_distance_in_words(w, p, a, y, is_other);
    const bool has_line = find_base(&base, f) && (base != 0 || f->line.sign < 0) && !factored_is_odd(f);
    if (has_line) {
        lane_value power = factored_scale_power(&e.scale, p);
        if (f->line.sign < 0) power = lane_unary(p, LANE_NEG, power);
        y = beside(p, lane_select(p, is_other, lane_f32(p, base), zero), y,
                   lane_select(p, is_other, power, lane_f32(p, 1)));
        v = lane_select(p, is_other, lane_unary(p, LANE_ABS, a.x), a.t);
    }
    lane_value sum = f->power ? lane_fma(p, v, y.high, lane_mul(p, a.v, y.low)) : lane_add(p, y.high, y.low);
    if (w->care == CARE_TINY) sum = unless_tiny(p, a.x, y, sum);
    const lane_value own = factored_scale(&e.scale, p, sum);
    return has_line ? lane_select(p, is_other, sum, own) : own;
}

const struct factored_arithmetic factored_f32_words = {
    .shape = "factored",
    .care = {", in two words", ", in two words, tiny x in f64"},
    .has_care = has_care_of_words,
    .suits = suits_words,
    .set_exponent = set_exponent_of_words,
    .fit = fit_words,
    .whole = whole_of_words,
    .centres = true,
};
