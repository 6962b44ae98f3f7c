/* Says in one line if a kernel keeps its bound. */
#include "curves.h"
#include "table.h"

#include <float.h>

/* Returns what rounding the reference to a double may hide of an error: half an ulp of results of f64. */
static double truth_error(const struct view *v)
{
    if (v->result_type != ACTGEN_F64) return 0;
    return v->measure == MEASURE_ABS ? DBL_EPSILON / 2 : 0.5;
}

/* If the bound is for parts of a result, only the certificate counts, because views show whole results. */
struct verdict verdict_on(const struct curves *list, size_t count)
{
    const struct view *v = list[0].view;
    const actgen_certificate *c = &v->promise;
    const bool is_abs = v->measure == MEASURE_ABS;
    struct verdict verdict = {.is_judged = c->inputs > 0,
                              .error = is_abs ? c->max_abs : c->max_ulp,
                              .at = is_abs ? c->max_abs_at : c->max_ulp_at};
    for (size_t i = 0; i < count && c->is_whole; i++) {
        const struct worst worst = envelope_worst(&list[i].envelope, v->measure);
        const double error = worst.error - truth_error(list[i].view);
        verdict.is_judged = verdict.is_judged || list[i].envelope.inputs;
        if (error > verdict.error) verdict.error = error, verdict.at = worst.at;
    }
    verdict.is_kept = verdict.is_judged && verdict.error <= c->bound;
    return verdict;
}

char *verdict_text(const struct view *v, const struct verdict *verdict)
{
    const actgen_certificate *c = &v->promise;
    const bool is_abs = v->measure == MEASURE_ABS;
    const char *unit = is_abs ? "" : " ulp";
    const char *parts = c->is_whole ? "" : ", by each function of one value";
    struct cell at;
    if (!verdict->is_judged) return must_format("no bound: only arithmetic, with one rounding per operation");
    if (verdict->is_kept)
        return must_format("kept: %.*g of %.*g%s%s", is_abs ? 2 : 4, verdict->error, is_abs ? 2 : 4, c->bound,
                           unit, parts);
    return must_format("BROKEN: %.3g, beyond %.3g%s%s, at %s", verdict->error, c->bound, unit, parts,
                       cell_decimal(&at, verdict->at));
}
