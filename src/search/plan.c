/* The planner has the list of shapes. It measures the cheapest candidates first, and the first candidate that
 * keeps the bound wins. */
#include "plan.h"
#include "bounds.h"
#include "budget.h"
#include "choice.h"
#include "cost.h"
#include "exact.h"
#include "factored_shapes.h"
#include "ground.h"

#include <math.h>
#include <string.h>

/* The amount of work that ends a search, so that it takes at most seconds for every formula. It is not a
 * time, because times differ between machines. Ordinary formulas need a hundredth of it. */
static const uint64_t MOST_WORK = UINT64_C(1) << 30;

/* The number of shares of MOST_WORK. If no plan keeps the requested bound, each search for a bound that works
 * gets one share. */
enum { OFFERS = 8 };

enum { ROOM = 320 }; /* for the candidates of a stage */

/* Lists of shapes. A NULL ends each list, so that no list can be full. */
typedef const shape_candidates *shape_list;
#define SHAPES(...) ((const shape_candidates[]){__VA_ARGS__, NULL})

/* The shapes of each stage of a search. Within a stage the costs decide. A plan that keeps the bound ends the
 * search, because nothing in a later stage is cheaper. The wide shapes have stages of their own, because
 * their candidates take time to make. */
static const shape_list f32_stages[] = {
    SHAPES(composed_candidates, piecewise_candidates, logistic_candidates, factored_candidates,
           power_candidates, rational_candidates, exponential_candidates, factored_pair_candidates,
           piecewise_power_operands, around_candidates),
    SHAPES(composed_candidates),
    SHAPES(composed_candidates),
    SHAPES(composed_candidates),
    SHAPES(composed_candidates, patched_candidates, ended_candidates),
    SHAPES(extended_candidates),
    SHAPES(extended_candidates),
};
/* For 0.5 ulp. Except in direct plans, f32 has not enough bits. */
static const shape_list exact_stages[] = {
    SHAPES(composed_candidates, factored_candidates),
    SHAPES(composed_candidates),
    SHAPES(composed_candidates),
    SHAPES(composed_candidates, started_candidates),
    SHAPES(composed_candidates, started_candidates, ended_candidates),
    SHAPES(extended_candidates),
    SHAPES(extended_candidates),
};
/* For f64, in the order of the measured times. The costs are too rough to compare shapes of f64: those of
 * table lookups from memory, and of integer operations that a core has only for 32 bits. */
static const shape_list f64_stages[] = {
    SHAPES(composed_candidates, piecewise_candidates, around_candidates),
    SHAPES(factored_candidates),
    SHAPES(extended_candidates),
    SHAPES(extended_candidates),
    SHAPES(extended_candidates),
    SHAPES(extended_candidates),
};

struct course {
    const shape_list *shapes;
    unsigned stages;
    /* The shapes that look at the bound. They propose other candidates if the search asks them for a tighter
     * bound. NULL if there are none. */
    shape_list tighter;
    /* The shapes that join plans of the formula's parts. They are asked once, after the first stage, unless
     * that kept its cheapest candidate. 4 tanh(x/4) sigmoid(x) has one by a single exponential. Its cheapest
     * form is lost, and with care it costs more than a product does. NULL if there are none. */
    shape_list joined;
};
static const struct course f32_course = {
    f32_stages,
    sizeof f32_stages / sizeof *f32_stages,
    SHAPES(piecewise_candidates, logistic_candidates, factored_candidates, power_candidates,
           rational_candidates, exponential_candidates, factored_pair_candidates),
    SHAPES(product_candidates, root_candidates, around_algebraic_candidates),
};
static const struct course exact_course = {exact_stages, sizeof exact_stages / sizeof *exact_stages, NULL,
                                           NULL};
static const struct course f64_course = {f64_stages, sizeof f64_stages / sizeof *f64_stages, NULL, NULL};

static bool is_wide(const struct plan_request *r) { return r->piece.argument == ELEMENT_F64; }

static const struct course *course_of(const struct choice *c)
{
    return is_wide(c->request) ? &f64_course : c->mends ? &exact_course : &f32_course;
}

/* Tries the candidates that the shapes of the row propose at the stage. The shapes are asked for the bound of
 * `asked`, which may differ from the choice's. */
static int try_shapes(struct choice *c, shape_list row, unsigned stage, const struct plan_request *asked)
{
    struct shape_context context = c->shared;
    size_t count = 0;
    context.request = asked;
    context.stage = stage;
    context.answers = c->answers;
    context.roots = measurer_roots(c->measurer, &context.root_count);
    context.unmade = &c->unmade;
    progress_begin(c->request->progress, "making candidates", 0);
    for (; row && *row && !choice_is_over(c); row++) count += (*row)(c->list + count, ROOM - count, &context);
    return choice_try(c, c->list, count);
}

/* Bounds in f32 for which the shapes are asked if the result is a 16-bit type. A 16-bit result is rounded
 * last, so its program may be less accurate than the bound. How much less shows only after rounding. The
 * bounds go from loose to strict, in multiples of 2^-24 relative to |y| or to max(1, |y|).
 *
 * All levels are tried, because a stricter one may propose a cheaper candidate, whatever the piece's bound
 * is. For 0.5 ulp, which needs strict levels, the first level that proposes nothing cheaper ends the search.
 * No other bound is compared with that one. */
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

