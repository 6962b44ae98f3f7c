/* Rational plans: h (half_line.h) is one quotient R of polynomials, which takes one division:
 *
 *     SQUARE   h = x^m R(x^2), m = 0 or 1: smooth even and odd functions, of x itself
 *     LINEAR   h = v^m R(v)
 *
 * R may also describe w in place of an odd h. h then follows from w:
 *
 *     CIRCLE   h = limit 2 w / (1 + w^2) = limit 2 a b / (a^2 + b^2), w = a / b
 *
 * This form is flat where h is near its limit, so that the roundings of w nearly vanish there. If h itself is
 * the quotient, its roundings count most just there, where the polynomials are large. */
#include "budget.h"
#include "fit.h"
#include "half_line.h"
#include "horner.h"
#include "quotient.h"
#include "shape.h"

#include <math.h>

enum rational_form { RATIONAL_SQUARE, RATIONAL_LINEAR };

struct rational {
    struct half_line f;
    enum rational_form form;
    bool circle;
    unsigned m;
    bool unit;         /* m = 1, and the numerator's constant is 1 */
    struct quotient r; /* the quotient for h, or for w */
};

/* -- the fit -- */

enum { POINTS = 72, MOST_TERMS = 14 };

/* Returns sqrt(q). One step of Newton's method improves the square root of a double. The result is exact
 * enough for 1 - sqrt(1 - y). */
static quad root(quad q)
{
    if (q <= 0) return 0;
    quad r = sqrt((double)q);
    return (r + q / r) / 2;
}

/* Returns the value that R must have where h has the given value. Sets the factor by which an error of R
 * counts in h. */
static double unlink(const struct rational *w, quad h, double *derivative)
{
    const quad limit = w->f.limit, y = h / limit;
    *derivative = 1;
    if (!w->circle) return (double)h;
    const quad t = y / (1 + root((1 - y) * (1 + y)));
    *derivative = fabs((double)(limit * 2 * (1 - t * t) / ((1 + t * t) * (1 + t * t))));
    return (double)t;
}

struct sampler {
    reference *truth;
    struct fit_problem *grid; /* needed by fit_points */
    bool relative;
    quad h[POINTS]; /* values at the t of fit_points, asked of the reference once */
};

static bool ask_sample(struct sampler *s, const struct half_line *f)
{
    fit_points(s->grid, 0, f->end, POINTS);
    s->grid->point[0] = (double)s->grid->point[1] * 0x1p-10; /* h / v has here its limit at 0 */
    for (unsigned i = 0; i < POINTS; i++)
        if (!half_line_value(&s->h[i], f, s->truth, (double)s->grid->point[i], 0)) return false;
    return true;
}

/* Sets R and its weight at each point. */
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

/* The fits of one variant. They do not depend on the wanted error. */
struct fits {
    struct quotient_problem problem;
    unsigned known; /* fits with up to this many terms are known */
    struct quotient best[MOST_TERMS + 1];
};

/* Finds the best quotient of `terms` + 1 coefficients. */
static void best_split(struct quotient *best, struct quotient_problem *problem, unsigned terms)
{
    enum { WIDEST = 2 }; /* the largest difference of the degrees */
    best->error = (double)INFINITY;
    for (unsigned n = 0; n <= terms; n++) {
        const unsigned m = terms - n;
        struct quotient found;
        if (!m || n > m + WIDEST || m > n + WIDEST) continue;
        if (n > QUOTIENT_MAX_DEGREE || m > QUOTIENT_MAX_DEGREE) continue;
        problem->numerator_degree = n;
        problem->denominator_degree = m;
        quotient_fit(&found, problem);
        if (found.error < best->error) *best = found;
    }
}

static bool has_finite_quotient(const struct rational *w)
{
    const double end = w->f.sign * w->f.end;
    return quotient_is_finite(&w->r, 0, w->form == RATIONAL_SQUARE ? end * end : end);
}

