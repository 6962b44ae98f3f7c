#include "rational.h"

#include <math.h>

enum { POINTS = 72, MOST_TERMS = 14 };

/* sqrt(q), from that of a double by one step of Newton's: exact enough for 1 - sqrt(1 - y). */
static quad root(quad q)
{
    if (q <= 0) return 0;
    quad r = sqrt((double)q);
    return (r + q / r) / 2;
}

/* What R stands for where h has the value given, and how much an error of w counts in h. */
static double unlink(const struct rational *w, quad h, double *derivative)
{
    const quad limit = w->f.limit, y = h / limit;
    if (w->link == LINK_CIRCLE) {
        const quad t = y / (1 + root((1 - y) * (1 + y)));
        *derivative = fabs((double)(limit * 2 * (1 - t * t) / ((1 + t * t) * (1 + t * t))));
        return (double)t;
    }
    *derivative = 1;
    if (w->link == LINK_NONE) return (double)h;
    quad g = 1 - y, part = -y, slope = fabs(w->f.limit);
    for (unsigned k = 0; k < w->doublings; k++) { /* g^(1/2) - 1 = (g - 1) / (1 + g^(1/2)) does not cancel */
        g = root(g);
        part *= 2 / (1 + g);
    }
    for (unsigned k = 1; k < 1u << w->doublings; k++) slope *= g;
    *derivative = (double)slope;
    return (double)part;
}

struct sampler {
    reference *truth;
    struct fit_problem *grid; /* for fit_points */
    bool relative;
    quad h[POINTS]; /* at fit_points' t; asked of the reference once */
};

static bool ask(struct sampler *s, const struct half_line *f)
{
    fit_points(s->grid, 0, f->f.end, POINTS);
    s->grid->point[0] = (double)s->grid->point[1] * 0x1p-10; /* h / v there is its limit at 0 */
    for (unsigned i = 0; i < POINTS; i++)
        if (!half_line_value(&s->h[i], f, s->truth, (double)s->grid->point[i])) return false;
    return true;
}

/* R at each point, and the weights. */
static bool set_problem(struct quotient_problem *out, const struct sampler *s, const struct rational *w)
{
    out->point_count = POINTS;
    for (unsigned i = 0; i < POINTS; i++) {
        const double t = (double)s->grid->point[i], v = w->f.sign * t;
        double derivative, prefactor = 1, value = unlink(w, s->h[i], &derivative);
        for (unsigned k = 0; k < w->m; k++) prefactor *= v;
        out->point[i] = w->form == RATIONAL_SQUARE ? v * v : v;
        out->value[i] = value / prefactor;
        out->weight[i] = derivative * fabs(prefactor);
        if (s->relative) out->weight[i] /= fabs((double)s->h[i]);
        if (!isfinite(out->value[i]) || !isfinite(out->weight[i])) return false;
    }
    return true;
}

/* Among the quotients of `terms` + 1 coefficients the best one. */
static bool best_split(struct quotient *best, struct quotient_problem *problem, unsigned terms, bool whole)
{
    enum { WIDEST = 2 }; /* difference of the degrees */
    best->error = (double)INFINITY;
    for (unsigned n = 0; n <= terms; n++) {
        const unsigned m = terms - n;
        struct quotient found;
        if (whole ? m != 0 : !m || n > m + WIDEST || m > n + WIDEST) continue;
        if (n > QUOTIENT_MAX_DEGREE || m > QUOTIENT_MAX_DEGREE) continue;
        problem->numerator_degree = n;
        problem->denominator_degree = m;
        quotient_fit(&found, problem);
        if (found.error < best->error) *best = found;
    }
    problem->numerator_degree = best->numerator_degree;
    problem->denominator_degree = best->denominator_degree;
    return isfinite(best->error);
}

static bool is_finite(const struct rational *w)
{
    const double end = w->f.sign * w->f.f.end;
    return quotient_is_finite(&w->r, 0, w->form == RATIONAL_SQUARE ? end * end : end);
}

/* Whether the numerator's constant can be 1 without loss: what the denominator's becomes is nearly an f32 number. */
static bool allows_unit(const struct rational *w, bool relative)
{
    const double constant = w->r.denominator[0] / w->r.numerator[0], rounded = (double)(float)constant;
    return relative && w->m == 1 && constant > 0 && w->r.numerator_degree &&
           fabs(rounded - constant) <= 0x1p-26 * fabs(constant) && (w->r.denominator_degree || rounded == 1);
}

