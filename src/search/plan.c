/* The planner: the list of shapes, cheapest candidates measured first, and the first that keeps the bound
 * wins. */
#include "plan.h"
#include "bounds.h"
#include "budget.h"
#include "choice.h"
#include "cost.h"
#include "exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The search's end, so that it takes seconds at most, whatever the formula: not a time, which would differ
 * between machines. Ordinary formulas need a hundredth of it. */
static const uint64_t MOST_WORK = UINT64_C(1) << 30;

/* Each of the searches for a bound that works, where no plan keeps the one that was asked for, has a share of
 * it. */
enum { OFFERS = 8 };

/* The shapes of each stage of a search. Within a stage the costs decide; what keeps the bound in one ends the
 * search: nothing in a later one is cheaper. The wide ones come one by one, since they take time to make. */
enum { STAGES = 7, SHAPES = 9, ROOM = 320 };
struct course {
    unsigned stages;
    shape_candidates shapes[STAGES][SHAPES];
    shape_candidates tighter[SHAPES]; /* those that look at the bound: asked for a tighter one, they propose
                                         something else */
};
static const struct course f32_course = {
    7,
    {{composed_candidates, piecewise_candidates, logistic_candidates, factored_candidates, power_candidates,
      rational_candidates, exponential_candidates, factored_pair_candidates, piecewise_power_operands},
     {composed_candidates},
     {composed_candidates},
     {composed_candidates},
     {composed_candidates, patched_candidates},
     {extended_candidates},
     {extended_candidates}},
    {piecewise_candidates, logistic_candidates, factored_candidates, power_candidates, rational_candidates,
     exponential_candidates, factored_pair_candidates},
};
/* For 0.5 ulp, where f32 has not enough bits but for direct plans. */
static const struct course exact_course = {
    7,
    {{composed_candidates, factored_candidates},
     {composed_candidates},
     {composed_candidates},
     {composed_candidates, started_candidates},
     {composed_candidates, started_candidates},
     {extended_candidates},
     {extended_candidates}},
    {NULL},
};
/* In the order of their times as measured: the costs of table lookups from memory, and of integer operations
 * that a core has for 32 bits only, are too rough to compare shapes of f64. */
static const struct course f64_course = {
    6,
    {{composed_candidates, piecewise_candidates},
     {factored_candidates},
     {extended_candidates},
     {extended_candidates},
     {extended_candidates},
     {extended_candidates}},
    {NULL},
};

static bool is_wide(const struct plan_request *r) { return r->piece.argument == ELEMENT_F64; }

static const struct course *course_of(const struct choice *c)
{
    return is_wide(c->request) ? &f64_course : c->mends ? &exact_course : &f32_course;
}

/* Tries what the shapes of the row propose at the stage for the bound that they are asked for, which may be
 * another than the choice's. */
static int try_shapes(struct choice *c, const shape_candidates *row, unsigned stage,
                      const struct plan_request *asked)
{
    struct shape_context context = c->shared;
    size_t count = 0;
    context.request = asked;
    context.stage = stage;
    context.answers = c->answers;
    context.roots = measurer_roots(c->measurer, &context.root_count);
    progress_begin(c->request->progress, "making candidates", 0);
    for (int i = 0; i < SHAPES && row[i] && !choice_is_over(c); i++)
        count += row[i](c->list + count, ROOM - count, &context);
    return choice_try(c, c->list, count);
}

/* Before a 16-bit result is rounded its value may be off by more than its own bound tells, and by how much
 * shows when it is rounded: bounds of f32 from loose to strict, in multiples of 2^-24 relative to |y| or to
 * max(1, |y|), for which the shapes are asked: for all, since a stricter one may propose what is cheaper, and
 * does so whatever the piece's bound is. But for 0.5 ulp, which takes strict ones, the first that proposes
 * nothing cheaper ends it: no other bound is to be compared with. */
