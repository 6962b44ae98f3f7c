/* The planner: the list of shapes, cheapest candidates measured first, and the first that keeps the bound
 * wins. */
#include "plan.h"

#include "compose.h"
#include "piecewise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the composed shapes -- */

struct composition {
    const expr *formula;
    enum lane_type type;
    unsigned bits;
    bool quotients;
    struct polynomial_cache *cache;
};

static lane_value build_composition(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct composition *w = parameters;
    struct composer c = {p, w->type, w->bits, w->quotients, w->cache, NULL};
    bool wide = w->type == LANE_F64;
    lane_value y = compose_expr(&c, w->formula, wide ? lane_unary(p, LANE_WIDEN, x) : x);
    *possible = !c.impossible;
    return wide ? lane_unary(p, LANE_NARROW, y) : y;
}

static bool is_algebraic(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++) {
        enum expr_kind kind = nodes[i]->kind;
        bool simple =
            kind < EXPR_FIRST_FUNCTION || kind == EXPR_abs || kind == EXPR_sign || kind == EXPR_sqrt;
        if (!simple || (kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 4) > 0)) return false;
    }
    return true;
}

/* Which compositions there are: shape, formula as written or simplified, type, bits of the polynomials.
 * `direct` is for formulas without elementary functions only, the others for the rest. Cheapest first. */
static const struct {
    const char *shape, *description;
    bool direct, written;
    enum lane_type type;
    unsigned bits;
    bool quotients; /* of the formula's fractions */
} compositions[] = {
    {"direct", "the formula as written, in f32", true, true, LANE_F32, 0, false},
    {"direct", "the simplified formula, in f32", true, false, LANE_F32, 0, false},
    {"composed", "the simplified formula in f32, functions to 2^-20", false, false, LANE_F32, 20, false},
    {"composed", "the simplified formula in f32, functions to 2^-27", false, false, LANE_F32, 27, false},
    {"wide composed", "the simplified formula in f64, functions to 2^-32", false, false, LANE_F64, 32, false},
    {"wide composed", "the simplified formula in f64, functions to 2^-42", false, false, LANE_F64, 42, false},
    {"wide composed", "the simplified formula in f64, functions to 2^-50", false, false, LANE_F64, 50, false},
    {"wide direct", "the formula as written, in f64", true, true, LANE_F64, 50, false},
    {"wide direct", "the simplified formula, in f64", true, false, LANE_F64, 50, false},
    {"wide composed", "the simplified formula in f64, fractions as quotients", false, false, LANE_F64, 50,
     true},
    {"wide direct", "the simplified formula in f64, fractions as quotients", true, false, LANE_F64, 50, true},
};
enum { COMPOSITIONS = sizeof compositions / sizeof *compositions };

/* -- choosing -- */

struct choice {
    const struct plan_request *request;
    reference *truth;
    struct plan_search *search;
    struct plan *best; /* that keeps the bound */
    char closest[160]; /* what to say if none does */
    double closest_error;
    struct diag *error;
};

/* The sample misses the worst inputs by a little: what is accepted keeps a tenth of the bound in reserve. */
static const double reserve = 0.9;

static bool is_kept(const struct choice *c, const struct tally *r)
{
    double error = c->request->bound.kind == BOUND_ABS ? r->max_abs : r->max_ulp;
    return !r->wrong && !r->undecided && error <= reserve * judge_allowed(&c->request->bound);
}

static double number_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static void log_candidate(struct choice *c, const struct candidate *k, const struct tally *r)
{
    bool ok = is_kept(c, r);
    text_add(&c->search->log, "%-9s %-14s cost %6.2f  max %.3g ulp at %.9g, %.3g abs at %.9g  %s%s\n",
             ok ? "kept" : "lost", k->shape, k->cost, r->max_ulp, number_of_bits(r->max_ulp_at), r->max_abs,
             number_of_bits(r->max_abs_at), k->description,
             r->undecided ? " (the reference could not decide)"
             : r->wrong   ? " (breaks the bound)"
             : ok         ? ""
                          : " (too near the bound)");
}

