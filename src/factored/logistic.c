/* The logistic family of factored plans. R is a rational function of the exponential E itself, see
 * logistic_ratio.h. Members are sigmoid (1 / (1 + E)), silu, mish, GELU by sigmoid and GELU by tanh. Their
 * relatives with other parameters, and the derivatives of sigmoid and tanh, are members as well.
 *
 * The program needs one division and no lookup. The numerator has 1 + fraction in place of the factor E, and
 * the power of two comes last, so that nothing underflows early.
 *
 * Some functions have the form f = c x^m / (1 + exp(-u)), where u is an odd polynomial and m is at most 1.
 * Examples are sigmoid, silu, and GELU by sigmoid and by tanh. Their program does not distinguish the sides.
 * exp(-u) is 2^-n p with p near 1, and f = 2^n (c x^m / (2^n + p)), with one rounding for subnormal results.
 * For an absolute bound, the program computes c x^m / (1 + exp(-u)) as it stands. A clamp of x ends both
 * sides. Within 2 ulp the quotient is divided with care. Within 1 ulp the exponential also has two words.
 * logistic_product.c has the other functions whose program does not distinguish the sides. */
#include "logistic.h"
#include "budget.h"
#include "ended.h"
#include "factored_exp.h"
#include "factored_shapes.h"
#include "float_bits.h"
#include "quick.h"
#include "quick_math.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct logistic {
    struct factor f;
    struct logistic_form form;
    struct factored_exp exp;
    const struct target_costs *costs;
    /* Computes x^m (1 + fraction) with one rounding less, for one more operation. For the joined form see
     * careful_quotient. */
    bool careful;
    /* Divides by D with care. The scale is then a part of D. */
    bool divided;
    /* Computes y + y (N - D) / D for y N / D. Where E is small, the roundings of N, D and the quotient then
     * count less. */
    bool beside;
    /* Where one formula serves both sides, x or -x is clamped to [low, high]. */
    double low, high;
    struct ended end; /* The end of the side that decays. No clamp to `low` is needed for a mask. */
    /* Where one formula serves both sides, and c is no power of two: 1/c multiplies the denominator, so that
     * c x is not rounded. Otherwise 1. */
    double inverse;
};

/* -- code -- */

/* The means to distinguish the sides. */
struct sides {
    lane_program *p;
    lane_value is_negative;
};

static lane_value choose(const struct sides *s, float positive, float negative)
{
    if (positive == negative) return lane_f32(s->p, (double)positive);
    return lane_select(s->p, s->is_negative, lane_f32(s->p, (double)negative),
                       lane_f32(s->p, (double)positive));
}

static bool is_constant_ratio(const float *c)
{
    for (unsigned k = 1; k <= RATIO_DEGREE; k++)
        if (c[k] != 0) return false;
    return true;
}

static bool has_bottom(const struct logistic *w)
{
    return !is_constant_ratio(w->form.side[0].bottom) || !is_constant_ratio(w->form.side[1].bottom);
}

/* Returns c[0] + c[1] E + ... from the coefficient `first` on, by Horner's scheme. The coefficients depend on
 * the side. */
static lane_value horner(const struct sides *s, const float *positive, const float *negative, lane_value e,
                         unsigned first)
{
    unsigned degree = RATIO_DEGREE;
    while (degree > first && positive[degree] == 0 && negative[degree] == 0) degree--;
    lane_value sum = choose(s, positive[degree], negative[degree]);
    for (unsigned k = degree; k-- > first;) {
        const bool unit = k + 1 == degree && positive[degree] == 1 && negative[degree] == 1;
        const lane_value c = choose(s, positive[k], negative[k]);
        sum = unit ? lane_add(s->p, c, e) : lane_fma(s->p, sum, e, c);
    }
    return sum;
}

static lane_value times_first(const struct logistic *w, const struct sides *s, lane_value y)
{
    const float first[2] = {w->form.side[0].top[0], w->form.side[1].top[0]};
    return first[0] == 1 && first[1] == 1 ? y : lane_mul(s->p, y, choose(s, first[0], first[1]));
}

