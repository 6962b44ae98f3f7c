/* The search for a plan of f64: candidates in the order of their costs, the first that keeps the bound wins. */
#include "f64_plan.h"
#include "bounds.h"
#include "budget.h"
#include "compose.h"
#include "cost.h"
#include "exact.h"
#include "extended_shape.h"
#include "f64_shape.h"

#include <math.h>

/* -- shapes -- */

struct plain_shape {
    const expr *formula;
    struct polynomial_cache *cache;
};

/* The formula in f64 arithmetic, one rounding an operation. */
static lane_value build_plain(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct plain_shape *s = parameters;
    struct composer c = {.program = p, .kind = NUMBER_F64, .bits = 50, .cache = s->cache};
    const lane_value y = compose_expr(&c, s->formula, number_of_word(x)).high;
    *possible = !c.impossible;
    return y;
}

/* -- measuring -- */

enum { NEIGHBOURS = 64, ROUNDS = 3 };

struct f64_search {
    const struct plan_request *request;
    struct plan_search *log;
    struct polynomial_cache *cache;
    struct f64_sample sample, confirmation;
    arena *memory;
    struct plan *best;
    struct attempt closest; /* shape NULL: none */
};

static bool judge_inputs(struct tally *t, const lane_program *p, const struct f64_sample *s, size_t first,
                         const struct spec_bound *bound)
{
    const size_t count = s->count - first;
    double *y = arena_alloc(s->memory, (count + 1) * sizeof *y);
    if (!f64_run(p, s->x + first, y, count)) return false;
    for (size_t i = 0; i < count; i++) f64_judge_one(t, bound, s->x[first + i], y[i], &s->exact[first + i]);
    return true;
}

/* The inputs around the worst ones so far, at distances that grow. */
static bool judge_worst(struct tally *t, const lane_program *p, struct f64_sample *s,
                        const struct spec_bound *bound)
{
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t worst = bound->kind == BOUND_ABS ? t->max_abs_at : t->max_ulp_at;
        const size_t first = s->count;
        for (uint64_t i = 1; i <= NEIGHBOURS; i++) {
            const uint64_t distance = i * (i << (i / 2 < 40 ? i / 2 : 40)),
                           bits = i & 1 ? worst + distance : worst - distance;
            const double x = tally_place(bits, ELEMENT_F64);
            if (isfinite(x)) f64_sample_add(s, x);
        }
        if (!judge_inputs(t, p, s, first, bound)) return false;
        if (worst == (bound->kind == BOUND_ABS ? t->max_abs_at : t->max_ulp_at)) break;
    }
    return true;
}

static double share_of_bound(const struct spec_bound *bound, const struct tally *t)
{
    return bound_share(bound, ELEMENT_F64, bound_error(bound, t));
}

/* What is accepted keeps some of the bound in reserve (budget.h), unless it is one rounding by its construction: no sample has
 * the worst input. Correct rounding has no reserve to keep: only one rounding promises it. */
static bool is_kept(const struct f64_candidate *k, const struct spec_bound *bound, const struct tally *t)
{
    const double most =
        budget_of_sample(k->many_roundings ? BUDGET_ROUNDINGS_PLAIN : BUDGET_ROUNDINGS_EXTENDED);
    return !t->wrong && !t->undecided &&
           (k->one_rounding || (!judge_is_exact(bound) && share_of_bound(bound, t) <= most));
}

static int measure(struct tally *t, struct f64_search *s, const struct f64_candidate *k)
{
    const struct spec_bound *bound = &s->request->bound;
    *t = (struct tally){0};
    bool ran = judge_inputs(t, k->program, &s->sample, 0, bound);
    if (ran && is_kept(k, bound, t)) ran = judge_worst(t, k->program, &s->sample, bound);
    return ran ? DIAG_OK : DIAG_NO_MEMORY;
}

static void log_candidate(struct f64_search *s, const struct f64_candidate *k, const struct tally *t,
                          bool kept)
{
    text_add(&s->log->log, "%-10s %-14s cost %6.2f  max %.3g ulp at %.17g, %.3g abs at %.17g  %s%s\n",
             kept ? "kept" : "lost", k->shape, k->cost, t->max_ulp, tally_place(t->max_ulp_at, ELEMENT_F64),
             t->max_abs, tally_place(t->max_abs_at, ELEMENT_F64), k->description,
             kept           ? ""
             : t->undecided ? " (the reference could not decide)"
             : t->wrong     ? " (breaks the bound)"
                            : " (too near the bound)");
}