static void remember_closest(struct choice *c, const struct candidate *k, const struct tally *r)
{
    bool absolute = c->request->bound.kind == BOUND_ABS;
    double error = absolute ? r->max_abs : r->max_ulp;
    if (c->closest[0] && error >= c->closest_error) return;
    c->closest_error = error;
    int length = snprintf(c->closest, sizeof c->closest, "%s, %.3g %s at x = %.9g", k->shape, error,
                          absolute ? "abs" : "ulp", number_of_bits(absolute ? r->max_abs_at : r->max_ulp_at));
    if (r->undecided && length > 0 &&
        (size_t)length < sizeof c->closest) /* the error alone may look good enough */
        snprintf(c->closest + length, sizeof c->closest - (size_t)length,
                 "; the reference cannot decide %llu inputs", (unsigned long long)r->undecided);
}

static int try_candidate(struct choice *c, const struct candidate *k)
{
    struct tally report;
    const struct plan_request *r = c->request;
    arena *memory = expr_dag_memory(r->dag);
    struct judged_piece piece = {r->written, r->simplified, 0, k->program, r->bound};
    int status = plan_measure(&report, &piece, memory, c->error);
    if (status) return status;
    log_candidate(c, k, &report);
    if (!is_kept(c, &report)) {
        remember_closest(c, k, &report);
        return DIAG_OK;
    }
    c->best = arena_alloc(memory, sizeof *c->best);
    *c->best = (struct plan){k->shape, k->description, k->program, k->cost, report};
    return DIAG_OK;
}

static int by_cost(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->cost < y->cost ? -1 : x->cost > y->cost;
}

/* Cheapest first, until one keeps the bound. */
static int try_all(struct choice *c, struct candidate *list, size_t count)
{
    int status = DIAG_OK;
    qsort(list, count, sizeof *list, by_cost);
    for (size_t i = 0; i < count && !c->best && !status; i++) status = try_candidate(c, &list[i]);
    return status;
}

enum { ROOM = 24 };

/* The f32 shapes first: none of the f64 ones is cheaper. Within each group the costs decide. */
static int search_plans(struct choice *c)
{
    const struct plan_request *r = c->request;
    arena *memory = expr_dag_memory(r->dag);
    struct polynomial_cache *cache = arena_alloc(memory, sizeof *cache);
    bool algebraic = is_algebraic(memory, r->written);
    int status = DIAG_OK;
    cache->memory = memory;
    for (enum lane_type type = LANE_F32; type <= LANE_F64 && !c->best && !status; type++) {
        struct candidate list[ROOM];
        size_t count = 0;
        for (int i = 0; i < COMPOSITIONS; i++) {
            if (compositions[i].type != type || compositions[i].direct != algebraic) continue;
            struct composition *w = arena_alloc(memory, sizeof *w);
            *w = (struct composition){compositions[i].written ? r->written : r->simplified, type,
                                      compositions[i].bits, compositions[i].quotients, cache};
            list[count] = (struct candidate){.shape = compositions[i].shape,
                                             .description = compositions[i].description,
                                             .build = build_composition,
                                             .parameters = w};
            if (!candidate_finish(&list[count], r, c->truth)) continue;
            count++;
            if (type == LANE_F32) continue;
            status = try_all(c, list, count); /* one by one: their polynomials take time to fit */
            count = 0;
            if (c->best || status) break;
        }
        if (type == LANE_F32 && r->bound.kind == BOUND_ABS && !algebraic)
            count += piecewise_candidates(list + count, ROOM - count, r, c->truth, r->bound.value);
        if (type == LANE_F64 && !c->best && !status) count += patched_candidate(list, r, c->truth, cache);
        if (count) status = try_all(c, list, count);
    }
    return status;
}

int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error)
{
    char bound[SPEC_BOUND_TEXT_SIZE];
    struct choice c = {.request = request, .search = search, .error = error};
    *out = NULL;
    spec_bound_text(bound, &request->bound);
    c.truth = reference_create(request->written, request->simplified, 1);
    if (!c.truth) return diag_set(error, DIAG_NO_MEMORY, "no memory for the reference");
    int status = search_plans(&c);
    reference_free(c.truth);
    if (status) return status;
    if (!c.best)
        return diag_set(error, DIAG_ACCURACY, "no plan keeps `%s`; the best found: %s", bound,
                        c.closest[0] ? c.closest : "none that this version can build");
    *out = c.best;
    return DIAG_OK;
}
