/* Plans for a exp(c x), a > 0, by a table, for targets with cheap permutes:
 *
 *     a exp(c x) = 2^floor(n) (T + T f),   n = round(2^k c x / ln 2) / 2^k,   T = a 2^(n - floor(n))
 *
 * The table holds the 2^k values of T, so that a takes no operation. A polynomial gives f = exp(r) - 1 for
 * |r| <= ln 2 / 2^(k + 1). f is so small that its roundings hardly count. The roundings of the entry and of
 * the sum remain. For a loose bound f is r.
 *
 * A second table could hold the rounding errors of the entries. The sum is then off by 0.76 ulp. Just above a
 * power of two, however, the sum is off by more than half an ulp, which softmax cannot tolerate. The careful
 * exp of composed.c serves that case. */
#include "budget.h"
#include "ended.h"
#include "factored_exp.h"
#include "factored_shapes.h"
#include "quick.h"
#include "quick_math.h"

#include <math.h>

/* The ends of c x + ln a: beyond them f32 results are 0 and infinity. */
static const double lowest = -104.5, highest = 89.5;
/* The lower end where two multiplications make the scale. Their product is then below ENDED_QUIETLY. */
static const double lowest_of_products = -113;

struct exponential {
    struct factored_exp exp;
    const struct target_costs *costs;
};

/* -- finding a and c -- */

/* Checks that f is a exp(q(t)) on the side, to 80 bits. Sets *a if it is 0. */
static bool is_power_on(unsigned side, const struct factor *f, const struct factor_polynomial *q,
                        reference *truth, quad *a)
{
    static const double places[] = {0.0625, 0.3125, 0.75, 1.375, 2.5};
    struct factor_rest rest = {.f = f, .truth = truth, .q = *q, .side = side};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        quad value;
        if (!factor_rest_at(&rest, places[i], &value)) return false;
        if (*a == 0) *a = value;
        if (!(value > 0) || quad_abs(value - *a) > (quad)0x1p-80 * *a) return false;
    }
    return true;
}

/* Sets *q to c x, as a polynomial of x, and *a. */
static bool find(struct factor_polynomial *q, double *a, const struct shape_context *context)
{
    quad multiple = 0;
    const struct factor *f = traits_factor(context->traits);
    if (!f || f->power > 0 || f->side[0].decays == f->side[1].decays) return false;
    const unsigned own = f->side[1].decays;
    const struct factor_polynomial decaying = f->side[own].q;
    if (decaying.degree != 1 || decaying.coefficient[0] != 0) return false;
    const struct factor_polynomial growing = {1, {0, -decaying.coefficient[1]}};
    *q = own ? growing : decaying;
    if (!is_power_on(own, f, &decaying, context->traits->fitted, &multiple) ||
        !is_power_on(1 - own, f, &growing, context->traits->fitted, &multiple))
        return false;
    *a = (double)multiple;
    return true;
}

/* -- code -- */

static lane_value build(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct exponential *w = parameters;
    const double c = (double)w->exp.q.coefficient[1], ln_a = (double)quick_log_value(w->exp.as.multiple);
    const struct ended end = {.by_mask = plan_scale_is_one(w->costs)};
    const double last = ((end.by_mask ? lowest : lowest_of_products) - ln_a) / c;
    lane_value beyond;
    (void)possible;
    x = lane_binary(p, c > 0 ? LANE_MIN : LANE_MAX, lane_f32(p, (highest - ln_a) / c), x);
    x = ended_argument(&end, p, c > 0 ? LANE_MAX : LANE_MIN, last, x, &beyond);
    const struct factored_exp_value e =
        factored_exp_build(&w->exp, p, (struct factored_exp_argument){.t = x}, w->costs);
    const lane_value y = lane_fma(p, e.power, e.fraction, e.power);
    return ended_value(p, beyond, 0, factored_scale(&e.scale, p, y));
}

/* -- candidates -- */

/* Uses r for f, which leaves out r^2 / 2. With the largest table, the entries may be made larger by half of
 * that error. exp(0) is then no longer 1. */
static bool fit_linear(struct factored_exp *e, const struct factor_polynomial *q,
                       struct factored_exp_form form, bool is_largest, double error)
{
    const double half = ldexp((double)reduction_ln2(), -(int)form.log2_entries - 1);
    *e = (struct factored_exp){.q = *q, .as = form, .base = 1, .terms = 1, .error = half * half / 2};
    if (is_largest && e->error > error) {
        e->error /= 2;
        e->base = 1 / (1 + e->error);
    }
    return q->coefficient[1] == 1 && e->error <= error;
}

static bool make(struct candidate *out, const struct factor_polynomial *q, struct factored_exp_form form,
                 double error, const struct shape_context *context)
{
    const unsigned log2_entries = form.log2_entries;
    const double a = form.multiple;
    struct exponential *w = arena_alloc(context->memory, sizeof *w);
    const bool is_largest = 2u << log2_entries > context->request->profile.lookup_f32 ||
                            log2_entries == FACTORED_EXP_LOG2_ENTRIES;
    if (form.sum == EXP_LINEAR ? !fit_linear(&w->exp, q, form, is_largest, error)
                               : !factored_exp_fit(&w->exp, q, form, error))
        return false;
    w->costs = context->request->costs;
    struct text t = text_new(context->memory);
    if (a != 1) text_add(&t, "%g ", a);
    text_add(&t, "exp(c x) by a table of %u and a polynomial of %u terms, error %.2g", 1u << log2_entries,
             w->exp.terms, w->exp.error);
    *out = (struct candidate){.shape = "factored", .description = t.data, .build = build, .parameters = w};
    return candidate_finish(out, context);
}

size_t exponential_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    /* Each kind is tried, and the resulting error is measured. */
    static const struct {
        enum exp_sum sum;
        double share;
    } kinds[] = {
        {EXP_LINEAR, BUDGET_TABLE}, {EXP_ONE_WORD, BUDGET_TABLE}, {EXP_ONE_WORD, BUDGET_TABLE_LEAST}};
    const struct plan_request *r = context->request;
    const double allowed =
        r->piece.bound.kind == BOUND_ABS ? r->piece.bound.value : 0x1p-24 * judge_allowed(&r->piece.bound);
    struct factor_polynomial q;
    double a;
    size_t count = 0;
    if (context->traits->is_algebraic) return no_candidates(context, "exponential", WHY_ALGEBRAIC);
    if (!r->profile.fma) return no_candidates(context, "exponential", WHY_NO_FMA);
    if (!find(&q, &a, context))
        return no_candidates(context, "exponential", "the formula is no multiple of exp(c x)");
    const bool rough = factored_exp_roughness(&q, highest) <= BUDGET_TABLE_LEAST * allowed;
    for (unsigned k = 3; k <= FACTORED_EXP_LOG2_ENTRIES && 1u << k <= r->profile.lookup_f32; k++)
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds && count < room; i++) {
            const struct factored_exp_form form = {.argument = rough ? EXP_ROUGH : EXP_EXACT,
                                                   .range = EXP_WHOLE,
                                                   .sum = kinds[i].sum,
                                                   .log2_entries = k,
                                                   .multiple = a};
            count += make(&out[count], &q, form, kinds[i].share * allowed, context);
        }
    return count ? count
                 : no_candidates(context, "exponential", "no table that lookups hold keeps the bound");
}