/* The sample once more on what the first one had too little of: where errors are noise, its extremes show to whoever looks
 * at many inputs. */
static bool confirm(struct tally *t, struct f64_search *s, const lane_program *p)
{
    if (!s->confirmation.count) {
        s->confirmation = (struct f64_sample){
            .memory = s->memory, .truth = s->sample.truth, .simplified = s->sample.simplified};
        f64_sample_middle(&s->confirmation, 2);
    }
    return judge_inputs(t, p, &s->confirmation, 0, &s->request->bound);
}

static int try_candidate(struct f64_search *s, const struct f64_candidate *k)
{
    struct tally t;
    const struct spec_bound *bound = &s->request->bound;
    const int status = measure(&t, s, k);
    if (status) return status;
    if (is_kept(k, bound, &t) && share_of_bound(bound, &t) > BUDGET_UNCONFIRMED && !k->one_rounding &&
        !confirm(&t, s, k->program))
        return DIAG_NO_MEMORY;
    const bool kept = is_kept(k, bound, &t);
    log_candidate(s, k, &t, kept);
    if (kept) {
        s->best = arena_alloc(s->memory, sizeof *s->best);
        *s->best = (struct plan){k->shape, k->description, k->program, k->cost, t, 0};
    } else if (!s->closest.shape || share_of_bound(bound, &t) < share_of_bound(bound, &s->closest.tally)) {
        s->closest = (struct attempt){k->shape, k->program, t, NULL};
        if (judge_is_exact(bound) && t.max_ulp <= 0.5)
            s->closest.why =
                "of f64 values, which cannot all be tried, only one IEEE operation is sure to be "
                "correctly rounded";
    }
    return DIAG_OK;
}

/* -- the list -- */

static bool has(arena *memory, const expr *e, bool (*is)(enum expr_kind))
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (is(nodes[i]->kind)) return true;
    return false;
}

static bool is_periodic(enum expr_kind k) { return k == EXPR_sin || k == EXPR_cos; }

static bool has_odd_power(arena *memory, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_POWER && mpz_cmp_ui(mpq_denref(nodes[i]->number), 4) > 0) return true;
    return false;
}

/* Candidates with their programs. */
enum { MOST_CANDIDATES = 8 };
struct list {
    struct f64_candidate item[MOST_CANDIDATES];
    unsigned count;
};

static void add_candidate(struct list *l, const struct f64_search *s, struct f64_candidate k)
{
    if (!f64_finish(&k, s->request, &s->sample)) return;
    k.cost = plan_cost(k.program, s->request->costs);
    k.one_rounding = exact_by_construction(k.program, s->request->written);
    unsigned at = l->count++; /* the cheapest first */
    for (; at && l->item[at - 1].cost > k.cost; at--) l->item[at] = l->item[at - 1];
    l->item[at] = k;
}

static void add_shape(struct list *l, const struct f64_search *s, const char *name, const char *description,
                      f64_builder build, void *parameters)
{
    add_candidate(l, s,
                  (struct f64_candidate){.shape = name,
                                         .description = description,
                                         .build = build,
                                         .parameters = parameters,
                                         .many_roundings = build == build_plain});
}

static int try_list(struct f64_search *s, const struct list *l)
{
    int status = DIAG_OK;
    for (unsigned i = 0; i < l->count && !s->best && !status && progress_goes_on(s->request->progress); i++)
        status = try_candidate(s, &l->item[i]);
    return status;
}

static void add_plain_form(struct list *l, const struct f64_search *s, const char *name,
                           const char *description, const expr *formula)
{
    struct plain_shape *shape = arena_alloc(s->memory, sizeof *shape);
    *shape = (struct plain_shape){formula, s->cache};
    add_shape(l, s, name, description, build_plain, shape);
}

static void add_plain(struct list *l, const struct f64_search *s)
{
    const struct plan_request *r = s->request;
    const bool algebraic =
        !has(s->memory, r->simplified, expr_is_transcendental) && !has_odd_power(s->memory, r->simplified);
    const bool composed = r->bound.kind == BOUND_ABS && !has(s->memory, r->simplified, is_periodic);
    const char *name = algebraic ? "direct" : "composed";
    if (!algebraic && !composed) return;
    if (algebraic) add_plain_form(l, s, name, "the formula as written, in f64", r->written);
    add_plain_form(l, s, name, "the simplified formula, in f64", r->simplified);
}

