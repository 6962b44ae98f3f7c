/* The planner: the list of shapes, cheapest candidates measured first, and the first that keeps the bound
 * wins. */
#include "answers.h"
#include "exact.h"
#include "f64_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- choosing -- */

struct choice {
    const struct plan_request *request;
    reference *truth, *fitted; /* see shape_context */
    struct measurer *measurer;
    struct plan_search *search;
    struct plan *best;               /* that keeps the bound */
    const struct candidate *closest; /* what to speak of if none does; NULL if none was measured */
    struct tally closest_tally;
    struct exact_tiny tiny;  /* for 0.5 ulp */
    struct answers *answers; /* for 0.5 ulp of 16-bit arguments; else NULL */
    uint32_t most_patches;   /* of those */
    struct diag *error;
};

static double error_asked(const struct choice *c, const struct tally *r)
{
    return c->request->bound.kind == BOUND_ABS ? r->max_abs : r->max_ulp;
}

/* The sample misses the worst inputs by a little: what is accepted keeps a tenth of the bound in reserve. What is not
 * far below is confirmed on more inputs, where it may reach somewhat more. */
static const double reserve = 0.9, reserve_confirmed = 0.9, confirmed_from = 0.6;

/* What the last rounding makes of itself is known: the share is of the rest. */
static double share_of_bound(const struct choice *c, const struct tally *r)
{
    const struct plan_request *asked = c->request;
    const double unit = ldexp(1, -element_types[asked->result].precision), error = error_asked(c, r),
                 allowed = judge_allowed(&asked->bound);
    const double rounding = asked->bound.kind == BOUND_ABS ? unit / (1 + unit) : 0.5;
    if (!element_is_half(asked->result) || allowed <= rounding) return error / allowed;
    return (error - rounding) / (allowed - rounding);
}

static bool is_sound(const struct tally *r) { return !r->wrong && !r->undecided; }

static void log_candidate(struct choice *c, const struct candidate *k, const struct tally *r, bool ok)
{
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  max %.3g ulp at %.9g, %.3g abs at %.9g  %s%s\n",
             ok ? "kept" : "lost", k->shape, k->cost, r->max_ulp,
             tally_place(r->max_ulp_at, c->request->argument), r->max_abs,
             tally_place(r->max_abs_at, c->request->argument), k->description,
             r->undecided ? " (the reference could not decide)"
             : r->wrong   ? " (breaks the bound)"
             : ok         ? ""
                          : " (too near the bound)");
}

/* A candidate that was made and not measured. */
static void log_unmeasured(struct choice *c, const struct candidate *k)
{
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  %s\n", c->best ? "not needed" : "not tried", k->shape,
             k->cost, k->description);
}

static void remember_closest(struct choice *c, const struct candidate *k, const struct tally *r)
{
    if (c->closest && error_asked(c, r) >= error_asked(c, &c->closest_tally)) return;
    struct candidate *copy = arena_alloc(expr_dag_memory(c->request->dag), sizeof *copy);
    *copy = *k;
    c->closest = copy;
    c->closest_tally = *r;
}

static float run_once(const lane_program *p, float x)
{
    float y = NAN;
    void *operands[2] = {&x, &y};
    interp *run = interp_create(p);
    if (run) interp_run(run, operands, 1);
    interp_free(run);
    return isnan(y) ? fabsf(y) : y; /* a NaN's sign is nobody's */
}

/* Why the closest candidate is none: its error, or what it gives where the kind of result is wrong. */
static void describe_closest(const struct choice *c, char *out, size_t size)
{
    if (!c->closest) {
        snprintf(out, size, "none: there is no form of it in this version");
        return;
    }
    const struct tally *r = &c->closest_tally;
    const bool absolute = c->request->bound.kind == BOUND_ABS;
    const double error = error_asked(c, r),
                 x = tally_place(absolute ? r->max_abs_at : r->max_ulp_at, c->request->argument);
    double exact;
    int length;
    if (isinf(error) && reference_value(c->truth, &x, &exact, NULL) == REFERENCE_DECIDED)
        length = snprintf(out, size, "%s, which gives %.9g for %.9g at x = %.9g", c->closest->shape,
                          (double)run_once(c->closest->program, (float)x), exact, x);
    else
        length = snprintf(out, size, "%s, %.3g %s at x = %.9g", c->closest->shape, error,
                          absolute ? "abs" : "ulp", x);
    if (r->undecided && length > 0 && (size_t)length < size) /* the error alone may look good enough */
        snprintf(out + length, size - (size_t)length, "; the reference cannot decide %llu inputs",
                 (unsigned long long)r->undecided);
}