/* Returns y times the ratio's scale, rounded once. */
static lane_value times_scale(const struct logistic *w, const struct sides *s, lane_value y)
{
    const float *positive = w->form.side[0].scale, *negative = w->form.side[1].scale;
    if (positive[0] == 1 && negative[0] == 1) return y;
    const lane_value high = choose(s, positive[0], negative[0]), low = choose(s, positive[1], negative[1]);
    return lane_fma(s->p, y, high, lane_mul(s->p, y, low));
}

/* Returns y N(E) as y c[0] + y c[0] (c[1] E + c[2] E^2), which has one full rounding, the last one. */
static lane_value times_top(const struct logistic *w, const struct sides *s, lane_value y, lane_value e)
{
    float rest[2][RATIO_DEGREE + 1];
    for (unsigned side = 0; side < 2; side++)
        for (unsigned k = 0; k <= RATIO_DEGREE; k++)
            rest[side][k] = w->form.side[side].top[k] / w->form.side[side].top[0];
    y = times_first(w, s, y);
    if (!is_constant_ratio(rest[0]) || !is_constant_ratio(rest[1])) {
        const lane_value share = lane_mul(s->p, e, horner(s, rest[0], rest[1], e, 1));
        y = lane_fma(s->p, y, share, y);
    }
    return y;
}

/* Returns D over the scale by Horner's scheme, and in *lost what its roundings lose. */
static lane_value careful_bottom(const struct sides *s, const struct scaled_bottom d[2], lane_value e,
                                 lane_value *lost)
{
    lane_program *p = s->p;
    const float *positive = d[0].coefficient, *negative = d[1].coefficient;
    unsigned k = RATIO_DEGREE;
    while (k > 1 && positive[k] == 0 && negative[k] == 0) k--;
    lane_value sum = choose(s, positive[k], negative[k]), below = 0;
    while (k-- > 0) {
        const lane_value c = choose(s, positive[k], negative[k]), next = lane_fma(p, sum, e, c);
        const lane_value own = lane_plus_product(p, lane_sub(p, c, next), sum, e);
        below = below ? lane_fma(p, below, e, own) : own;
        sum = next;
    }
    const bool is_rounded = d[0].share != 0 || d[1].share != 0;
    *lost = is_rounded ? lane_fma(p, choose(s, d[0].share, d[1].share), sum, below) : below;
    return sum;
}

/* Returns y N(E) / D(E). */
static lane_value times_ratio(const struct logistic *w, const struct sides *s, lane_value y, lane_value e)
{
    const struct ratio *ratio = w->form.side;
    y = times_top(w, s, y, e);
    if (w->divided) {
        struct scaled_bottom d[2];
        lane_value lost;
        for (unsigned side = 0; side < 2; side++) logistic_scale_bottom(&d[side], &ratio[side]);
        const lane_value bottom = careful_bottom(s, d, e, &lost);
        const bool may_overflow = fabsf(ratio[0].scale[0]) > 1 || fabsf(ratio[1].scale[0]) > 1;
        return logistic_careful_quotient(s->p, y, 0, bottom, lost, may_overflow);
    }
    if (has_bottom(w)) y = lane_binary(s->p, LANE_DIV, y, horner(s, ratio[0].bottom, ratio[1].bottom, e, 0));
    return times_scale(w, s, y);
}

/* Returns N(E) / (c[0] D(E)) - 1. The numerator has one rounding, because its coefficients are mostly powers
 * of two. */
static lane_value ratio_less_one(const struct logistic *w, const struct sides *s, lane_value e)
{
    const struct ratio *ratio = w->form.side;
    lane_value part[RATIO_DEGREE + 1];
    unsigned degree = 2;
    for (unsigned k = 1; k <= RATIO_DEGREE; k++) {
        float c[2];
        for (unsigned side = 0; side < 2; side++)
            c[side] = ratio[side].top[k] / ratio[side].top[0] - ratio[side].bottom[k];
        part[k] = lane_mul(s->p, choose(s, c[0], c[1]), e);
        if (c[0] != 0 || c[1] != 0) degree = k > degree ? k : degree;
    }
    lane_value top = part[degree];
    for (unsigned k = degree; --k > 0;) top = lane_fma(s->p, top, e, part[k]);
    return lane_binary(s->p, LANE_DIV, top, horner(s, ratio[0].bottom, ratio[1].bottom, e, 0));
}

