/* Power plans: h = limit + v^m p(v)^(2^k), or with the power -2^k, where p is a polynomial. The program needs
 * squarings, and one division for a negative power. It needs no lookup, no exponential and no integer
 * operation on a result. Fused multiply-add hardly matters.
 *
 * The idea comes from Abramowitz and Stegun 7.1.28, erfc x ~ (1 + a1 x + ... + a6 x^6)^-16. A root of high
 * degree of a function that decays like an exponential is nearly a polynomial. The plans serve absolute
 * bounds. An error of p counts 2^k times in relative terms where the function has decayed, which does no harm
 * there. */
#include "budget.h"
#include "half_line.h"
#include "horner.h"
#include "quotient.h"
#include "shape.h"

#include <math.h>

enum { POINTS = 64, LARGEST_LOG2_POWER = 5, HIGHEST_DEGREE = 9 };

struct power_plan {
    struct half_line f;
    unsigned m, log2_power;
    bool reciprocal, subtracted; /* the power is -2^k, h = limit - ... */
    bool clamped;
    struct quotient p;
};

/* Samples of |h - limit| / |v|^m. */
struct samples {
    unsigned count;
    double v[POINTS], root[POINTS]; /* the root of degree 2^k */
    double distance[POINTS];        /* |h - limit| */
};

/* Samples h. Returns false unless h - limit has one sign, and is a power of v times a function that is not 0
 * at 0. */
static bool sample_power(struct samples *s, struct power_plan *w, reference *truth, struct fit_problem *grid)
{
    const struct half_line *f = &w->f;
    if (!half_line_leading_power(&w->m, f, truth, f->limit)) return false;
    fit_points(grid, 0, f->end, POINTS);
    s->count = POINTS;
    for (unsigned i = 0; i < POINTS; i++) {
        quad h;
        double t = i ? (double)grid->point[i] : w->m ? f->end * 0x1p-20 : 0;
        if (!half_line_value(&h, f, truth, t, 0)) return false;
        const double d = (double)(h - (quad)f->limit), sign = f->sign < 0 && w->m % 2 ? -1 : 1;
        if (i == 0) w->subtracted = d * sign < 0;
        if (!(w->subtracted ? d * sign < 0 : d * sign > 0)) return false;
        s->v[i] = f->sign * t;
        s->distance[i] = fabs(d);
        s->root[i] = fabs(d);
        for (unsigned k = 0; k < w->m; k++) s->root[i] /= t;
    }
    return true;
}

/* Returns the largest error from roundings. Every squaring doubles the earlier errors: those of p and of the
 * earlier squarings. */
static double noise(const struct samples *s, const struct power_plan *w)
{
    double largest = 0;
    for (unsigned i = 0; i < s->count; i++) largest = fmax(largest, s->distance[i]);
    return largest * (1u << w->log2_power) * 0x1p-24;
}

static bool fit_power(struct power_plan *w, const struct samples *s, double wanted)
{
    struct quotient_problem problem = {.point_count = s->count};
    for (unsigned i = 0; i < s->count; i++) {
        problem.point[i] = s->v[i];
        problem.value[i] = w->reciprocal ? 1 / s->root[i] : s->root[i];
        problem.weight[i] = s->distance[i] * (1u << w->log2_power) / problem.value[i];
    }
    for (unsigned degree = 1; degree <= HIGHEST_DEGREE; degree++) {
        problem.numerator_degree = degree;
        quotient_fit(&w->p, &problem);
        if (!(w->p.error <= wanted)) continue;
        quotient_fit_rounded(&w->p, &problem);
        if (w->p.error <= wanted) return true;
    }
    return false;
}

/* Returns whether p keeps growing where the function has decayed. If so, the program needs no clamp. */
static bool decays_beyond_the_end(const struct power_plan *w, double tolerance)
{
    if (!w->reciprocal || w->m) return false;
    for (double t = w->f.end; t < 0x1p30; t *= 1.0625) {
        double power = quotient_value(&w->p, w->f.sign * t);
        for (unsigned k = 0; k < w->log2_power; k++) power *= power;
        if (!(1 / power <= 2 * tolerance)) return false;
    }
    return true;
}