static const struct spec_bound levels[] = {
    {.kind = BOUND_ABS, .value = 0x1p-11}, {.kind = BOUND_ULP, .value = 0x1p11},
    {.kind = BOUND_ABS, .value = 0x1p-15}, {.kind = BOUND_ULP, .value = 0x1p8},
    {.kind = BOUND_ABS, .value = 0x1p-18}, {.kind = BOUND_ULP, .value = 0x1p5},
    {.kind = BOUND_ABS, .value = 0x1p-22}, {.kind = BOUND_ULP, .value = 4},
};

static int search_levels(struct choice *c)
{
    struct plan_request asked = *c->request;
    int status = DIAG_OK;
    asked.unrounded = true;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels && !status && !choice_is_over(c); i++) {
        const struct plan *before = c->best;
        asked.piece.bound.kind = levels[i].kind;
        asked.piece.bound.value = levels[i].value;
        status = try_shapes(c, f32_course.shapes[0], 0, &asked);
        if (before && c->best == before && judge_is_exact(&c->request->piece.bound)) break;
    }
    return status;
}

/* The shapes of 16-bit results that are made from what the bound allows of each. */
static int search_fitted(struct choice *c)
{
    static const shape_candidates shapes[SHAPES] = {piecewise_power_candidates};
    return try_shapes(c, shapes, 0, c->request);
}

/* Whether the stage is looked at. Plans in ulps of dear lookups, of two words or of long polynomials may cost
 * more than one in f64, which is in the stage behind them. */
static bool goes_on(const struct choice *c, unsigned stage)
{
    const struct spec_bound *bound = &c->request->piece.bound;
    const bool by_ulps = bound->kind != BOUND_ABS && !judge_is_exact(bound);
    return !c->best || (stage == 1 && by_ulps && !is_wide(c->request));
}

static int search_plans(struct choice *c)
{
    if (c->only) return choice_try(c, (struct candidate[]){*c->only}, 1);
    const struct course *course = course_of(c);
    int status = DIAG_OK;
    c->most_patches = 4;
    if (element_is_half(c->request->piece.result)) status = search_fitted(c);
    if (element_is_half(c->request->piece.result) && !status) status = search_levels(c);
    c->most_patches = ANSWERS_MOST_WRONG / 2;
    if (c->answers) choice_forget(c); /* what needs more patches has its chance */
    unsigned stage = 0;
    for (; stage < course->stages && goes_on(c, stage) && !status && !choice_is_over(c); stage++)
        status = try_shapes(c, course->shapes[stage], stage, c->request);
    if (c->best && stage < course->stages)
        text_add(&c->search->log, "# dearer forms were not made: the search ends in stage %u of %u\n", stage,
                 course->stages);
    return status;
}

/* Whether a tighter bound may help at all: not where the reference or the forms fail. */
static bool has_near_attempt(const struct choice *c)
{
    for (unsigned i = 0; i < c->attempt_count; i++) {
        const struct tally *t = &c->attempts[i].tally;
        if (!t->undecided && isfinite(bound_error(&c->request->piece.bound, t))) return true;
    }
    return false;
}

/* What keeps a tighter bound keeps this one: where nothing else does, the shapes that look at the bound are
 * asked for tighter ones. */
static int search_tighter(struct choice *c)
{
    const struct course *course = course_of(c);
    struct plan_request asked = *c->request;
    int status = DIAG_OK;
    while (course->tighter[0] && !status && !c->best && !choice_is_over(c) &&
           bound_tighten(&asked.piece.bound, asked.piece.result))
        status = try_shapes(c, course->tighter, 0, &asked);
    return status;
}

/* Whether a candidate was lost that a fit for a part of the bound may save, and that is worth another fit.
 * Absolute bounds are of shapes whose fits take most of the bound, and little time. In ulps it is one that
 * missed the bound narrowly, where what was kept is dearer. */