static void add_factored(struct list *l, const struct f64_search *s)
{
    struct f64_candidate list[F64_FACTORED];
    if (!has(s->memory, s->request->simplified, expr_is_transcendental) ||
        !f64_factored_make(list, s->request, &s->sample))
        return;
    for (int i = 0; i < F64_FACTORED; i++) add_candidate(l, s, list[i]);
}

static void add_extended(struct list *l, const struct f64_search *s, struct extended_shape shape,
                         bool normalized)
{
    struct extended_shape *own = arena_alloc(s->memory, sizeof *own);
    *own = shape;
    own->normalized = normalized;
    add_shape(l, s, "extended", extended_shape_text(own), extended_shape_build, own);
}

static void fit_patches(struct extended_shape *shape, const struct f64_search *s)
{
    struct extended_roots roots;
    extended_find_roots(&roots, s->sample.simplified); /* those that are no change of sign, too */
    for (unsigned i = 0; i < s->sample.root_count && roots.count < EXTENDED_MOST_ROOTS; i++)
        roots.at[roots.count++] = s->sample.roots[i];
    extended_shape_patch(shape, s->memory, s->sample.simplified, &roots);
}

/* Shape by shape, in the order of their times as measured: the costs of table lookups from memory, and of integer operations
 * that a core has for 32 bits only, are too rough to compare shapes. */
static int search_plans(struct f64_search *s)
{
    struct extended_shape shape = {.formula = s->request->simplified};
    struct list l = {.count = 0};
    add_plain(&l, s);
    int status = try_list(s, &l);
    if (s->best || status) return status;
    l.count = 0;
    add_factored(&l, s);
    status = try_list(s, &l);
    if (s->best || status) return status;
    l.count = 0;
    shape.tails = arena_alloc(s->memory, 2 * sizeof *shape.tails);
    add_extended(&l, s, shape, false);
    status = try_list(s, &l);
    for (int patched = 0; patched < 2; patched++) {
        l.count = 0;
        if (patched && !s->best) fit_patches(&shape, s);
        if (s->best || status || (patched && !shape.patch_count)) break;
        if (patched) add_extended(&l, s, shape, false);
        add_extended(&l, s, shape, true);
        status = try_list(s, &l);
    }
    if (s->best || status) return status;
    l.count = 0;
    shape.far = true;
    add_extended(&l, s, shape, true);
    return try_list(s, &l);
}

struct f64_sample *f64_plan_ground(const struct plan_request *request)
{
    arena *memory = expr_dag_memory(request->dag);
    struct f64_sample *sample = arena_alloc(memory, sizeof *sample);
    reference *truth = reference_create(request->written, request->simplified, 1);
    reference *simplified = reference_create(request->simplified, request->simplified, 1);
    if (!truth || !simplified) {
        reference_free(truth);
        reference_free(simplified);
        return NULL;
    }
    reference_watch(truth, request->progress);
    reference_watch(simplified, request->progress);
    progress_begin(request->progress, "planning in f64", 0);
    f64_sample_make(sample, truth, simplified, request->written, memory, 1);
    return sample;
}

void f64_plan_ground_free(struct f64_sample *sample)
{
    reference_free(sample->truth);
    reference_free(sample->simplified);
}

int f64_plan_find(struct plan **out, void *ground, const struct plan_request *request,
                  struct plan_search *search, struct shortfall *why, struct diag *error)
{
    arena *memory = expr_dag_memory(request->dag);
    struct f64_search s = {
        .request = request, .log = search, .memory = memory, .sample = *(const struct f64_sample *)ground};
    *out = NULL;
    s.cache = arena_alloc(memory, sizeof *s.cache);
    s.cache->memory = memory;
    const int status = search_plans(&s);
    if (!progress_goes_on(request->progress)) return diag_set(error, DIAG_STOPPED, "stopped while planning");
    if (status) return diag_set(error, status, "out of memory");
    if (!s.best) shortfall_describe(why, s.closest.shape ? &s.closest : NULL, request, NULL);
    *out = s.best;
    return s.best ? DIAG_OK : DIAG_ACCURACY;
}
