/* Products of logistic functions, which decay like a power of one exponential or vanish at 0 like 1 - z:
 *
 *     f(x) = c x^m (1 - z)^j / D(z),   z = exp(-u),   m <= 1, j <= 1,
 *
 * where u is an odd polynomial and D(z) = 1 + d1 z + ... + z^K. Examples are x sigmoid(x)^2 = x / (1 + z)^2,
 * tanh(x) sigmoid(x) = (1 - z) / (1 + z^2) and silu(x) tanh(x) = x (1 - z) / (1 + z^2). One exponential and
 * one division serve all factors, and one formula serves both sides. z is (1 + g) / s with s = 2^n, and
 *
 *     f = s^(K - j) c x^m (s - 1 - g)^j / (s^K D(z)),   s^K D(z) = C0(s) + g (C1(s) + g (C2(s) + ...)).
 *
 * Near 0, s - 1 is 0, so that s - 1 - g does not cancel. C0 has few bits and is mostly exact. The powers of s
 * come last, with one rounding for subnormal results. */
#include "budget.h"
#include "factored_exp.h"
#include "float_bits.h"
#include "logistic.h"

#include <math.h>

enum care { CARE_NONE, CARE_QUOTIENT, CARE_WORDS, CARES };

struct product {
    struct factored_exp exp;
    const struct target_costs *costs;
    unsigned power, step;            /* m, j */
    unsigned degree, decay;          /* K, K - j */
    double bottom[RATIO_DEGREE + 1]; /* D */
    double constant;                 /* c, with a sign where mirroring changes it */
    /* A power of two by which the fraction is computed too large. It makes up for a slope of u below 1 and
     * for c, so that nothing is lost for subnormal x. */
    double scale;
    double low, high; /* the range of -u's variable */
    struct ended end; /* the end at `low` */
    bool mirrored;    /* f decays for x > 0 */
    enum care care;
};

/* Returns C_i(s) / scale^i: the sum of d_k binomial(k, i) s^(K - k). `first` is the least exponent, and the
 * powers are divided by s^first. */
static lane_value part_of(const struct product *w, lane_program *p, lane_value s, unsigned i, unsigned first)
{
    const unsigned top = w->degree - i;
    lane_value sum = 0;
    for (unsigned k = top + 1; k-- > first;) {
        double c = w->bottom[w->degree - k];
        for (unsigned m = 0; m < i; m++) c *= (double)(w->degree - k - m) / ((m + 1) * w->scale);
        const lane_value constant = lane_f32(p, c);
        const bool unit = k + 1 == top && sum == lane_f32(p, 1);
        if (k == top)
            sum = constant;
        else if (c == 0)
            sum = unit ? s : lane_mul(p, sum, s);
        else
            sum = unit ? lane_add(p, s, constant) : lane_fma(p, sum, s, constant);
    }
    return sum;
}

/* Returns s^K D(z) as the sum of d_k p^k s^(K - k), where every operation rounds. */
static lane_value rounded_bottom(const struct product *w, lane_program *p, lane_value s, lane_value g)
{
    const lane_value one = lane_f32(p, 1);
    const lane_value near =
        w->scale == 1 ? lane_add(p, one, g) : lane_fma(p, g, lane_f32(p, 1 / w->scale), one);
    lane_value sum = lane_f32(p, w->bottom[w->degree]), power = one;
    for (unsigned k = w->degree; k-- > 0;) {
        const double c = w->bottom[k];
        power = power == one ? s : lane_mul(p, power, s);
        if (c == 0)
            sum = sum == one ? near : lane_mul(p, sum, near);
        else if (sum == one && c != 1)
            sum = lane_fma(p, power, lane_f32(p, c), near);
        else if (sum == one)
            sum = lane_add(p, near, power);
        else
            sum = lane_fma(p, sum, near, c == 1 ? power : lane_mul(p, power, lane_f32(p, c)));
    }
    return sum;
}

/* s^K D(z) is first + g rest, and the rest is second + beyond. `whole` is the rounded value. */
struct bottom {
    lane_value g, first, second, beyond, rest, whole;
};