static bool is_part_promising(const struct choice *c, double part)
{
    static const double dearer = 1.1;
    const struct plan_request *r = c->request;
    if (!c->best || r->piece.result != ELEMENT_F32 || judge_is_exact(&r->piece.bound)) return false;
    if (r->piece.bound.kind == BOUND_ABS) return part == 0.5 && c->attempt_count > 0;
    if (judge_allowed(&r->piece.bound) * part <= 0.5) return false; /* that is correct rounding */
    for (unsigned i = 0; i < c->attempt_count; i++) {
        const struct attempt *a = &c->attempts[i];
        if (bound_error(&r->piece.bound, &a->tally) <= BUDGET_NARROWLY * judge_allowed(&r->piece.bound) &&
            plan_cost(a->program, r->costs) * dearer < c->best->cost)
            return true;
    }
    return false;
}

/* Where a cheaper candidate of f32 was lost, one that is made for a part of the bound may cost less than the
 * one that was kept. */
static int search_part(struct choice *c, double part)
{
    struct plan_request asked = *c->request;
    asked.piece.bound.value *= part;
    return try_shapes(c, course_of(c)->tighter, 0, &asked);
}

/* All results of 16-bit arguments are looked at, whatever the bound is, unless they are f32 and it is loose.
 * Correct rounding of f32 mends programs. */
static bool prepare(struct choice *c, struct answers *answers)
{
    const struct plan_request *r = c->request;
    const bool is_exact = judge_is_exact(&r->piece.bound), from_half = element_is_half(r->piece.argument);
    c->answers = NULL;
    choice_forget(c);
    c->mends = is_exact && (from_half || r->piece.result == ELEMENT_F32);
    if (from_half && (is_exact || element_is_half(r->piece.result))) {
        c->answers = answers;
        return answers_find(answers, r, c->shared.traits->truth, c->shared.asked);
    }
    return true;
}

/* For a bound that is no looser, down to correct rounding, whose plans are mended until all results are
 * right: what keeps it keeps the one that was asked for. A plan that is known stays unless one is cheaper. */
static int search_stricter(struct choice *c, const struct spec_bound *bound, int (*search)(struct choice *))
{
    struct plan_request asked = *c->request;
    struct choice stricter = *c;
    struct answers answers;
    asked.piece.bound.kind = bound->kind;
    asked.piece.bound.value = bound->value;
    stricter.request = &asked;
    if (!prepare(&stricter, &answers)) return DIAG_NO_MEMORY;
    const int status = search(&stricter);
    if (stricter.answers) answers_free(stricter.answers);
    c->best = stricter.best;
    c->is_cut = c->is_cut || stricter.is_cut;
    return status;
}

/* No 16-bit plan costs more than one of a tighter bound: the levels are those of any bound. An ulp is at most
 * 2^(1 - precision) of a number, or of 1. */
static int search_cheaper(struct choice *c)
{
    const struct spec_bound *bound = &c->request->piece.bound;
    const bool by_abs = bound->kind == BOUND_ABS;
    const double ulp = by_abs ? ldexp(1, 1 - element_types[c->request->piece.result].format.precision) : 1;
    const double allowed = judge_allowed(bound) / ulp;
    int status = DIAG_OK;
    for (double ulps = 32; ulps >= 1 && by_abs && !status; ulps /= 2)
        if (ulps < allowed)
            status = search_stricter(c, &(struct spec_bound){.kind = BOUND_ABS, .value = ulps * ulp},
                                     search_fitted);
    for (double ulps = 2; ulps >= 0.5 && !status; ulps /= 2)
        if (ulps < allowed || (by_abs && ulps == allowed))
            status =
                search_stricter(c, &(struct spec_bound){.kind = BOUND_ULP, .value = ulps}, search_fitted);
    return status;
}

static bool is_nearer(const struct choice *c, const struct tally *a, const struct tally *b)
{
    if (!a->undecided != !b->undecided) return !a->undecided;
    return bound_error(&c->request->piece.bound, a) < bound_error(&c->request->piece.bound, b);
}

/* Candidates were measured only as far as it took to see that they break the bound, but those of f64: this
 * finds the best by its whole error. */