/* For 0.5 ulp: what comes near enough is mended until all inputs are right. */
static int try_exact(struct choice *c, struct candidate *k)
{
    struct tally report;
    struct exact_result mended;
    const struct plan_request *r = c->request;
    arena *memory = expr_dag_memory(r->dag);
    const struct exact_request request = {r, c->truth, &c->tiny, memory};
    struct spec_bound near = r->bound;
    near.value = 0.625;
    int status = plan_measure(&report, c->measurer, k->program, &near, c->error);
    if (status) return status;
    if (report.wrong || report.undecided) {
        log_candidate(c, k, &report, false);
        remember_closest(c, k, &report);
        return DIAG_OK;
    }
    if ((status = exact_mend(&mended, &request, k->program, c->error))) return status;
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  %s; %s\n", mended.program ? "kept" : "lost", k->shape,
             k->cost, mended.what, k->description);
    if (!mended.program) {
        remember_closest(c, k, &report);
        return DIAG_OK;
    }
    if ((status = plan_measure(&report, c->measurer, mended.program, &r->bound, c->error))) return status;
    if (report.wrong || report.undecided) return DIAG_OK;
    report.max_ulp = report.max_ulp < 0.5 ? report.max_ulp : 0.5; /* a tie's error is known to 2^-27 */
    struct text what = text_new(memory);
    text_add(&what, "%s; %s", k->description, mended.what);
    c->best = arena_alloc(memory, sizeof *c->best);
    *c->best = (struct plan){k->shape, what.data,   mended.program, plan_cost(mended.program, r->costs),
                             report,   mended.swept};
    return DIAG_OK;
}

/* For 0.5 ulp of 16-bit arguments: all results must be the right ones. */
static int try_answers(struct choice *c, struct candidate *k)
{
    const struct plan_request *r = c->request;
    struct answers_mended mended;
    struct tally report;
    if (!answers_mend(&mended, c->answers, k->program, r->costs, c->most_patches) ||
        !answers_tally(&report, c->answers, mended.program ? mended.program : k->program,
                       mended.program ? NULL : &mended.wrong))
        return diag_set(c->error, DIAG_NO_MEMORY, "out of memory");
    report.wrong = mended.program ? 0 : mended.wrong.count;
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  %u%s wrong; %s%s\n", mended.program ? "kept" : "lost",
             k->shape, mended.program ? mended.cost : k->cost, mended.wrong.count,
             mended.wrong.count < ANSWERS_MOST_WRONG ? "" : " or more", k->description, mended.what);
    if (!mended.program || report.undecided) {
        remember_closest(c, k, &report);
        return DIAG_OK;
    }
    if (c->best && c->best->cost <= mended.cost) return DIAG_OK;
    struct text what = text_new(expr_dag_memory(r->dag));
    text_add(&what, "%s%s", k->description, mended.what);
    c->best = arena_alloc(what.memory, sizeof *c->best);
    *c->best = (struct plan){k->shape, what.data, mended.program, mended.cost, report, c->answers->count};
    return DIAG_OK;
}

static int try_candidate(struct choice *c, struct candidate *k)
{
    if (c->answers) return try_answers(c, k);
    if (judge_is_exact(&c->request->bound)) return try_exact(c, k);
    struct tally report;
    const struct plan_request *r = c->request;
    arena *memory = expr_dag_memory(r->dag);
    int status = plan_measure(&report, c->measurer, k->program, &r->bound, c->error);
    const bool sees_all = element_is_half(r->argument);
    bool kept = is_sound(&report) && share_of_bound(c, &report) <= (sees_all ? 1 : reserve);
    if (!status && !sees_all && kept && share_of_bound(c, &report) > confirmed_from) {
        status = plan_confirm(&report, c->measurer, k->program, &r->bound, c->error);
        kept = is_sound(&report) && share_of_bound(c, &report) <= reserve_confirmed;
    }
    if (status) return status;
    log_candidate(c, k, &report, kept);
    if (!kept) {
        remember_closest(c, k, &report);
        return DIAG_OK;
    }
    c->best = arena_alloc(memory, sizeof *c->best);
    *c->best =
        (struct plan){k->shape, k->description, k->program, k->cost, report, sees_all ? report.inputs : 0};
    return DIAG_OK;
}