/* Returns `decaying` on the sides where f decays, and `plain` on the others. */
static lane_value where_decaying(const struct logistic *w, const struct sides *s, lane_value decaying,
                                 lane_value plain)
{
    const struct factor_side *side = w->f.side;
    if (side[0].decays && side[1].decays) return decaying;
    return side[1].decays ? lane_select(s->p, s->is_negative, decaying, plain)
                          : lane_select(s->p, s->is_negative, plain, decaying);
}

/* Returns x, clamped where f decays, because 0 times an infinity would be NaN. */
static lane_value held(const struct logistic *w, lane_program *p, lane_value x)
{
    const struct factor_side *side = w->f.side;
    if (side[0].decays) x = lane_min(p, lane_f32(p, side[0].last), x);
    return side[1].decays ? lane_max(p, lane_f32(p, -side[1].last), x) : x;
}

static lane_value times_powers(const struct logistic *w, lane_program *p, lane_value y, lane_value v)
{
    for (unsigned k = 1; k < w->form.power; k++) y = lane_mul(p, y, v);
    return y;
}

/* Returns x^m N(E) / D(E), times 1 + fraction where f decays, as x^m (1 + g). Near 0 the roundings of E, D
 * and the quotient count little compared with 1, and 1 + g is never rounded. */
static lane_value beside_one(const struct logistic *w, const struct sides *s, lane_value x,
                             lane_value fraction, lane_value e)
{
    lane_program *p = s->p;
    const lane_value one = lane_f32(p, 1), own = where_decaying(w, s, fraction, lane_f32(p, 0));
    const lane_value v = held(w, p, x);
    const lane_value g = lane_fma(p, lane_add(p, one, own), ratio_less_one(w, s, e), own);
    const lane_value y = w->form.power ? lane_fma(p, v, g, v) : lane_add(p, one, g);
    return times_scale(w, s, times_first(w, s, times_powers(w, p, y, v)));
}

/* Returns v^m exp(q) / 2^n where f decays, and x^m elsewhere. v is x, clamped where f decays. */
static lane_value numerator(const struct logistic *w, const struct sides *s, lane_value x, lane_value t,
                            struct factored_exp_value power, lane_value whole)
{
    const struct factor_side *side = w->f.side;
    const bool both = side[0].decays && side[1].decays;
    lane_program *p = s->p;
    lane_value v = side[0].decays ? t : lane_unary(p, LANE_NEG, t), y = whole;
    if (both && w->form.power % 2) v = held(w, p, x);
    if (w->form.power) y = w->careful ? lane_fma(p, v, power.fraction, v) : lane_mul(p, v, whole);
    y = times_powers(w, p, y, v);
    return both ? y : where_decaying(w, s, y, w->form.power ? times_powers(w, p, x, x) : lane_f32(p, 1));
}

static lane_value build_logistic(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct logistic *w = parameters;
    const double last = fmax(w->f.side[0].last, w->f.side[1].last);
    const lane_value zero = lane_f32(p, 0);
    (void)possible;
    lane_value beyond;
    const lane_value t = ended_argument(&w->end, p, LANE_MIN, last, lane_unary(p, LANE_ABS, x), &beyond);
    const struct factored_exp_value power =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){.t = t}, w->costs);
    const lane_value whole = w->careful ? lane_add(p, lane_f32(p, 1), power.fraction) : power.whole;
    const lane_value e = ended_value(p, beyond, 0, factored_scale_coarse(&power.scale, p, whole));
    const struct sides s = {p, lane_less(p, x, zero)};
    const lane_value y = w->beside ? beside_one(w, &s, x, power.fraction, e)
                                   : times_ratio(w, &s, numerator(w, &s, x, t, power, whole), e);
    const lane_value own = ended_value(p, beyond, w->end.zero, factored_scale(&power.scale, p, y));
    return where_decaying(w, &s, own, y);
}

/* -- both sides in one -- */

/* Returns whether f is c x^m / (1 + exp(-u)). */
static bool is_joined(const struct logistic *w)
{
    const struct factor_polynomial *q = &w->form.q;
    static const struct ratio simple = {{0}, {1, 1, 0}, {1, 0}};
    const struct ratio *side = w->form.side;
    if (w->f.side[0].decays == w->f.side[1].decays || w->form.power > 1) return false;
    for (unsigned k = 0; k <= q->degree; k += 2)
        if (q->coefficient[k] != 0) return false;
    return !memcmp(&side[0], &side[1], sizeof *side) && is_constant_ratio(side[0].top) &&
           !memcmp(side[0].bottom, simple.bottom, sizeof simple.bottom);
}