static int describe_best(struct choice *c, struct shortfall *out)
{
    struct attempt *best = NULL;
    struct spec_bound any = c->request->piece.bound;
    int status = DIAG_OK;
    any.kind = any.kind == BOUND_ABS ? BOUND_ABS : BOUND_ULP;
    any.value = any.kind == BOUND_ABS ? SHORTFALL_MOST_ABS : SHORTFALL_MOST_ULPS;
    for (unsigned i = 0; i < c->attempt_count && !status; i++) {
        struct attempt *a = &c->attempts[i];
        const bool useful =
            !is_wide(c->request) && !a->tally.undecided && bound_error(&any, &a->tally) <= any.value;
        if (useful && !choice_is_over(c))
            status = plan_measure(&a->tally, c->measurer, a->program, &any, c->error);
        if (!best || is_nearer(c, &a->tally, &best->tally)) best = a;
    }
    struct shortfall_place place;
    bool is_odd = false;
    if (best && isinf(bound_error(&any, &best->tally))) {
        const uint64_t at = any.kind == BOUND_ABS ? best->tally.max_abs_at : best->tally.max_ulp_at;
        const double x = tally_place(at, c->request->piece.argument);
        is_odd = reference_value(c->shared.traits->truth, &x, &place.exact, NULL) == REFERENCE_DECIDED;
        if (!program_values(best->program, c->request->piece.argument, &x, &place.computed, 1))
            return DIAG_NO_MEMORY;
        if (isnan(place.computed)) place.computed = NAN; /* a NaN's sign is nobody's */
    }
    if (!status) shortfall_describe(out, best, c->request, is_odd ? &place : NULL);
    return status;
}

static int search(struct choice *c, struct shortfall *why)
{
    static const double parts[] = {0.5, 0.75}; /* of the bound, that fits are made for */
    const struct plan_request *r = c->request;
    const bool is_exact = judge_is_exact(&r->piece.bound);
    const bool mends = element_is_half(r->piece.argument) || r->piece.result == ELEMENT_F32;
    struct answers answers;
    if (!prepare(c, &answers)) return DIAG_NO_MEMORY;
    int status = search_plans(c);
    const bool tries_others = !c->only && !why->brief;
    if (!status && !c->best && !is_exact && tries_others && has_near_attempt(c)) status = search_tighter(c);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && !status && tries_others; i++)
        if (is_part_promising(c, parts[i])) status = search_part(c, parts[i]);
    if (!status && c->best && c->answers && !is_exact && !c->only) status = search_cheaper(c);
    if (!status && !c->best && !is_exact && !why->brief && mends &&
        bound_is_near_rounding(&r->piece.bound, r->piece.result))
        status = search_stricter(c, &(struct spec_bound){.kind = BOUND_ULP, .value = 0.5}, search_plans);
    if (c->answers) answers_free(c->answers);
    why->exhausted = !status && choice_is_exhausted(c);
    why->undecidable = choice_is_undecidable(c);
    if (!status && !c->best) status = describe_best(c, why);
    return status;
}

/* What is known of a formula, whatever the bound is, and what is looked for. */
struct ground {
    struct shape_context shared;
    struct measurer *measurer;
    const struct candidate *only; /* see struct choice */
};

static bool ground_make(struct ground *g, const struct plan_request *request, const struct candidate *only)
{
    arena *memory = expr_dag_memory(request->dag);
    struct shape_context *s = &g->shared;
    progress_begin(request->progress, "making candidates", 0);
    *g = (struct ground){.shared.memory = memory, .only = only};
    s->traits = traits_create(memory, request->piece.written, request->piece.simplified, is_wide(request),
                              request->progress);
    if (s->traits) g->measurer = measurer_create(request, s->traits);
    s->companions = arena_alloc(memory, request->companion_count * sizeof(struct traits *));
    s->extended = arena_alloc(memory, sizeof *s->extended);
    s->asked = arena_alloc(memory, sizeof *s->asked);
    s->cache = arena_alloc(memory, sizeof *s->cache);
    s->cache->memory = memory;
    return g->measurer;
}

static void ground_free(struct ground *g, const struct plan_request *request)
{
    measurer_free(g->measurer);
    traits_free(g->shared.traits);
    for (unsigned i = 0; i < request->companion_count; i++) traits_free(g->shared.companions[i]);
}