/* Equal costs stay in the order of the shapes, whatever the C library's qsort does. */
static void sort_by_cost(struct candidate *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct candidate k = list[i];
        size_t at = i;
        for (; at && list[at - 1].cost > k.cost; at--) list[at] = list[at - 1];
        list[at] = k;
    }
}

/* The search's end, so that it takes seconds at most, whatever the formula: not a time, which would differ
 * between machines. Ordinary formulas need a hundredth of it. */
static const uint64_t MOST_WORK = UINT64_C(1) << 30;

static bool is_exhausted(const struct choice *c)
{
    const unsigned share = judge_is_exact(&c->request->bound) ? 64 : 1; /* sweeps of all inputs are wanted */
    return (reference_work(c->truth) + reference_work(c->fitted) + measurer_work(c->measurer)) / share >
           MOST_WORK;
}

static bool is_over(const struct choice *c)
{
    return is_exhausted(c) || !progress_goes_on(c->request->progress);
}

/* Cheapest first, until one keeps the bound, or what is left is no cheaper. */
static int try_all(struct choice *c, struct candidate *list, size_t count)
{
    int status = DIAG_OK;
    size_t i = 0;
    sort_by_cost(list, count);
    for (; i < count && !status && !is_over(c); i++) {
        progress_begin(c->request->progress, "measuring candidates", 0);
        if (c->best && list[i].cost >= c->best->cost) break;
        status = try_candidate(c, &list[i]);
        if (!element_is_half(c->request->result) && c->best) {
            i++;
            break;
        }
    }
    for (; i < count && !status; i++) log_unmeasured(c, &list[i]);
    return status;
}

/* The shapes of each stage of the search. Within a stage the costs decide; what keeps the bound in one ends the
 * search: nothing in a later one is cheaper. The wide ones come one by one, since they take time to make. */
enum { STAGES = 5, SHAPES = 8, ROOM = 48 };
static const shape_candidates shapes[STAGES][SHAPES] = {
    {composed_candidates, piecewise_candidates, logistic_candidates, factored_candidates, power_candidates,
     rational_candidates, factored_pair_candidates},
    {composed_candidates},
    {composed_candidates},
    {composed_candidates},
    {composed_candidates, patched_candidates},
};
/* For 0.5 ulp, where f32 has not enough bits but for direct plans. */
static const shape_candidates exact_shapes[STAGES][SHAPES] = {
    {composed_candidates, wide_factored_candidates},
    {composed_candidates},
    {composed_candidates},
    {composed_candidates},
    {composed_candidates, patched_candidates},
};

static size_t collect(struct choice *c, struct candidate *list, const shape_candidates *row,
                      const struct shape_context *context)
{
    size_t count = 0;
    progress_begin(c->request->progress, "making candidates", 0);
    for (int i = 0; i < SHAPES && row[i] && !is_over(c); i++)
        count += row[i](list + count, ROOM - count, context);
    return count;
}

/* Before a 16-bit result is rounded its value may be off by more than its own bound tells, and by how much shows when it
 * is rounded: bounds of f32 from loose to strict, in multiples of 2^-24 relative to |y| or to max(1, |y|), for which
 * the shapes are asked. */
static const struct spec_bound levels[] = {
    {.kind = BOUND_ABS, .value = 0x1p-11}, {.kind = BOUND_ULP, .value = 0x1p11},
    {.kind = BOUND_ABS, .value = 0x1p-15}, {.kind = BOUND_ULP, .value = 0x1p8},
    {.kind = BOUND_ABS, .value = 0x1p-18}, {.kind = BOUND_ULP, .value = 0x1p5},
    {.kind = BOUND_ABS, .value = 0x1p-22}, {.kind = BOUND_ULP, .value = 4},
};