static struct bottom bottom_of(const struct product *w, lane_program *p, lane_value s, lane_value g)
{
    lane_value sum = part_of(w, p, s, w->degree, 0);
    for (unsigned i = w->degree; --i > 1;) {
        const lane_value part = part_of(w, p, s, i, 0);
        sum = sum == lane_f32(p, 1) ? lane_add(p, g, part) : lane_fma(p, sum, g, part);
    }
    struct bottom b = {.g = g, .first = part_of(w, p, s, 0, 0), .second = part_of(w, p, s, 1, 0)};
    b.beyond = sum == lane_f32(p, 1) ? g : lane_mul(p, sum, g);
    b.rest = lane_add(p, b.second, b.beyond);
    b.whole = lane_fma(p, g, b.rest, b.first);
    return b;
}

/* Returns what the rounding of `whole` lost. In words, the roundings of the rest and of C0 do not count
 * either. C0 is 1 + tail, of which the larger is taken first. */
static lane_value lost_by(const struct product *w, lane_program *p, lane_value s, struct bottom b)
{
    lane_value most = b.first, least = 0;
    if (w->care == CARE_WORDS && !w->step) {
        const lane_value one = lane_f32(p, 1), tail = lane_mul(p, s, part_of(w, p, s, 0, 1));
        most = lane_max(p, one, tail), least = lane_min(p, one, tail);
    }
    lane_value lost = lane_sub(p, most, b.whole);
    if (w->care == CARE_WORDS)
        lost = lane_fma(p, b.g, b.beyond, lane_fma(p, b.g, b.second, lost));
    else
        lost = lane_fma(p, b.g, b.rest, lost);
    return least ? lane_add(p, lost, least) : lost;
}

static lane_value times_constant_unless_one(lane_program *p, lane_value y, double c)
{
    return c == 1 ? y : lane_mul(p, y, lane_f32(p, c));
}

/* Returns (s - 1 - g) / (s^K D(z)), or top / (s^K D(z)) if j is 0. */
static lane_value logistic_quotient(const struct product *w, lane_program *p, lane_value top, lane_value s,
                                    lane_value g)
{
    lane_value beyond = 0;
    if (w->step) { /* scale (s - 1 - g), and what its rounding lost */
        const lane_value scale = lane_f32(p, w->scale);
        const lane_value whole =
            w->scale == 1 ? lane_sub(p, s, scale) : lane_fma(p, s, scale, lane_f32(p, -w->scale));
        top = lane_sub(p, whole, g);
        if (w->care == CARE_WORDS) beyond = lane_sub(p, lane_sub(p, whole, top), g);
    }
    if (w->care == CARE_NONE) return lane_binary(p, LANE_DIV, top, rounded_bottom(w, p, s, g));
    const struct bottom b = bottom_of(w, p, s, g);
    return logistic_careful_quotient(p, top, beyond, b.whole, lost_by(w, p, s, b), false);
}

/* A constant that is a power of two multiplies x, which loses nothing. Another one multiplies the result. */
static lane_value build_logistic_product(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct product *w = parameters;
    const bool is_exact = f64_is_power_of_two(w->constant);
    (void)possible;
    const struct logistic_argument a =
        logistic_argument(p, w->mirrored ? lane_unary(p, LANE_NEG, x) : x, w->low, w->high, w->end);
    const lane_value above = a.above;
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){.t = a.held}, w->costs);
    const lane_value s = ended_value(p, a.beyond, 0, factored_scale_power(&e.scale, p));
    lane_value factor = w->power ? above : lane_f32(p, 1);
    if (is_exact && w->power)
        factor = times_constant_unless_one(p, factor, w->constant);
    else if (is_exact)
        factor = lane_f32(p, w->constant);
    lane_value y = logistic_quotient(w, p, factor, s, e.fraction);
    if (w->step && w->power)
        y = lane_mul(p, y, factor);
    else if (w->step && is_exact)
        y = times_constant_unless_one(p, y, w->constant);
    if (!is_exact) y = times_constant_unless_one(p, y, w->constant);
    for (unsigned i = 1; i < w->decay; i++) y = lane_mul(p, y, s);
    return ended_value(p, a.beyond, w->end.zero, factored_scale(&e.scale, p, y));
}

/* Returns whether the forms of both sides are one: where E is 1/z, E^k N(E) / D(E) is the same function of z
 * as N(E) / D(E) where E is z. */