static lane_value build_power(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct power_plan *w = parameters;
    const struct half_line *f = &w->f;
    (void)possible;
    lane_value v = w->clamped ? half_line_clamped(p, f, x, f->end) : half_line_argument(p, f, x);
    lane_value y = horner_f32(p, w->p.numerator, w->p.numerator_degree, v);
    for (unsigned k = 0; k < w->log2_power; k++) y = lane_mul(p, y, y);
    lane_value prefactor = v;
    for (unsigned k = 1; k < w->m; k++) prefactor = lane_mul(p, prefactor, v);
    if (w->reciprocal)
        y = lane_binary(p, LANE_DIV, w->m ? prefactor : lane_f32(p, 1), y);
    else if (w->m)
        y = lane_mul(p, prefactor, y);
    if (f->limit == 0) return half_line_result(p, f, x, y, w->subtracted);
    y = lane_binary(p, w->subtracted ? LANE_SUB : LANE_ADD, lane_f32(p, f->limit), y);
    return half_line_result(p, f, x, y, false);
}

static void describe_power(struct candidate *c, const struct power_plan *w, arena *memory)
{
    struct text t = text_new(memory);
    half_line_describe(&t, &w->f, true);
    if (w->f.limit != 0) text_add(&t, "%g ", w->f.limit);
    text_add(&t, "%s", w->subtracted ? "- " : w->f.limit != 0 ? "+ " : "");
    if (w->m) text_add(&t, w->m == 1 ? "v " : "v^%u ", w->m);
    text_add(&t, "p(v)^%s%u, degree %u, |v| <= %.4g%s, fit error %.2g", w->reciprocal ? "-" : "",
             1u << w->log2_power, w->p.numerator_degree, w->f.end, w->clamped ? "" : " and beyond",
             w->p.error);
    c->shape = "power";
    c->description = t.data;
}

size_t power_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    const double bound = request->piece.bound.value, tolerance = BUDGET_SETTLED_WHOLE * bound;
    struct power_plan base = {0};
    size_t count = 0;
    if (request->piece.bound.kind != BOUND_ABS)
        return no_candidates(context, "power", "it serves absolute bounds");
    if (context->traits->is_algebraic) return no_candidates(context, "power", WHY_ALGEBRAIC);
    if (!half_line_find(&base.f, context->traits, false, tolerance))
        return no_candidates(context, "power", WHY_NO_HALF_LINE);
    if (base.f.symmetry == SYMMETRY_NONE) return no_candidates(context, "power", WHY_NO_SYMMETRY);
    struct samples *s = arena_alloc(context->memory, sizeof *s);
    struct fit_problem *grid = arena_alloc(context->memory, sizeof *grid);
    if (!sample_power(s, &base, context->traits->fitted, grid))
        return no_candidates(context, "power",
                             "its distance from the limit changes sign, or is no power at 0");
    for (unsigned k = 1; k <= LARGEST_LOG2_POWER; k++) {
        base.log2_power = k;
        for (unsigned i = 0; i < s->count; i++) s->root[i] = sqrt(s->root[i]);
        const double wanted = BUDGET_POWER * bound - noise(s, &base);
        for (int reciprocal = 0; reciprocal < 2 && count < room; reciprocal++) {
            struct power_plan *w = arena_alloc(context->memory, sizeof *w);
            *w = base;
            w->reciprocal = reciprocal;
            if (wanted < BUDGET_POWER_LEAST * bound || !fit_power(w, s, wanted)) continue;
            w->clamped = !decays_beyond_the_end(w, tolerance);
            out[count] = (struct candidate){.build = build_power, .parameters = w};
            describe_power(&out[count], w, context->memory);
            if (candidate_finish(&out[count], context)) count++;
        }
    }
    return count ? count : no_candidates(context, "power", WHY_NO_FIT);
}