static int search_levels(struct choice *c, struct shape_context context, struct candidate *list)
{
    static const shape_candidates first[SHAPES] = {piecewise_power_candidates};
    struct plan_request asked = *c->request;
    int status = try_all(c, list, collect(c, list, first, &context));
    context.request = &asked;
    for (unsigned i = 0; i < sizeof levels / sizeof *levels && !status && !is_over(c); i++) {
        const struct plan *before = c->best;
        asked.bound.kind = levels[i].kind;
        asked.bound.value = levels[i].value;
        status = try_all(c, list, collect(c, list, shapes[0], &context));
        if (before && c->best == before) break;
    }
    return status;
}

static int search_plans(struct choice *c)
{
    arena *memory = expr_dag_memory(c->request->dag);
    struct polynomial_cache *cache = arena_alloc(memory, sizeof *cache);
    struct candidate *list = arena_alloc(memory, ROOM * sizeof *list);
    const bool algebraic = plan_is_algebraic(memory, c->request->written);
    int status = DIAG_OK;
    cache->memory = memory;
    c->most_patches = 4;
    if (element_is_half(c->request->result))
        status = search_levels(
            c,
            (struct shape_context){c->request, c->truth, c->fitted, cache, memory, 0, algebraic, c->answers},
            list);
    c->most_patches = ANSWERS_MOST_WRONG / 2;
    for (unsigned stage = 0; stage < STAGES && !c->best && !status && !is_over(c); stage++) {
        const struct shape_context context = {c->request, c->truth, c->fitted, cache,
                                              memory,     stage,    algebraic, c->answers};
        const shape_candidates *row =
            judge_is_exact(&c->request->bound) ? exact_shapes[stage] : shapes[stage];
        status = try_all(c, list, collect(c, list, row, &context));
        if (c->best && stage + 1 < STAGES)
            text_add(&c->search->log, "# dearer forms were not made: the search ends in stage %u of %u\n",
                     stage + 1, (unsigned)STAGES);
    }
    return status;
}

int plan_find(struct plan **out, const struct plan_request *request, struct plan_search *search,
              struct diag *error)
{
    char bound[SPEC_BOUND_TEXT_SIZE];
    struct choice c = {.request = request, .search = search, .error = error};
    *out = NULL;
    if (request->argument == ELEMENT_F64 && request->result == ELEMENT_F64)
        return f64_plan_find(out, request, search, error);
    const bool is_exact = judge_is_exact(&request->bound), from_half = element_is_half(request->argument);
    if (is_exact && element_is_half(request->result) && !from_half)
        return diag_set(
            error, DIAG_ACCURACY,
            "a %s result is correctly rounded for 16-bit operands only, whose values can all be tried; for a "
            "function of %s values ask for a little more, as in `accuracy 0.51 ulp`",
            element_types[request->result].name, element_types[request->argument].name);
    if (request->argument == ELEMENT_F64 || request->result == ELEMENT_F64)
        return diag_set(error, DIAG_NOT_YET, "functions of %s with results in %s are not planned yet",
                        element_types[request->argument].name, element_types[request->result].name);
    spec_bound_text(bound, &request->bound);
    c.truth = reference_create(request->written, request->simplified, 1);
    c.fitted = reference_create(request->simplified, request->simplified, 1);
    c.measurer = measurer_create(request);
    int status = DIAG_NO_MEMORY;
    char closest[200] = "";
    struct answers answers;
    if (c.truth) reference_watch(c.truth, request->progress);
    if (c.fitted) reference_watch(c.fitted, request->progress);
    if (c.truth && is_exact && !from_half) exact_tiny_find(&c.tiny, c.truth);
    if (c.truth && is_exact && from_half && answers_find(&answers, request, c.truth)) c.answers = &answers;
    if (c.truth && c.fitted && c.measurer) status = search_plans(&c);
    const bool exhausted = !status && is_exhausted(&c);
    if (!status && !c.best) describe_closest(&c, closest, sizeof closest);
    reference_free(c.truth);
    reference_free(c.fitted);
    measurer_free(c.measurer);
    if (!progress_goes_on(request->progress)) return diag_set(error, DIAG_STOPPED, "stopped while planning");
    if (status) return diag_set(error, status, "no memory for the reference"); /* unless something was said */
    if (!c.best)
        return diag_set(error, DIAG_ACCURACY, "no plan keeps `%s`%s; the best found: %s", bound,
                        exhausted ? ", as far as was searched (the formula is too large to search on)" : "",
                        closest);
    *out = c.best;
    return DIAG_OK;
}