/* Returns 2^n + 1 + e.high + e.low - bottom, where `bottom` is near that sum. The larger of 2^n and 1 is
 * taken first, so that the difference loses nothing. */
static lane_value lost_by_sum(lane_program *p, lane_value power, struct factored_exp_value e,
                              lane_value bottom)
{
    const lane_value one = lane_f32(p, 1), most = lane_max(p, one, power), least = lane_min(p, one, power);
    const lane_value whole = lane_add(p, lane_sub(p, most, bottom), least);
    return lane_add(p, lane_add(p, whole, e.words.high), e.words.low);
}

/* Returns top / (2^n + 1 + fraction). Nearly all of its error is the last rounding: the rounding errors of
 * the sum and of the quotient are computed and added back. If the fraction has no low word, 2^n + 1 counts as
 * exact. */
static lane_value careful_quotient(lane_program *p, lane_value top, lane_value power,
                                   struct factored_exp_value e)
{
    const lane_value one = lane_f32(p, 1), base = lane_add(p, power, one);
    const lane_value bottom = lane_add(p, base, e.fraction);
    const lane_value lost = e.words.has_low ? lost_by_sum(p, power, e, bottom)
                                            : lane_sub(p, e.fraction, lane_sub(p, bottom, base));
    return logistic_careful_quotient(p, top, 0, bottom, lost, false);
}

/* Returns top / (2^n + 1 + fraction). `power` is 2^n. */
static lane_value joined_quotient(const struct logistic *w, lane_program *p, lane_value top, lane_value power,
                                  struct factored_exp_value e)
{
    if (w->careful) return careful_quotient(p, top, power, e);
    lane_value bottom;
    if (w->inverse != 1 && !e.power) {
        bottom = lane_fma(p, power, lane_f32(p, w->inverse), e.whole);
    } else {
        if (w->inverse != 1) power = lane_mul(p, power, lane_f32(p, w->inverse));
        bottom = e.power ? lane_fma(p, e.power, e.whole, power) : lane_add(p, power, e.whole);
    }
    return lane_binary(p, LANE_DIV, top, bottom);
}

static lane_value build_joined(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct logistic *w = parameters;
    const bool mirrored = w->f.side[0].decays;
    const float c = w->form.side[0].top[0] * w->form.side[0].scale[0], low = w->form.side[0].scale[1];
    (void)possible;
    const struct logistic_argument a =
        logistic_argument(p, mirrored ? lane_unary(p, LANE_NEG, x) : x, w->low, w->high, w->end);
    const lane_value above = a.above;
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){.t = a.held}, w->costs);
    lane_value top = lane_f32(p, mirrored && w->form.power ? -(double)c : (double)c);
    if (w->form.power && (c == 1 || w->inverse != 1) && !mirrored)
        top = above;
    else if (w->form.power && w->inverse != 1)
        top = lane_unary(p, LANE_NEG, above);
    else if (w->form.power && low != 0)
        top = lane_fma(p, top, above, lane_mul(p, lane_f32(p, mirrored ? -(double)low : (double)low), above));
    else if (w->form.power)
        top = lane_mul(p, top, above);
    lane_value power = factored_scale_power(&e.scale, p);
    if (w->exp.as.range == EXP_SMALL)
        return lane_binary(p, LANE_DIV, top, lane_fma(p, power, e.whole, lane_f32(p, 1)));
    power = ended_value(p, a.beyond, 0, power);
    const lane_value y = factored_scale(&e.scale, p, joined_quotient(w, p, top, power, e));
    return ended_value(p, a.beyond, w->end.zero, y);
}

/* -- candidates -- */

/* Lets the bound allow the exponential a rough multiple of its period. A q of several terms is carried in two
 * floats anyway. */
static void allow_rough(struct logistic *w, const struct factor_polynomial *q,
                        const struct shape_context *context)
{
    const double most = -quick_log_value((double)factor_exponential(q, w->exp.most));
    if (q->degree <= 1 &&
        factored_exp_roughness(q, most) <= logistic_part_of_bound(context, BUDGET_LOGISTIC_ULPS_ROUGH))
        w->exp.as.argument = EXP_ROUGH;
}

