/* Gives verify/ what it needs to know about a kernel. */
#include "api.h"
#include "border.h"
#include "language.h"
#include "plan.h"
#include "verify.h"

#include <string.h>

struct verify_work {
    const actgen_kernel *kernel; /* The kernel with its formulas. */
    actgen_fn code;              /* NULL: no machine code. */
    const actgen_verify_options *options;
    actgen_report *report;
};

static int verify_kernel(arena *memory, void *context, struct diag *error)
{
    const struct verify_work *w = context;
    const struct lowered *l = w->kernel->lowered;
    struct piece *pieces = arena_alloc(memory, (l->piece_count + 1) * sizeof *pieces);
    struct tally *known = arena_alloc(memory, (l->piece_count + 1) * sizeof *known);
    expr_dag *dag = expr_dag_create(memory, SPEC_MAX_NODES * 4);
    const struct spec_kernel *k = spec_summands(memory, dag, w->kernel->source);
    /* Formulas get a DAG of this call. If memory runs out, this call fails then, and the kernel's arena does
     * not change. */
    struct verify_result *results = arena_alloc(memory, k->result_count * sizeof *results);
    expr_dag *piece_dag = expr_dag_create(memory, SPEC_MAX_NODES);
    for (uint32_t i = 0; i < l->piece_count; i++) {
        pieces[i] = l->pieces[i];
        pieces[i].written = expr_import(piece_dag, pieces[i].written);
        pieces[i].simplified = expr_import(piece_dag, pieces[i].simplified);
        known[i] = pieces[i].plan ? pieces[i].plan->measured : (struct tally){0};
    }
    for (uint32_t i = 0; i < k->result_count; i++) {
        const expr *written = expr_import(dag, k->results[i].value);
        results[i] =
            (struct verify_result){written, expr_simplify(dag, written, NULL), k->results[i].operand};
    }
    struct verify_subject subject = {.kernel = &l->kernel,
                                     .code = w->code,
                                     .vector_lanes = w->kernel->isa->vector_bytes / 4,
                                     .pieces = pieces,
                                     .piece_count = l->piece_count,
                                     .known = known,
                                     .scaled_exponential = l->scaled_exponential,
                                     .results = results,
                                     .result_count = k->result_count,
                                     .is_whole = l->is_whole,
                                     .asked = w->kernel->bound};
    return verify_run(&subject, w->options, w->report, error);
}

int actgen_verify(const actgen_kernel *kernel, const actgen_verify_options *options, actgen_report *report,
                  actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    actgen_verify_options o = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report all = {0};
    if (!kernel) return refuse_no_kernel(error);
    if (!report || !size_is_set(report->size) || (options && !size_is_set(options->size)))
        return diag_set(&d, DIAG_INVALID,
                        "report is NULL, or the size of report or options is not set: start from "
                        "ACTGEN_REPORT_INIT and ACTGEN_VERIFY_OPTIONS_INIT"),
               error_return(error, &d);
    if (options) memcpy(&o, options, options->size < sizeof o ? options->size : sizeof o);
    struct host_parallel parallel = {&host, o.parallel, o.parallel_payload};
    struct host_progress progress = {&host, o.progress, o.progress_payload};
    if (o.parallel) o.parallel = host_parallel, o.parallel_payload = &parallel;
    if (o.progress) o.progress = host_progress, o.progress_payload = &progress;
    struct verify_work w = {kernel_whole(kernel, &d), kernel->tile, &o, &all};
    if (w.kernel) with_arena(NULL, verify_kernel, &w, &d);
    all.size = report->size;
    memcpy(report, &all, report->size < sizeof all ? report->size : sizeof all);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
