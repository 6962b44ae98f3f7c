/* Tries candidates one after another. */
#include "choice.h"
#include "budget.h"
#include "cost.h"
#include "exact.h"

#include <math.h>
#include <string.h>

static bool is_sound(const struct tally *r) { return !r->wrong && !r->undecided; }

static void log_candidate(struct choice *c, const struct candidate *k, const struct tally *r, bool ok)
{
    const enum element_type argument = c->request->piece.argument;
    const int digits = argument == ELEMENT_F64 ? 17 : 9;
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  max %.3g ulp at %.*g, %.3g abs at %.*g  %s%s\n",
             ok ? "kept" : "lost", k->shape, k->cost, r->max_ulp, digits,
             tally_place(r->max_ulp_at, argument), r->max_abs, digits, tally_place(r->max_abs_at, argument),
             k->description,
             r->undecided ? " (the reference could not decide)"
             : r->wrong   ? " (breaks the bound)"
             : ok         ? ""
                          : " (too near the bound for the inputs that were not tried)");
}

/* Logs a candidate that was made and not measured. Candidates that differ only in their coefficients share a
 * line. */
static void log_unmeasured(struct choice *c, const struct candidate *k)
{
    struct text line = text_new(expr_dag_memory(c->request->dag));
    text_add(&line, "%-10s %-14s cost %6.2f  %s\n", c->best ? "not needed" : "not tried", k->shape, k->cost,
             k->description);
    if (!strstr(c->search->log.data, line.data)) text_bytes(&c->search->log, line.data, line.length);
}

static void remember(struct choice *c, const struct candidate *k, const struct tally *r, const char *why)
{
    c->undecided += r->undecided;
    if (c->attempt_count < MOST_ATTEMPTS)
        c->attempts[c->attempt_count++] = (struct attempt){k->shape, k->description, k->program, *r, why};
}

/* Returns the number of plans wanted. Mending a plan takes a sweep of all inputs, so that one plan is enough.
 * 16-bit arguments have few inputs and are the exception. */
static unsigned plans_wanted(const struct choice *c)
{
    const unsigned asked = c->request->alternatives;
    return asked && (!c->mends || c->answers) ? asked : 1;
}

/* Keeps a plan. The list has the cheapest first, equal costs in order of arrival, and as many plans as are
 * wanted. */
static void keep(struct choice *c, struct plan plan)
{
    struct plan *kept = arena_alloc(expr_dag_memory(c->request->dag), sizeof *kept), **at = &c->best;
    unsigned count = 0;
    *kept = plan;
    while (*at && (*at)->cost <= plan.cost) at = &(*at)->next;
    kept->next = *at;
    *at = kept;
    for (at = &c->best; *at && count < plans_wanted(c); at = &(*at)->next) count++;
    *at = NULL;
}

static bool has_all(const struct choice *c)
{
    unsigned count = 0;
    for (const struct plan *p = c->best; p; p = p->next) count++;
    return count >= plans_wanted(c);
}

/* Returns the cost from which on a candidate need not be tried. If times decide among plans, a somewhat more
 * expensive candidate has a chance. A much more expensive one has none. */
static double most_cost(const struct choice *c)
{
    static const double worth_timing = 1.5;
    double last = INFINITY;
    if (!c->best) return last;
    for (const struct plan *p = c->best; p; p = p->next) last = p->cost;
    return has_all(c) ? last : c->best->cost * worth_timing;
}