/* Returns 1/c for struct logistic. */
static double inverse_of(const struct logistic *w)
{
    const struct ratio *r = &w->form.side[0];
    const double c = ((double)r->scale[0] + (double)r->scale[1]) * (double)r->top[0];
    return w->form.power && !f64_is_power_of_two(c) ? 1 / c : 1;
}

static bool add_joined(struct candidate *out, const struct logistic *kind, const struct factor_polynomial *q,
                       unsigned log2_entries, bool keeps_low, double error,
                       const struct shape_context *context)
{
    const struct spec_bound *bound = &context->request->piece.bound;
    const struct factor_side *side = &kind->f.side[kind->f.side[1].decays];
    struct logistic *w = arena_alloc(context->memory, sizeof *w);
    *w = *kind;
    const bool is_near = bound->kind == BOUND_ABS;
    w->inverse = is_near || w->careful ? 1 : inverse_of(w);
    const struct factored_exp_form form = {.argument = is_near ? EXP_IN_FLOAT : EXP_EXACT,
                                           .range = is_near ? EXP_SMALL : EXP_ANY,
                                           .sum = keeps_low ? EXP_TWO_WORDS : EXP_ONE_WORD,
                                           .log2_entries = log2_entries,
                                           .inverse = !is_near,
                                           .multiple = w->inverse};
    if (!factored_exp_fit(&w->exp, q, form, error)) return false;
    if (!is_near) w->end = ended_on_side(context, kind->f.side[1].decays);
    w->high = logistic_end(q, 0, BUDGET_UNSEEN);
    w->low = -(is_near ? logistic_end(q, w->form.power, bound->value * BUDGET_LOGISTIC_END)
                       : ended_last(side, w->form.power, 1, &w->end));
    w->exp.most = fmax(w->high, -w->low);
    if (!is_near && !keeps_low) allow_rough(w, q, context);
    struct text t = text_new(context->memory);
    text_add(&t, "x^%u / (1 + exp(-u)), exp by ", w->form.power);
    if (log2_entries) text_add(&t, "a table of %u and ", 1u << log2_entries);
    text_add(&t, "a polynomial of %u terms, error %.2g", w->exp.terms, w->exp.error);
    if (keeps_low) text_add(&t, " in two words");
    if (w->careful) text_add(&t, ", divided with care");
    *out = (struct candidate){
        .shape = "factored", .description = t.data, .build = build_joined, .parameters = w};
    return candidate_finish(out, context);
}

static size_t add_all_joined(struct candidate *out, size_t room, const struct logistic *found,
                             const struct factor_polynomial *q, const struct shape_context *context)
{
    const struct spec_bound *bound = &context->request->piece.bound;
    static const double loose[] = BUDGET_LOGISTICS_LOOSE;
    const bool is_loose = bound->kind == BOUND_ABS;
    const struct logistic_errors strict = logistic_errors_in_ulps(context);
    size_t count = 0;
    /* Measured on AVX2: a polynomial in x before the exponential makes a dependency chain that segments do
     * not have. */
    if (is_loose && q->degree > 1) return 0;
    for (unsigned k = 0; k <= FACTORED_EXP_LOG2_ENTRIES; k++) {
        const bool is_cheap = !k || (k > 2 && 1u << k <= context->request->profile.lookup_f32);
        for (unsigned i = 0; i < (is_loose ? 3 : strict.count) && is_cheap && count < room; i++)
            if (add_joined(&out[count], found, q, k, false,
                           is_loose ? loose[i] * bound->value : strict.list[i], context))
                count++;
    }
    struct logistic careful = *found;
    careful.careful = true;
    for (unsigned kept = 0; kept < 2 && !is_loose && context->request->profile.fma && count < room; kept++)
        count += add_joined(&out[count], &careful, q, 0, kept,
                            kept ? BUDGET_LOGISTIC_WORDS : BUDGET_LOGISTIC_CAREFUL, context);
    return count;
}

/* Returns whether D can be divided by with care. */
static bool suits_division(const struct logistic *w)
{
    struct scaled_bottom unused;
    return logistic_scale_bottom(&unused, &w->form.side[0]) &&
           logistic_scale_bottom(&unused, &w->form.side[1]);
}