/* Plans that another might have been cheaper than say so, wherever they are described. */
static void say_limit(struct choice *c)
{
    const uint64_t limit = c->request->most_work;
    text_add(&c->search->log, "# %llu units of work, of %llu%s\n",
             (unsigned long long)(choice_work(c) - c->work_before), (unsigned long long)limit,
             c->is_cut ? ", which ended the search" : "");
    for (struct plan *p = c->best; p && c->is_cut; p = p->next) {
        struct text t = text_new(expr_dag_memory(c->request->dag));
        text_add(&t, "%s; the best within plan_limit %llu", p->description, (unsigned long long)limit);
        p->description = t.data;
        p->is_cut = true;
    }
}

/* A plan_finder. */
static int find(struct plan **out, void *ground, const struct plan_request *request, struct plan_search *log,
                struct shortfall *why, struct diag *error)
{
    const struct ground *g = ground;
    struct choice c = {.request = request,
                       .shared = g->shared,
                       .list = arena_alloc(g->shared.memory, ROOM * sizeof *c.list),
                       .measurer = g->measurer,
                       .only = g->only,
                       .search = log,
                       .error = error};
    *out = NULL;
    measurer_begin(c.measurer);
    c.work_before = choice_work(&c);
    c.most_work = why->brief ? MOST_WORK / OFFERS : MOST_WORK;
    const int status = search(&c, why);
    if (request->most_work) say_limit(&c);
    if (!progress_goes_on(request->progress)) return diag_set(error, DIAG_STOPPED, "stopped while planning");
    if (status) return diag_set(error, status, "no memory for the reference"); /* unless something was said */
    *out = c.best;
    return c.best ? DIAG_OK : DIAG_ACCURACY;
}

/* `only`: see struct choice; without it a refusal says which bound works. */
static int search_from_ground(struct plan **out, const struct plan_request *request,
                              const struct candidate *only, struct plan_search *search, struct shortfall *why,
                              struct diag *error)
{
    struct ground ground;
    int status = DIAG_NO_MEMORY;
    *out = NULL;
    if (ground_make(&ground, request, only))
        status = find(out, &ground, request, search, why, error);
    else
        diag_set(error, status, "no memory for the reference");
    if (status == DIAG_ACCURACY && !only) status = shortfall_report(why, request, find, &ground, error);
    ground_free(&ground, request);
    return status;
}

int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error)
{
    const enum element_type from = request->piece.argument, to = request->piece.result;
    struct shortfall why = {0};
    *out = NULL;
    if (judge_is_exact(&request->piece.bound) && element_is_half(to) && !element_is_half(from))
        return diag_set(
            error, DIAG_ACCURACY,
            "a %s result is correctly rounded for 16-bit operands only, whose values can all be tried; for a "
            "function of %s values ask for a little more, as in `accuracy 0.51 ulp`",
            element_types[to].name, element_types[from].name);
    if ((from == ELEMENT_F64) != (to == ELEMENT_F64))
        return diag_set(error, DIAG_NOT_YET, "functions of %s with results in %s are not planned yet",
                        element_types[from].name, element_types[to].name);
    return search_from_ground(out, request, NULL, search, &why, error);
}

/* Where nothing tells whether its roundings are many, as a double word's: the sample of f64 leaves the
 * smaller reserve. */
int plan_judge(struct plan **out, const struct plan *claimed, const struct plan_request *request,
               struct diag *error)
{
    struct plan_search log = {text_new(expr_dag_memory(request->dag))};
    const struct candidate only = {.shape = claimed->shape,
                                   .description = claimed->description,
                                   .program = (lane_program *)(uintptr_t)claimed->program,
                                   .cost = plan_cost(claimed->program, request->costs)};
    struct shortfall why = {0};
    const int status = search_from_ground(out, request, &only, &log, &why, error);
    if (*out) (*out)->description = claimed->description, (*out)->cost = claimed->cost;
    if (status != DIAG_ACCURACY) return status;
    return diag_set(error, DIAG_INVALID, "its program does not keep the bound: %s", why.best);
}