/* Tries a candidate for 0.5 ulp. A candidate that is close enough is mended until all inputs are right. */
static int try_exact(struct choice *c, struct candidate *k)
{
    struct tally report;
    struct exact_result mended;
    const struct plan_request *r = c->request;
    arena *memory = expr_dag_memory(r->dag);
    const struct exact_request request = {r, c->shared.traits->truth, traits_tiny(c->shared.traits), memory};
    struct spec_bound near = r->piece.bound;
    near.value = BUDGET_MENDABLE;
    int status = plan_measure(&report, c->measurer, k->program, &near, c->error);
    if (status) return status;
    if (report.wrong || report.undecided) {
        log_candidate(c, k, &report, false);
        remember(c, k, &report, NULL);
        return DIAG_OK;
    }
    if ((status = exact_mend(&mended, &request, k->program, c->error))) return status;
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  %s; %s\n", mended.program ? "kept" : "lost", k->shape,
             k->cost, mended.what, k->description);
    if (!mended.program) {
        remember(c, k, &report, mended.what);
        return DIAG_OK;
    }
    if ((status = plan_measure(&report, c->measurer, mended.program, &r->piece.bound, c->error)))
        return status;
    bool kept = !report.wrong && !report.undecided, is_swept = false;
    if (kept && r->sweeps == PLAN_SWEEPS_ALL &&
        /* A program that was not swept here is right for all inputs by its construction. */
        !mended.swept) {
        const struct measured what = {.program = mended.program};
        if ((status = plan_confirm(&kept, &is_swept, &report, c->measurer, &what, &r->piece.bound, c->error)))
            return status;
        mended.swept = is_swept ? UINT64_C(1) << 32 : 0;
    }
    if (!kept) return DIAG_OK;
    report.max_ulp = report.max_ulp < 0.5 ? report.max_ulp : 0.5; /* a tie's error is known to 2^-27 */
    struct text what = text_new(memory);
    text_add(&what, "%s; %s", k->description, mended.what);
    keep(c, (struct plan){k->shape, what.data, mended.program, plan_cost(mended.program, r->costs), report,
                          false, mended.swept, NULL});
    return DIAG_OK;
}

/* Mends a candidate. A program that is only judged is not mended. It is right or it is not. */
static bool mend_answers(struct answers_mended *out, const struct choice *c, const struct candidate *k)
{
    if (!c->only) return answers_mend(out, c->answers, k->program, c->request->costs, c->most_patches);
    *out = (struct answers_mended){.what = "", .program = k->program, .cost = k->cost};
    if (!answers_check(&out->wrong, c->answers, k->program)) return false;
    if (out->wrong.count) out->program = NULL;
    return true;
}

/* Tries a candidate for 16-bit arguments, where all results must be right. */
static int try_answers(struct choice *c, struct candidate *k)
{
    const struct plan_request *r = c->request;
    const bool is_exact = judge_is_exact(&r->piece.bound);
    struct answers_mended mended;
    struct tally report;
    if (!mend_answers(&mended, c, k) ||
        !answers_tally(&report, c->answers, mended.program ? mended.program : k->program,
                       mended.program ? NULL : &mended.wrong))
        return diag_set(c->error, DIAG_NO_MEMORY, "out of memory");
    report.wrong = mended.program ? 0 : mended.wrong.count;
    if (mended.program && !is_exact) {
        const int status = plan_measure(&report, c->measurer, mended.program, &r->piece.bound, c->error);
        if (status) return status;
        if (!is_sound(&report)) mended.program = NULL;
    }
    const bool is_wanted = mended.cost < most_cost(c);
    text_add(&c->search->log, "%-10s %-14s cost %6.2f  %u%s wrong; %s%s\n",
             !mended.program ? "lost"
             : is_wanted     ? "kept"
                             : "dearer",
             k->shape, mended.program ? mended.cost : k->cost, mended.wrong.count,
             mended.wrong.count < ANSWERS_MOST_WRONG ? "" : " or more", k->description, mended.what);
    if (!mended.program || report.undecided) {
        remember(c, k, &report,
                 is_exact && !report.undecided ? "too many results are not the right ones" : NULL);
        return DIAG_OK;
    }
    if (!is_wanted) return DIAG_OK;
    struct text what = text_new(expr_dag_memory(r->dag));
    text_add(&what, "%s%s", k->description, mended.what);
    keep(c, (struct plan){k->shape, what.data, mended.program, mended.cost, report, false, c->answers->count,
                          NULL});
    return DIAG_OK;
}