/* Returns whether the numerator's constant can be 1 without loss. The denominator's constant must then be
 * nearly an f32 number. */
static bool allows_unit(const struct rational *w, bool relative)
{
    const double constant = w->r.denominator[0] / w->r.numerator[0], rounded = (double)(float)constant;
    return relative && w->m == 1 && constant > 0 && w->r.numerator_degree &&
           fabs(rounded - constant) <= BUDGET_UNSEEN * fabs(constant);
}

/* Fits with the fewest coefficients that reach `wanted`. */
static bool fit(struct rational *w, struct fits *fits, bool relative, double wanted)
{
    for (unsigned terms = 1; terms <= MOST_TERMS; terms++) {
        for (; fits->known < terms; fits->known++)
            best_split(&fits->best[fits->known + 1], &fits->problem, fits->known + 1);
        w->r = fits->best[terms];
        if (!isfinite(w->r.error) || !(w->r.error <= wanted)) continue;
        struct quotient_problem problem = fits->problem;
        problem.numerator_degree = w->r.numerator_degree;
        problem.denominator_degree = w->r.denominator_degree;
        problem.unit_numerator = w->unit = allows_unit(w, relative);
        quotient_fit_rounded(&w->r, &problem);
        if (w->r.error <= wanted * BUDGET_ROUNDED && has_finite_quotient(w)) return true;
    }
    return false;
}

/* -- code -- */

struct ratio { /* a / b */
    lane_value a, b;
};

/* Returns 2 a b / (a^2 + b^2) times `limit`. */
static struct ratio circle(lane_program *p, struct ratio r, double limit)
{
    lane_value twice = r.a;
    if (2 * limit == 2)
        twice = lane_add(p, r.a, r.a);
    else if (2 * limit != 1)
        twice = lane_mul(p, r.a, lane_f32(p, 2 * limit));
    return (struct ratio){lane_mul(p, twice, r.b), lane_fma(p, r.b, r.b, lane_mul(p, r.a, r.a))};
}

/* Returns the argument within its limits, and sets the variable of the polynomials. */
static lane_value argument(lane_program *p, const struct rational *w, lane_value x, lane_value *variable)
{
    if (w->form == RATIONAL_LINEAR) return *variable = half_line_clamped(p, &w->f, x, w->f.end);
    if (!w->m) {
        lane_value square = lane_mul(p, x, x);
        return *variable = lane_min(p, lane_f32(p, w->f.end * w->f.end), square);
    }
    lane_value inside = lane_min(p, lane_f32(p, w->f.end), x);
    inside = lane_max(p, lane_f32(p, -w->f.end), inside);
    *variable = lane_mul(p, inside, inside);
    return inside;
}

/* Returns a and b of R. */
static struct ratio polynomials(lane_program *p, const struct rational *w, lane_value v, lane_value variable)
{
    const struct quotient *q = &w->r;
    struct ratio r = {0, 0};
    /* Computes v + v u P', where u is the variable. Near 0, only the last rounding counts much. */
    if (w->unit) {
        r.a = horner_f32(p, q->numerator + 1, q->numerator_degree - 1, variable);
        r.a = lane_fma(p, lane_mul(p, v, variable), r.a, v);
    } else {
        r.a = horner_f32(p, q->numerator, q->numerator_degree, variable);
        for (unsigned k = 0; k < w->m; k++) r.a = lane_mul(p, r.a, v);
    }
    r.b = horner_f32(p, q->denominator, q->denominator_degree, variable);
    return r;
}

static lane_value build_rational(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct rational *w = parameters;
    lane_value variable, v = argument(p, w, x, &variable);
    struct ratio r = polynomials(p, w, v, variable);
    (void)possible;
    if (w->circle) r = circle(p, r, w->f.limit);
    lane_value h = lane_binary(p, LANE_DIV, r.a, r.b);
    if (w->form == RATIONAL_SQUARE && w->m) return half_line_signed_result(p, &w->f, x, h);
    return half_line_result(p, &w->f, x, h, false);
}