/* The fewest coefficients that reach `wanted`. */
static bool fit(struct rational *w, const struct sampler *s, double wanted)
{
    const bool whole = w->link == LINK_SQUARES;
    struct quotient_problem problem;
    if (!set_problem(&problem, s, w)) return false;
    for (unsigned terms = 1; terms <= MOST_TERMS; terms++) {
        if (!best_split(&w->r, &problem, terms, whole) || !(w->r.error <= wanted)) continue;
        problem.unit_numerator = w->unit = allows_unit(w, s->relative);
        quotient_fit_rounded(&w->r, &problem);
        if (w->r.error <= wanted * 1.25 && is_finite(w)) return true;
    }
    return false;
}

static void describe(struct candidate *c, const struct rational *w, arena *memory)
{
    struct text t = text_new(memory);
    const char *variable = w->form == RATIONAL_SQUARE ? "x^2" : "v";
    half_line_describe(&t, &w->f);
    if (w->link == LINK_CIRCLE) text_add(&t, "%g 2w/(1 + w^2), w = ", w->f.limit);
    if (w->link == LINK_SQUARES)
        text_add(&t, "%g (1 - (1 + w/%u)^%u), w = ", w->f.limit, 1u << w->doublings, 1u << w->doublings);
    if (w->m) text_add(&t, w->m == 1 ? "v " : "v^%u ", w->m);
    text_add(&t, w->r.denominator_degree ? "p(%s)/q(%s)" : "p(%s)", variable, variable);
    text_add(&t, ", degree %u", w->r.numerator_degree);
    if (w->r.denominator_degree) text_add(&t, "/%u", w->r.denominator_degree);
    text_add(&t, ", |v| <= %.4g, fit error %.2g", w->f.f.end, w->r.error);
    c->shape = "rational";
    c->description = t.data;
}

static const struct {
    enum rational_form form;
    enum rational_link link;
    unsigned doublings;
} variants[] = {
    {RATIONAL_SQUARE, LINK_NONE, 0},    {RATIONAL_SQUARE, LINK_CIRCLE, 0},
    {RATIONAL_LINEAR, LINK_NONE, 0},    {RATIONAL_LINEAR, LINK_SQUARES, 2},
    {RATIONAL_LINEAR, LINK_SQUARES, 3}, {RATIONAL_LINEAR, LINK_SQUARES, 4},
};

/* Whether the variant makes sense for f; sets w->m. */
static bool suits(struct rational *w, const struct shape_context *context)
{
    const enum symmetry_kind symmetry = w->f.f.symmetry;
    const bool one_sided = symmetry == SYMMETRY_LEFT || symmetry == SYMMETRY_RIGHT;
    const bool even = symmetry == SYMMETRY_EVEN;
    if (w->link != LINK_NONE && w->f.limit == 0) return false;
    if (w->link == LINK_SQUARES && !one_sided) return false;
    if (w->form == RATIONAL_SQUARE) {
        if (one_sided || (even && (w->f.f.slope[0] != 0 || w->f.f.slope[1] != 0))) return false;
        w->m = !even;
        return w->link == LINK_NONE || w->m;
    }
    return (one_sided || even) && half_line_leading_power(&w->m, &w->f, context->fitted, 0);
}

size_t rational_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    const bool relative = request->bound.kind != BOUND_ABS;
    const double bound = relative ? judge_allowed(&request->bound) * 0x1p-24 : request->bound.value;
    struct half_line f;
    size_t count = 0;
    if (context->algebraic || !half_line_find(&f, context->fitted, relative, relative ? 0x1p-26 : bound / 4))
        return 0;
    struct sampler *s = arena_alloc(context->memory, sizeof *s);
    *s = (struct sampler){.truth = context->fitted, .relative = relative};
    s->grid = arena_alloc(context->memory, sizeof *s->grid);
    if (!ask(s, &f)) return 0;
    static const double shares[] = {0.6, 0.12, 0.03}; /* of the bound for the fit; roundings need the rest */
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        unsigned terms = 0;
        for (unsigned k = relative ? 1 : 0; k < (relative ? 3 : 2) && count < room; k++) {
            struct rational *w = arena_alloc(context->memory, sizeof *w);
            *w = (struct rational){.f = f,
                                   .form = variants[i].form,
                                   .link = variants[i].link,
                                   .doublings = variants[i].doublings};
            if (!suits(w, context) || !fit(w, s, shares[k] * bound)) break;
            if (w->r.numerator_degree + w->r.denominator_degree == terms) continue;
            terms = w->r.numerator_degree + w->r.denominator_degree;
            out[count] = (struct candidate){.build = rational_build, .parameters = w};
            describe(&out[count], w, context->memory);
            if (candidate_finish(&out[count], request, context->truth)) count++;
        }
    }
    return count;
}
