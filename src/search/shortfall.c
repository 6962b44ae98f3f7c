/* Writes the message for a bound that no plan keeps. */
#include "shortfall.h"
#include "bounds.h"
#include "budget.h"
#include "cause.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Writes the error. Just above a half, the digits beyond the half matter. */
static void error_text(char *out, size_t size, const struct spec_bound *bound, double error)
{
    if (bound->kind == BOUND_ABS)
        snprintf(out, size, "%.3g abs", error);
    else if (error > 0.5 && error < 0.501)
        snprintf(out, size, "0.5 + %.2g ulp", error - 0.5);
    else
        snprintf(out, size, "%.3g ulp", error);
}

/* Writes that the reference does not decide some inputs, with one of them and what to do. */
static void describe_undecided(char *out, size_t size, const struct tally *t, enum element_type argument)
{
    const int digits = argument == ELEMENT_F64 ? 17 : 9;
    snprintf(out, size,
             "; the reference cannot decide all inputs, such as x = %.*g: leave them out by `on [a, b]`",
             digits, tally_place(t->undecided_at, argument));
}

/* Writes the reason. The worst place, `x`, is among the inputs that the reference decides. */
static void describe_reason(char *out, size_t size, const struct attempt *best,
                            const struct plan_request *request, double x)
{
    const double error = bound_error(&request->piece.bound, &best->tally);
    const char *why = best->why;
    if (!why && (best->tally.undecided || error > judge_allowed(&request->piece.bound)))
        why = cause_of_refusal(expr_dag_memory(request->dag), request, x, best->tally.undecided);
    if (why)
        snprintf(out, size, "; %s", why);
    else if (best->tally.undecided)
        describe_undecided(out, size, &best->tally, request->piece.argument);
    else if (error <= judge_allowed(&request->piece.bound))
        snprintf(out, size, ", too near the bound for the inputs that were not tried");
    else
        *out = 0;
}

void shortfall_describe(struct shortfall *out, const struct attempt *best, const struct plan_request *request,
                        const struct shortfall_place *place)
{
    const struct spec_bound *bound = &request->piece.bound;
    const bool by_abs = bound->kind == BOUND_ABS;
    char error[64], reason[SHORTFALL_TEXT / 2];
    if (!best) {
        out->error = INFINITY;
        snprintf(out->best, sizeof out->best, "none: there is no form of it in this version");
        return;
    }
    const struct tally *t = &best->tally;
    const double x = tally_place(by_abs ? t->max_abs_at : t->max_ulp_at, request->piece.argument);
    const int digits = request->piece.argument == ELEMENT_F64 ? 17 : 9;
    out->error = t->undecided ? (double)INFINITY : bound_error(bound, t);
    error_text(error, sizeof error, bound, bound_error(bound, t));
    describe_reason(reason, sizeof reason, best, request, x);
    if (place)
        snprintf(out->best, sizeof out->best, "%s, which gives %.*g for %.*g at x = %.*g%s", best->shape,
                 digits, place->computed, digits, place->exact, digits, x, reason);
    else
        snprintf(out->best, sizeof out->best, "%s, %s at x = %.*g%s", best->shape, error, digits, x, reason);
}

/* -- the bound that is kept -- */

enum { TRIES = 3 };

struct offer {
    const struct plan_request *request;
    plan_finder find;
    void *ground;
    struct spec_bound bound; /* the bound that was kept */
    bool found;
    struct diag *error;
};

static int try_bound(struct offer *o, const struct spec_bound *bound, struct shortfall *next)
{
    arena *memory = expr_dag_memory(o->request->dag);
    struct plan_request asked = *o->request;
    struct plan_search log = {text_new(memory)};
    struct plan *plan;
    asked.piece.bound = *bound;
    *next = (struct shortfall){.brief = true};
    const int status = o->find(&plan, o->ground, &asked, &log, next, o->error);
    o->found = status == DIAG_OK;
    o->bound = *bound;
    return status == DIAG_ACCURACY ? DIAG_OK : status;
}

/* Tries bounds of one kind. The first comes from the known error, and each next one from the error by which
 * the bound before fell short. */
static int try_kind(struct offer *o, const struct spec_bound *like, double error)
{
    const double most = like->kind == BOUND_ABS ? SHORTFALL_MOST_ABS : SHORTFALL_MOST_ULPS;
    int status = DIAG_OK;
    for (int i = 0; i < TRIES && !status && !o->found && error <= most; i++) {
        struct shortfall next;
        const struct spec_bound bound = bound_kept(like, o->request->piece.result, error, BUDGET_OFFERED);
        status = try_bound(o, &bound, &next);
        error = fmax(next.error, 1.5 * error);
    }
    return status;
}

static int find_kept(struct offer *o, const struct shortfall *s)
{
    const enum element_type result = o->request->piece.result;
    struct spec_bound like = o->request->piece.bound;
    int status = try_kind(o, &like, s->error);
    if (status || o->found || like.kind == BOUND_ABS) return status;
    /* Where the result is 0, an ulp is next to nothing, but an absolute error is not. */
    like.kind = BOUND_ABS;
    return try_kind(o, &like, 2 * ldexp(1, -element_types[result].format.precision));
}

int shortfall_report(const struct shortfall *s, const struct plan_request *request, plan_finder find,
                     void *ground, struct diag *error)
{
    struct diag unsaid = {0};
    struct offer offer = {.request = request, .find = find, .ground = ground, .error = &unsaid};
    char bound[SPEC_BOUND_TEXT_SIZE], kept[SPEC_BOUND_TEXT_SIZE];
    spec_bound_text(bound, &request->piece.bound);
    const int status = s->exhausted || s->undecidable ? DIAG_OK : find_kept(&offer, s);
    if (status) return diag_set(error, status, "%s", unsaid.message);
    spec_bound_text(kept, &offer.bound);
    return diag_set(error, DIAG_ACCURACY, "no plan keeps `%s`%s; the best found: %s%s%s%s", bound,
                    s->exhausted ? ", as far as was searched (the formula is too large to search on)" : "",
                    s->best, offer.found ? "; the smallest bound that was found to work is `" : "",
                    offer.found ? kept : "", offer.found ? "`" : "");
}
