/* Patched plans: the wide composed formula, with a polynomial in its place near 0.
 *
 * Some formulas have terms that cancel at 0, where no rule of simplify.c helps. Examples are x - tanh(x) and
 * expm1(x) - x. Near 0, f is x^m p(x), and p is fitted to the reference's values in relative terms. The way f
 * shrinks shows the leading power m. */
#include "compose.h"
#include "fit.h"
#include "shape.h"

enum { POINTS = 60, FIT_BITS = 34 };

struct patch {
    const expr *formula;
    struct polynomial_cache *cache;
    double radius;
    unsigned power;            /* m */
    unsigned step;             /* p's powers are multiples of this: 2 for even and odd f */
    bool two_sided;            /* x < 0 has another polynomial */
    struct polynomial side[2]; /* x > 0, x < 0 */
};

/* Computes f. Also returns false where f is 0, because such a value has no logarithm and cannot weigh an
 * error. */
static bool true_value_at(quad *out, reference *truth, double x)
{
    return formula_value(out, truth, x) && *out != 0;
}

/* Returns m. Returns 0 if the two sides of 0 begin differently, or if their beginning is not known. */
static unsigned common_power(struct traits *t)
{
    unsigned right, left;
    const bool known = traits_leading_power(&right, TRAITS_MOST_POWER, t, false) &&
                       traits_leading_power(&left, TRAITS_MOST_POWER, t, true);
    return known && left == right ? right : 0;
}

/* Returns whether f(-x) is f(x) for even m, or -f(x) for odd m. p then has only even powers. */
static bool is_symmetric(struct traits *t, unsigned m)
{
    const struct symmetry *s = traits_symmetry(t);
    return s && line_is(m % 2 ? &s->sum : &s->difference, 0, 0);
}

/* Fits p on [low, high], with the fewest terms that reach 2^-FIT_BITS. */
static bool fit_side(struct polynomial *out, const struct patch *w, reference *truth, double low, double high,
                     struct fit_problem *problem)
{
    struct fit_result result;
    double wanted = 1;
    for (int i = 0; i < FIT_BITS; i++) wanted /= 2;
    fit_points(problem, low, high, POINTS);
    for (unsigned i = 0; i < POINTS; i++) {
        double x = (double)problem->point[i];
        if (!true_value_at(&problem->value[i], truth, x)) return false;
        problem->value[i] /= quad_power(x, w->power);
        problem->weight[i] = 1 / quad_abs(problem->value[i]);
    }
    for (unsigned terms = 2; terms <= 16; terms++) {
        problem->term_count = terms;
        for (unsigned k = 0; k < terms; k++) problem->power[k] = k * w->step;
        if (fit_error(problem, wanted) > wanted) continue;
        if (!fit_polynomial(problem, LANE_F64, &result)) return false;
        out->degree = terms - 1;
        for (unsigned k = 0; k < terms; k++) out->coefficient[k] = result.coefficient[k];
        return true;
    }
    return false;
}

static bool fit_sides(struct patch *w, reference *truth, struct fit_problem *problem)
{
    double r = w->radius, smallest = 0x1p-20;
    if (w->step == 2) return fit_side(&w->side[0], w, truth, smallest, r, problem);
    if (fit_side(&w->side[0], w, truth, -r, r * (1 - 0x1p-10), problem))
        return true; /* avoids a point at 0 */
    w->two_sided = true;
    return fit_side(&w->side[0], w, truth, smallest, r, problem) &&
           fit_side(&w->side[1], w, truth, -r, -smallest, problem);
}

static lane_value build_patched(void *parameters, lane_program *p, lane_value x32, bool *possible)
{
    const struct patch *w = parameters;
    struct composer c = {.program = p, .kind = NUMBER_F64, .bits = 50, .cache = w->cache};
    lane_value x = lane_unary(p, LANE_WIDEN, x32), variable = w->step == 2 ? word_mul(&c, x, x) : x;
    lane_value outer = compose_expr(&c, w->formula, number_of_word(x)).high;
    lane_value inner = word_polynomial(&c, w->side[0].coefficient, w->side[0].degree + 1, variable);
    if (w->two_sided) {
        lane_value other = word_polynomial(&c, w->side[1].coefficient, w->side[1].degree + 1, variable);
        inner = lane_select(p, lane_less(p, x, word_constant(&c, 0)), other, inner);
    }
    for (unsigned i = 0; i < w->power; i++) inner = word_mul(&c, inner, x);
    lane_value size = lane_unary(p, LANE_ABS, x), radius = word_constant(&c, w->radius);
    *possible = !c.impossible;
    return lane_unary(p, LANE_NARROW, lane_select(p, lane_less(p, size, radius), inner, outer));
}

size_t patched_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    reference *truth = context->traits->fitted;
    static const double radii[] = {0.5, 0.125, 0x1p-5};
    const unsigned power = common_power(context->traits);
    if (!room || !power)
        return no_candidates(context, "wide patched", "it does not vanish at 0 like a power of x");
    const bool symmetric = is_symmetric(context->traits, power);
    arena *memory = context->memory;
    struct fit_problem *problem = arena_alloc(memory, sizeof *problem);
    for (unsigned i = 0; i < sizeof radii / sizeof *radii; i++) {
        struct patch *w = arena_alloc(memory, sizeof *w);
        *w = (struct patch){.formula = request->piece.simplified,
                            .cache = context->cache,
                            .radius = radii[i],
                            .power = power};
        w->step = symmetric ? 2 : 1;
        if (!fit_sides(w, truth, problem)) continue;
        struct text t = text_new(memory);
        text_add(&t, "the simplified formula in f64; for |x| < %g x^%u times a polynomial of %u terms",
                 w->radius, power, w->side[0].degree + 1);
        *out = (struct candidate){
            .shape = "wide patched", .description = t.data, .build = build_patched, .parameters = w};
        return candidate_finish(out, context);
    }
    return no_candidates(context, "wide patched", "no polynomial fits near 0");
}