static bool is_one_form(struct product *w, const struct factor *f, const struct logistic_form *form)
{
    const struct ratio *plain = &form->side[f->side[0].decays], *other = &form->side[!f->side[0].decays];
    if (f->side[0].decays == f->side[1].decays || form->power > 1 || form->steps > 1) return false;
    for (unsigned k = 0; k <= form->q.degree; k += 2)
        if (form->q.coefficient[k] != 0) return false;
    for (w->degree = RATIO_DEGREE; w->degree > 0 && plain->bottom[w->degree] == 0;) w->degree--;
    for (unsigned k = 0; k <= RATIO_DEGREE; k++) {
        const float opposite = k <= w->degree ? other->bottom[w->degree - k] : 0;
        if (plain->bottom[k] != opposite || (k && (plain->top[k] != 0 || other->top[k] != 0))) return false;
        w->bottom[k] = (double)plain->bottom[k];
    }
    if (plain->scale[0] != other->scale[0] || plain->scale[1] != 0 || other->scale[1] != 0) return false;
    return plain->top[0] == other->top[0] && form->decay + form->steps == w->degree;
}

/* Sets the scale of the fraction. */
static void set_scale(struct product *w, const struct logistic_form *form)
{
    const double slope = (double)quad_abs(form->q.coefficient[1]);
    w->scale = 1;
    if (!w->step) return;
    while (w->scale * slope < 1 && w->scale < 0x1p20) w->scale *= 2;
    if (fabs(w->constant) > w->scale && f64_is_power_of_two(w->constant)) w->scale = fabs(w->constant);
    w->constant /= w->scale;
}

static bool add(struct candidate *out, const struct product *found, const struct factor *f,
                const struct logistic_form *form, double error, const struct shape_context *context)
{
    static const char *const descriptions[] = {"", ", divided with care", ", divided with care in two words"};
    struct product *w = arena_alloc(context->memory, sizeof *w);
    *w = *found;
    const struct factored_exp_form exp = {
        .range = w->decay > 1 ? EXP_SMALL : EXP_ANY, .sum = EXP_FRACTION, .inverse = true, .scale = w->scale};
    if (!factored_exp_fit(&w->exp, &form->q, exp, error / (2 * form->decay))) return false;
    if (w->decay == 1) w->end = ended_on_side(context, !w->mirrored); /* Otherwise products scale. */
    w->high = logistic_end(&form->q, 0, BUDGET_UNSEEN);
    w->low = -ended_last(&f->side[!w->mirrored], w->power, 1, &w->end);
    w->exp.most = fmax(w->high, -w->low);
    struct text t = text_new(context->memory);
    text_add(&t, "x^%u ", form->power);
    if (form->steps) text_add(&t, "(1 - z) ");
    text_add(&t, "/ D(z), z = exp(-u) by a polynomial of %u terms, error %.2g, degree %u%s", w->exp.terms,
             w->exp.error, w->degree, descriptions[w->care]);
    *out = (struct candidate){
        .shape = "factored", .description = t.data, .build = build_logistic_product, .parameters = w};
    return candidate_finish(out, context);
}

size_t logistic_product_candidates(struct candidate *out, size_t room, const struct factor *f,
                                   const struct logistic_form *form, const struct shape_context *context)
{
    const struct logistic_errors errors = logistic_errors_in_ulps(context);
    struct product found = {.costs = context->request->costs,
                            .power = form->power,
                            .step = form->steps,
                            .decay = form->decay,
                            .mirrored = f->side[0].decays};
    size_t count = 0;
    if (context->request->piece.bound.kind == BOUND_ABS)
        return no_candidates(context, "logistic",
                             "products of logistic functions are written for bounds in ulps");
    if (!is_one_form(&found, f, form))
        return no_candidates(context, "logistic", "the two sides of the product have no formula in common");
    const struct ratio *ratio = &form->side[0];
    const bool is_negative = found.mirrored && (form->power + form->steps) % 2;
    found.constant = (double)ratio->scale[0] * (double)ratio->top[0] * (is_negative ? -1 : 1);
    set_scale(&found, form);
    for (unsigned i = 0; i < errors.count; i++)
        for (unsigned care = 0; care < CARES && count < room; care++) {
            if (care && !context->request->profile.fma) break;
            found.care = care;
            count += add(&out[count], &found, f, form, errors.list[i], context);
        }
    return count ? count : no_candidates(context, "logistic", WHY_NO_FIT);
}