/* -- candidates -- */

static void describe_rational(struct candidate *c, const struct rational *w, arena *memory)
{
    struct text t = text_new(memory);
    const char *variable = w->form == RATIONAL_SQUARE ? "x^2" : "v";
    half_line_describe(&t, &w->f, true);
    if (w->circle) text_add(&t, "%g 2w/(1 + w^2), w = ", w->f.limit);
    if (w->m) text_add(&t, w->m == 1 ? "v " : "v^%u ", w->m);
    text_add(&t, "p(%s)/q(%s), degree %u/%u, |v| <= %.4g, fit error %.2g", variable, variable,
             w->r.numerator_degree, w->r.denominator_degree, w->f.end, w->r.error);
    c->shape = "rational";
    c->description = t.data;
}

static const struct {
    enum rational_form form;
    bool circle;
} variants[] = {{RATIONAL_SQUARE, false}, {RATIONAL_SQUARE, true}, {RATIONAL_LINEAR, false}};

/* Returns whether the variant suits f, and sets w->m. */
static bool suits(struct rational *w, const struct shape_context *context)
{
    const bool one_sided = half_line_is_one_sided(&w->f), even = w->f.symmetry == SYMMETRY_EVEN;
    if (w->circle && w->f.limit == 0) return false;
    if (w->form == RATIONAL_SQUARE) {
        if (one_sided || (even && half_line_has_base(&w->f))) return false;
        w->m = !even;
        return !w->circle || w->m;
    }
    return (one_sided || even) && half_line_leading_power(&w->m, &w->f, context->traits->fitted, 0);
}

size_t rational_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    const bool relative = request->piece.bound.kind != BOUND_ABS;
    const double bound =
        relative ? judge_allowed(&request->piece.bound) * 0x1p-24 : request->piece.bound.value;
    struct half_line f;
    size_t count = 0;
    if (context->traits->is_algebraic) return no_candidates(context, "rational", WHY_ALGEBRAIC);
    if (!half_line_find(&f, context->traits, relative,
                        relative ? BUDGET_UNSEEN : BUDGET_SETTLED_WHOLE * bound))
        return no_candidates(context, "rational", WHY_NO_HALF_LINE);
    if (f.symmetry == SYMMETRY_NONE) return no_candidates(context, "rational", WHY_NO_SYMMETRY);
    if (relative && f.limit == 0)
        return no_candidates(context, "rational",
                             "it settles at 0, where a bound in ulps asks for all digits");
    struct sampler *s = arena_alloc(context->memory, sizeof *s);
    *s = (struct sampler){.truth = context->traits->fitted, .relative = relative};
    s->grid = arena_alloc(context->memory, sizeof *s->grid);
    if (!ask_sample(s, &f))
        return no_candidates(context, "rational", "the reference could not decide a value");
    static const double shares[] = BUDGET_QUOTIENTS;
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        struct rational variant = {.f = f, .form = variants[i].form, .circle = variants[i].circle};
        struct fits *fits = arena_alloc(context->memory, sizeof *fits);
        unsigned terms = 0;
        if (!suits(&variant, context) || !set_problem(&fits->problem, s, &variant)) continue;
        for (unsigned k = relative ? 1 : 0; k < (relative ? 3 : 2) && count < room; k++) {
            struct rational *w = arena_alloc(context->memory, sizeof *w);
            *w = variant;
            if (!fit(w, fits, relative, shares[k] * bound)) break;
            if (w->r.numerator_degree + w->r.denominator_degree == terms) continue;
            terms = w->r.numerator_degree + w->r.denominator_degree;
            out[count] = (struct candidate){.build = build_rational, .parameters = w};
            describe_rational(&out[count], w, context->memory);
            if (candidate_finish(&out[count], context)) count++;
        }
    }
    return count ? count : no_candidates(context, "rational", WHY_NO_FIT);
}
