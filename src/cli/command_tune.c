/* Implements actgen tune, which times plans and loops of kernels on this machine, and writes the winners to a
 * plan file. */
#include "diagnostics.h"
#include "input.h"
#include "options.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct column columns[] = {{"kernel", 0, false},    {"isa", 6, false},       {"piece", 0, true},
                                  {"plan", 9, false},      {"stages", 0, true},     {"vectors", 0, true},
                                  {"constants", 0, false}, {"ns/element", 0, true}, {"of estimate", 0, true},
                                  {"", 0, false},          {"", 0, false}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static double estimate_of(const actgen_kernel *kernel, uint32_t piece)
{
    actgen_timing t = ACTGEN_TIMING_INIT;
    for (size_t i = 0; !actgen_kernel_timing(kernel, i, &t); i++)
        if (t.piece == piece && t.is_estimate) return t.ns_per_element;
    return NAN;
}

static void print_object(struct json *j, const actgen_kernel *kernel, const actgen_timing *t, double ratio)
{
    json_object(j);
    json_text(j, "name", actgen_kernel_name(kernel));
    json_text(j, "isa", actgen_kernel_isa(kernel));
    json_text(j, "accuracy", actgen_kernel_accuracy(kernel));
    json_count(j, "piece", t->piece);
    json_text(j, "plan", t->plan);
    json_text(j, "description", t->description);
    json_count(j, "stages", t->stages);
    json_count(j, "vectors", t->unroll);
    json_truth(j, "constants_in_memory", t->constants_in_memory != 0);
    json_number(j, "ns_per_element", t->ns_per_element);
    json_number(j, "of_estimate", ratio);
    json_truth(j, "estimate", t->is_estimate != 0);
    json_truth(j, "chosen", t->is_chosen != 0);
    json_text(j, "object_hash", t->object_hash);
    json_close(j);
}

static void print_timing_row(const actgen_kernel *kernel, const actgen_timing *t, double ratio)
{
    struct cell cells[COLUMNS];
    const char *row[COLUMNS] = {actgen_kernel_name(kernel),
                                actgen_kernel_isa(kernel),
                                cell_count(&cells[2], t->piece + 1),
                                t->plan,
                                cell_count(&cells[4], t->stages),
                                cell_count(&cells[5], t->unroll),
                                t->constants_in_memory ? "memory" : "registers",
                                cell_number(&cells[7], "%.4f", t->ns_per_element),
                                cell_number(&cells[8], "%.3f", ratio),
                                t->is_chosen     ? "chosen"
                                : t->is_estimate ? "estimate"
                                                 : "",
                                t->is_chosen && t->is_estimate ? "= estimate" : ""};
    table_row(columns, COLUMNS, row);
}

static void print_timings(const actgen_kernel *kernel, bool brief)
{
    actgen_timing t = ACTGEN_TIMING_INIT;
    for (size_t i = 0; !actgen_kernel_timing(kernel, i, &t); i++) {
        const double ratio = t.ns_per_element / estimate_of(kernel, t.piece);
        if (brief && !t.is_estimate && !t.is_chosen) continue;
        if (json_standard())
            print_object(json_standard(), kernel, &t, ratio);
        else
            print_timing_row(kernel, &t, ratio);
    }
}

static int export_plans(const char *path, actgen_kernel *const *kernels, size_t count)
{
    actgen_error error = {0};
    struct output file = {.path = path};
    const int status = actgen_emit((const actgen_kernel *const *)kernels, count, ACTGEN_EMIT_PLANS, NULL,
                                   buffer_write, &file.content, &error);
    int code = status ? print_error(exit_of_status(status), "%s", error.message) : outputs_write(&file, 1);
    buffer_free(&file.content);
    return code;
}

int command_tune(const struct options *options)
{
    struct jobs jobs;
    catch_interrupt();
    int code = refuse_standard_output(options, options->export);
    if (!code && options->export) code = output_check(options->export);
    if (!code) code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    jobs.plan = ACTGEN_PLAN_MEASURE_ANEW;
    actgen_kernel **kernels = must_allocate(jobs.count, sizeof *kernels);
    for (size_t i = 0; i < jobs.count; i++) table_widen(&columns[0], jobs.list[i].kernel);
    if (!json_standard()) table_titles(columns, COLUMNS);
    for (size_t i = 0; i < jobs.count && !was_interrupted(); i++) {
        actgen_error error;
        code = worse_exit(code, job_compile(&kernels[i], &jobs, &jobs.list[i], &error));
        if (kernels[i]) print_timings(kernels[i], options->brief);
    }
    if (!json_standard())
        puts("\n'estimate' is the plan without measuring. 'chosen' is the fastest, and the cache keeps it.");
    if (!code && options->export && !was_interrupted())
        code = export_plans(options->export, kernels, jobs.count);
    for (size_t i = 0; i < jobs.count; i++) actgen_kernel_free(kernels[i]);
    free(kernels);
    jobs_close(&jobs);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}