static int try_candidate(struct choice *c, struct candidate *k)
{
    if (c->answers) return try_answers(c, k);
    if (c->mends) return try_exact(c, k);
    struct tally report;
    const struct plan_request *r = c->request;
    int status = plan_measure(&report, c->measurer, k->program, &r->piece.bound, c->error);
    bool kept = is_sound(&report), is_swept = false;
    if (!status && kept && !r->is_factor) { /* The sample is enough for a factor: its product is judged. */
        const struct measured what = {k->program, k->many_roundings,
                                      !element_is_half(r->piece.result) &&
                                          exact_by_construction(k->program, r->piece.written)};
        status = plan_confirm(&kept, &is_swept, &report, c->measurer, &what, &r->piece.bound, c->error);
    }
    if (status) return status;
    log_candidate(c, k, &report, kept);
    if (!kept) {
        const bool is_right = judge_is_exact(&r->piece.bound) && report.max_ulp <= 0.5;
        remember(c, k, &report,
                 is_right ? "of f64 values, which cannot all be tried, only one IEEE operation is sure to be "
                            "correctly rounded"
                          : NULL);
        return DIAG_OK;
    }
    const uint64_t swept = element_is_half(r->piece.argument) ? report.inputs
                           : is_swept                         ? UINT64_C(1) << 32
                                                              : 0;
    keep(c, (struct plan){k->shape, k->description, k->program, k->cost, report, false, swept, NULL});
    return DIAG_OK;
}

void choice_forget(struct choice *c) { c->seen_count = 0; }

/* Drops the candidates that were seen. Returns the number of the others. */
static size_t keep_new(struct choice *c, struct candidate *list, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t k = 0; k < c->seen_count && is_new; k++)
            is_new = !lane_programs_are_equal(c->seen[k], list[i].program);
        if (!is_new) continue;
        c->seen = arena_with_room(expr_dag_memory(c->request->dag), c->seen, c->seen_count, sizeof *c->seen);
        c->seen[c->seen_count++] = list[i].program;
        list[left++] = list[i];
    }
    return left;
}

/* Sorts by cost. Equal costs keep the order of the shapes, which the C library's qsort would not
 * guarantee. */
static void sort_by_cost(struct candidate *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const struct candidate k = list[i];
        size_t at = i;
        for (; at && list[at - 1].cost > k.cost; at--) list[at] = list[at - 1];
        list[at] = k;
    }
}

uint64_t choice_work(const struct choice *c)
{
    return reference_work(c->shared.traits->truth) + reference_work(c->shared.traits->fitted) +
           measurer_work(c->measurer);
}

static uint64_t work_done(const struct choice *c)
{
    const unsigned share =
        /* Correct rounding needs sweeps of all inputs. */
        judge_is_exact(&c->request->piece.bound) ? 64 : 1;
    return (choice_work(c) - c->work_before) / share;
}

bool choice_is_exhausted(const struct choice *c) { return work_done(c) > c->most_work; }

enum { MOST_UNDECIDED = 32 };
bool choice_is_undecidable(const struct choice *c) { return c->undecided > MOST_UNDECIDED; }

bool choice_is_over(struct choice *c)
{
    const uint64_t limit = c->request->most_work;
    if (limit && c->best && work_done(c) > limit) c->is_cut = true;
    return c->is_cut || choice_is_exhausted(c) || choice_is_undecidable(c) ||
           !progress_goes_on(c->request->progress) || arena_failed(expr_dag_memory(c->request->dag));
}

int choice_try(struct choice *c, struct candidate *list, size_t count)
{
    int status = DIAG_OK;
    size_t i = 0;
    sort_by_cost(list, count);
    count = keep_new(c, list, count);
    for (; i < count && !status && list[i].cost < most_cost(c) && !choice_is_over(c); i++) {
        progress_begin(c->request->progress, "measuring candidates", 0);
        const bool had_all = has_all(c);
        status = try_candidate(c, &list[i]);
        if (!element_is_half(c->request->piece.result) && !had_all && has_all(c)) {
            i++;
            break;
        }
    }
    for (; i < count && !status; i++) log_unmeasured(c, &list[i]);
    return status;
}