/* Tries the shapes that fit to the allowed 16-bit results. */
static int search_fitted(struct choice *c)
{
    return try_shapes(c, SHAPES(piecewise_power_candidates, around_candidates), 0, c->request);
}

/* Tries lost programs again, with more patches, if they cost less than the best plan. Only a search that kept
 * nothing makes candidates anew for that. */
static int search_patched(struct choice *c)
{
    size_t count = 0;
    for (unsigned i = 0; i < c->attempt_count && count < ROOM; i++) {
        const struct attempt *a = &c->attempts[i];
        const double cost = plan_cost(a->program, c->request->costs);
        if (a->tally.undecided || a->tally.wrong > c->most_patches || cost >= c->best->cost) continue;
        c->list[count++] = (struct candidate){
            .shape = a->shape, .description = a->description, .program = a->program, .cost = cost};
    }
    return choice_try(c, c->list, count);
}

/* Returns whether the stage is tried. For bounds in ulps, a plan with expensive lookups, two words or long
 * polynomials may cost more than a plan in f64. That plan is in the next stage. */
static bool tries_stage(const struct choice *c, unsigned stage)
{
    const struct spec_bound *bound = &c->request->piece.bound;
    const bool by_ulps = bound->kind != BOUND_ABS && !judge_is_exact(bound);
    if (stage && c->request->is_part && course_of(c) == &f32_course) return false; /* f64 lanes */
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
    if (c->answers) choice_forget(c); /* Candidates that need more patches get another chance. */
    if (c->answers && c->best && !status) status = search_patched(c);
    unsigned stage = 0;
    for (; stage < course->stages && tries_stage(c, stage) && !status && !choice_is_over(c); stage++) {
        status = try_shapes(c, course->shapes[stage], stage, c->request);
        if (!stage && !c->request->is_factor && !status && (!c->best || c->attempt_count))
            status = try_shapes(c, course->joined, 0, c->request);
    }
    if (c->best && stage < course->stages)
        text_add(&c->search->log, "# dearer forms were not made: the search ends in stage %u of %u\n", stage,
                 course->stages);
    return status;
}

/* Returns whether a tighter bound may help. It cannot help where the reference or the forms fail. */
static bool has_near_attempt(const struct choice *c)
{
    for (unsigned i = 0; i < c->attempt_count; i++) {
        const struct tally *t = &c->attempts[i].tally;
        if (!t->undecided && isfinite(bound_error(&c->request->piece.bound, t))) return true;
    }
    return false;
}

/* Asks the shapes that look at the bound for tighter bounds, if nothing else keeps the bound. A plan that
 * keeps a tighter bound also keeps this one. */
static int search_tighter(struct choice *c)
{
    const struct course *course = course_of(c);
    struct plan_request asked = *c->request;
    int status = DIAG_OK;
    while (course->tighter && !status && !c->best && !choice_is_over(c) &&
           bound_tighten(&asked.piece.bound, asked.piece.result))
        status = try_shapes(c, course->tighter, 0, &asked);
    return status;
}

/* Returns whether a candidate was lost that a fit for a part of the bound may save, and that is worth another
 * fit. For absolute bounds, this holds for every lost candidate, because fits take most of the bound and
 * little time. For bounds in ulps, the candidate must have missed the bound narrowly and cost less than the
 * plan that was kept. */
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

/* Asks the shapes for a part of the bound. Where a cheaper f32 candidate was lost, such a candidate may cost
 * less than the plan that was kept. */
static int search_part(struct choice *c, double part)
{
    struct plan_request asked = *c->request;
    asked.piece.bound.value *= part;
    return try_shapes(c, course_of(c)->tighter, 0, &asked);
}

/* Asks for stricter bounds in ulps, whose candidates may cost less. A loose fit may miss its limit, which
 * then takes operations of its own, and its first coefficient may need a product. The levels do not depend on
 * the bound, so that a looser bound has the plans of a tighter one. */
static int search_finer(struct choice *c)
{
    static const double finer[] = {0x1p11, 0x1p8, 0x1p5, 4};
    const struct plan_request *r = c->request;
    const double allowed = judge_allowed(&r->piece.bound);
    const bool is_asked = c->best && r->piece.result == ELEMENT_F32 && r->piece.bound.kind != BOUND_ABS;
    int status = DIAG_OK;
    for (unsigned i = 0; i < sizeof finer / sizeof *finer && is_asked && !r->is_factor && !status; i++)
        if (finer[i] < allowed && !choice_is_over(c)) status = search_part(c, finer[i] / allowed);
    return status;
}

/* Prepares a search. All results of 16-bit arguments are checked, unless they are f32 and the bound is loose.
 * For correctly rounded f32, programs are mended. */
static bool prepare_search(struct choice *c, struct answers *answers)
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

/* Searches for a bound that is no looser, down to correct rounding, where plans are mended until all results
 * are right. A plan for that bound also keeps the requested one. A known plan stays unless a new one is
 * cheaper. */