/* The ways of computing x^m (1 + fraction) N / D, from the least careful on. */
enum sides_care { SIDES_PLAIN, SIDES_PRODUCT, SIDES_BESIDE, SIDES_QUOTIENT, SIDES_CARES };

/* Returns the end of the sides that decay. Zeros of two signs need the clamp. */
static struct ended end_of_sides(const struct logistic *w, const struct shape_context *context)
{
    const struct factor_side *side = w->f.side;
    struct ended e = ended_on_side(context, side[1].decays);
    if (side[0].decays && side[1].decays) {
        const struct ended other = ended_on_side(context, 0);
        e.by_mask = e.by_mask && other.by_mask && signbit(e.zero) == signbit(other.zero);
    }
    return e;
}

/* Returns x^m for a large x. On the side where f does not decay, the program multiplies it by the power of
 * two, too, and a select leaves the product out. */
static double most_of_other_side(const struct logistic *w)
{
    const struct factor_side *side = w->f.side;
    return side[0].decays && side[1].decays ? 1 : ldexp(1, 30 * (int)w->form.power);
}

static bool add_sides(struct candidate *out, const struct logistic *found, enum sides_care care, double error,
                      const struct shape_context *context)
{
    struct logistic *w = arena_alloc(context->memory, sizeof *w);
    const struct factor_polynomial *q = &found->form.q;
    *w = *found;
    w->careful = care == SIDES_PRODUCT || care == SIDES_QUOTIENT;
    w->beside = care == SIDES_BESIDE;
    w->divided = care == SIDES_QUOTIENT;
    if (((w->beside || w->divided) && !has_bottom(w)) || (w->divided && !suits_division(w)) ||
        !factored_exp_fit(&w->exp, q, (struct factored_exp_form){0}, error))
        return false;
    w->end = end_of_sides(w, context);
    for (int i = 0; i < 2; i++)
        if (w->f.side[i].decays)
            w->f.side[i].last = ended_last(&w->f.side[i], w->form.power, most_of_other_side(w), &w->end);
    w->exp.most = fmax(w->f.side[0].last, w->f.side[1].last);
    allow_rough(w, q, context);
    struct text t = text_new(context->memory);
    text_add(&t, "x^%u N(E) / D(E), E = exp(q(|x|)) by a polynomial of %u terms, error %.2g%s%s",
             w->form.power, w->exp.terms, w->exp.error, w->careful ? ", multiplied with care" : "",
             w->beside    ? ", as 1 + (N - D) / D"
             : w->divided ? ", divided with care"
                          : "");
    *out = (struct candidate){
        .shape = "factored", .description = t.data, .build = build_logistic, .parameters = w};
    return candidate_finish(out, context);
}

size_t logistic_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const bool is_abs = context->request->piece.bound.kind == BOUND_ABS;
    const struct logistic_errors errors = logistic_errors_in_ulps(context);
    struct logistic found = {.costs = context->request->costs};
    size_t count = 0;
    if (context->traits->is_algebraic) return no_candidates(context, "logistic", WHY_ALGEBRAIC);
    const struct factor *f = traits_factor(context->traits);
    if (!f) return no_candidates(context, "logistic", WHY_NO_FACTOR);
    found.f = *f;
    if (!logistic_find(&found.form, f, context->traits->fitted))
        return no_candidates(context, "logistic",
                             "it is not x^m u^j E^k N(E) / D(E) with E = exp(q(|x|)), u = 1 - E");
    if (!factored_exp_suits(&found.form.q, context->request->profile.fma))
        return no_candidates(context, "logistic", "without fma, the exponent must be one power of x");
    if (found.form.steps || found.form.decay > 1)
        return logistic_product_candidates(out, room, f, &found.form, context);
    if (is_joined(&found)) count = add_all_joined(out, room, &found, &found.form.q, context);
    for (unsigned i = 0; i < errors.count && !is_abs; i++)
        for (unsigned care = 0; care < SIDES_CARES && count < room; care++)
            count += add_sides(&out[count], &found, (enum sides_care)care, errors.list[i], context);
    return count ? count : no_candidates(context, "logistic", WHY_NO_FIT);
}