static int search_stricter(struct choice *c, const struct spec_bound *bound, int (*search)(struct choice *))
{
    struct plan_request asked = *c->request;
    struct choice stricter = *c;
    struct answers answers;
    asked.piece.bound.kind = bound->kind;
    asked.piece.bound.value = bound->value;
    stricter.request = &asked;
    if (!prepare_search(&stricter, &answers)) return DIAG_NO_MEMORY;
    const int status = search(&stricter);
    if (stricter.answers) answers_free(stricter.answers);
    c->best = stricter.best;
    c->is_cut = c->is_cut || stricter.is_cut;
    return status;
}

/* Makes sure that no 16-bit plan costs more than a plan of a tighter bound. The levels are the same for every
 * bound. An ulp is at most 2^(1 - precision) of a number, or of 1. Half an ulp of 1 is what rounding takes.
 */
static int search_cheaper(struct choice *c)
{
    const struct spec_bound *bound = &c->request->piece.bound;
    const bool by_abs = bound->kind == BOUND_ABS;
    const double ulp = by_abs ? ldexp(1, 1 - element_types[c->request->piece.result].format.precision) : 1;
    const double allowed = judge_allowed(bound) / ulp;
    int status = DIAG_OK;
    for (double ulps = 32; ulps >= 0.5 && by_abs && !status; ulps /= 2)
        if (ulps < allowed)
            status = search_stricter(c, &(struct spec_bound){.kind = BOUND_ABS, .value = ulps * ulp},
                                     search_fitted);
    for (double ulps = 128; ulps >= 0.5 && !status; ulps /= ulps > 2 ? 8 : 2)
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

/* Describes the best candidate by its whole error. Except for f64, candidates were measured only until they
 * broke the bound. */
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
        if (isnan(place.computed)) place.computed = NAN; /* A NaN's sign has no meaning. */
    }
    if (!status) shortfall_describe(out, best, c->request, is_odd ? &place : NULL);
    return status;
}

static int search(struct choice *c, struct shortfall *why)
{
    static const double parts[] = {0.5, 0.75}; /* parts of the bound for which fits are made */
    const struct plan_request *r = c->request;
    const bool is_exact = judge_is_exact(&r->piece.bound);
    const bool mends = element_is_half(r->piece.argument) || r->piece.result == ELEMENT_F32;
    struct answers answers;
    if (!prepare_search(c, &answers)) return DIAG_NO_MEMORY;
    int status = search_plans(c);
    const bool tries_others = !c->only && !why->brief;
    if (!status && !c->best && !is_exact && tries_others && has_near_attempt(c)) status = search_tighter(c);
    for (unsigned i = 0; i < sizeof parts / sizeof *parts && !status && tries_others; i++)
        if (is_part_promising(c, parts[i])) status = search_part(c, parts[i]);
    if (!status && tries_others) status = search_finer(c);
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

/* Marks the plans if the work limit ended the search. Other plans might have been cheaper, which the
 * description says wherever it appears. */
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

/* Searches for one bound. This is a plan_finder. */
static int find_for_bound(struct plan **out, void *ground, const struct plan_request *request,
                          struct plan_search *log, struct shortfall *why, struct diag *error)
{
    const struct ground *g = ground;
    struct choice c = {.request = request,
                       .shared = g->shared,
                       .list = arena_alloc(g->shared.memory, ROOM * sizeof *c.list),
                       .measurer = g->measurer,
                       .only = g->only,
                       .search = log,
                       .unmade = text_new(g->shared.memory),
                       .error = error};
    *out = NULL;
    measurer_begin(c.measurer);
    c.work_before = choice_work(&c);
    c.most_work = why->brief ? MOST_WORK / OFFERS : MOST_WORK;
    const int status = search(&c, why);
    if (c.unmade.data)
        text_add(&log->log, "# shapes that made no candidate for a bound that they were asked for\n%s",
                 c.unmade.data);
    if (request->most_work) say_limit(&c);
    if (!progress_goes_on(request->progress)) return diag_set(error, DIAG_STOPPED, "stopped while planning");
    if (status) return diag_set(error, status, "no memory for the reference"); /* unless a message was set */
    *out = c.best;
    return c.best ? DIAG_OK : DIAG_ACCURACY;
}

/* Searches. For `only`, see struct choice. Without it, a refusal says which bound works. */
static int search_from_ground(struct plan **out, const struct plan_request *request,
                              const struct candidate *only, struct plan_search *search, struct shortfall *why,
                              struct diag *error)
{
    struct ground ground;
    int status = DIAG_NO_MEMORY;
    *out = NULL;
    if (ground_make(&ground, request, only, find_for_bound))
        status = find_for_bound(out, &ground, request, search, why, error);
    else
        diag_set(error, status, "no memory for the reference");
    if (status == DIAG_ACCURACY && !only && !request->is_part)
        status = shortfall_report(why, request, find_for_bound, &ground, error);
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

/* Judges a plan. Nothing says how many roundings a plan from elsewhere has. It is treated like double words,
 * for which the sample of f64 leaves the smaller reserve. */
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
