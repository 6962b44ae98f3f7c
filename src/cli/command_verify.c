/* actgen verify: the kernel against the reference, and machine code against the interpreter. */
#include "diagnostics.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "parallel.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct column columns[] = {{"kernel", 0, false},    {"isa", 6, false},    {"bound", 10, false},
                                  {"max ulp", 9, true},    {"at", 14, false},    {"max abs", 9, true},
                                  {"at", 14, false},       {"inputs", 10, true}, {"undecided", 0, true},
                                  {"bits", 10, true},      {"differ", 0, true},  {"", 7, false},
                                  {"compile ms", 0, true}, {"plan", 0, false}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

enum verdict { VERDICT_OK, VERDICT_WRONG, VERDICT_SKIPPED, VERDICT_STOPPED, VERDICT_ERROR };
static const char *const verdict_names[] = {"ok", "WRONG", "skipped", "stopped", "error"};

struct result {
    const struct job *job;
    const actgen_kernel *kernel; /* NULL if it did not compile */
    actgen_report report;
    enum verdict verdict;
    const char *message; /* of VERDICT_ERROR, and why it was skipped */
};

struct progress {
    const char *name, *isa;
    struct timespec start;
    bool terminal, shown;
    double last; /* seconds after the start, of the last line */
};

static int show_progress(void *payload, double done, double max_ulp)
{
    struct progress *p = payload;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double seconds = difftime(now.tv_sec, p->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - p->start.tv_nsec);
    if (p->terminal && seconds > p->last + 0.5 && done > 0) {
        fprintf(stderr, "\r\033[K%s %s  %.1f %%  %.0f s left  max %.3g ulp", p->name, p->isa, 100 * done,
                seconds / done * (1 - done), max_ulp);
        p->shown = true;
        p->last = seconds;
    }
    return was_interrupted();
}

static void print_json(struct json *j, const struct result *r)
{
    const actgen_report *report = &r->report;
    const actgen_kernel *k = r->kernel;
    bool measured = r->verdict == VERDICT_OK || r->verdict == VERDICT_WRONG || r->verdict == VERDICT_STOPPED;
    struct cell cell;
    json_object(j);
    json_text(j, "name", r->job->kernel);
    json_text(j, "isa", r->job->isa);
    json_text(j, "accuracy", k ? actgen_kernel_accuracy(k) : NULL);
    json_text(j, "plan", k ? actgen_kernel_plan(k) : NULL);
    json_count(j, "inputs", report->inputs);
    json_number(j, "max_ulp", measured ? report->max_ulp : NAN);
    json_text(j, "max_ulp_at", measured ? cell_float(&cell, report->max_ulp_at) : NULL);
    json_number(j, "max_abs", measured ? report->max_abs : NAN);
    json_text(j, "max_abs_at", measured ? cell_float(&cell, report->max_abs_at) : NULL);
    json_number(j, "whole_max_ulp", measured ? report->whole_max_ulp : NAN);
    json_number(j, "compile_ms", k ? actgen_kernel_compile_ms(k) : NAN);
    json_count(j, "undecided", report->undecided);
    json_count(j, "wrong", report->wrong);
    json_count(j, "bits_compared", report->bits_compared);
    json_count(j, "bits_differ", report->bits_differ);
    json_text(j, "object_hash", k ? actgen_kernel_object_hash(k) : NULL);
    if (r->verdict == VERDICT_SKIPPED) json_truth(j, "skipped", true);
    if (r->verdict == VERDICT_STOPPED) json_truth(j, "stopped", true);
    if (r->message) json_text(j, "message", r->message);
    if (r->verdict == VERDICT_SKIPPED || r->verdict == VERDICT_STOPPED)
        json_null(j, "ok");
    else
        json_truth(j, "ok", r->verdict == VERDICT_OK);
    json_close(j);
}

static void print_row(const struct result *r)
{
    const actgen_report *report = &r->report;
    const actgen_kernel *k = r->kernel;
    struct cell cells[COLUMNS];
    const char *row[COLUMNS] = {r->job->kernel, r->job->isa, k ? actgen_kernel_accuracy(k) : "-"};
    for (size_t i = 3; i < COLUMNS; i++) row[i] = "-";
    if (r->verdict == VERDICT_OK || r->verdict == VERDICT_WRONG || r->verdict == VERDICT_STOPPED) {
        row[3] = cell_number(&cells[3], "%.4g", report->max_ulp);
        row[4] = cell_decimal(&cells[4], report->max_ulp_at);
        row[5] = cell_number(&cells[5], "%.2e", report->max_abs);
        row[6] = cell_decimal(&cells[6], report->max_abs_at);
        row[7] = cell_count(&cells[7], report->inputs);
        row[8] = cell_count(&cells[8], report->undecided);
        row[9] = cell_count(&cells[9], report->bits_compared);
        row[10] = cell_count(&cells[10], report->bits_differ);
    }
    row[11] = verdict_names[r->verdict];
    row[12] = cell_number(&cells[12], "%.1f", k ? actgen_kernel_compile_ms(k) : NAN);
    row[13] = k ? actgen_kernel_plan(k) : "-";
    table_row(columns, COLUMNS, row);
}

static int verify_kernel(struct result *r, const struct options *options, actgen_error *error)
{
    struct progress progress = {
        r->job->kernel, r->job->isa, {0}, options->exhaustive && isatty(STDERR_FILENO), false, 0.5};
    actgen_verify_options verify = ACTGEN_VERIFY_OPTIONS_INIT;
    clock_gettime(CLOCK_MONOTONIC, &progress.start);
    verify.exhaustive = options->exhaustive;
    if (options->shard) sscanf(options->shard, "%u/%u", &verify.shard, &verify.shards);
    verify.parallel = parallel_for;
    verify.progress = show_progress;
    verify.progress_payload = &progress;
    int status = actgen_verify(r->kernel, &verify, &r->report, error);
    if (progress.shown) fputs("\r\033[K", stderr);
    if (status == ACTGEN_ESTOPPED) {
        r->verdict = VERDICT_STOPPED;
        return EXIT_INTERRUPTED;
    }
    if (status) {
        print_error("%s (%s): %s", r->job->kernel, r->job->isa, error->message);
        r->verdict = VERDICT_ERROR;
        r->message = error->message;
        return exit_of_status(status);
    }
    r->verdict = r->report.ok ? VERDICT_OK : VERDICT_WRONG;
    return r->report.ok ? EXIT_GOOD : EXIT_INPUT;
}

static int verify_job(const struct jobs *jobs, const struct job *job, const struct options *options,
                      struct json *json)
{
    actgen_error error = {0};
    actgen_kernel *kernel = NULL;
    struct result result = {.job = job, .verdict = VERDICT_ERROR};
    int code = job_compile(&kernel, jobs, job, &error);
    result.kernel = kernel;
    if (code) {
        result.message = error.message;
    } else if (!actgen_kernel_fn(
                   kernel)) { /* the interpreter alone is no proof of this instruction set's code */
        result.verdict = VERDICT_SKIPPED;
        result.message = actgen_kernel_backend(kernel);
    } else {
        code = verify_kernel(&result, options, &error);
    }
    if (options->json)
        print_json(json, &result);
    else
        print_row(&result);
    actgen_kernel_free(kernel);
    return code;
}

int command_verify(const struct options *options)
{
    struct jobs jobs;
    struct json json = {0};
    catch_interrupt();
    int code = jobs_open(&jobs, options, options->all ? "all" : NULL);
    if (code) return code;
    for (size_t i = 0; i < jobs.count; i++) table_widen(&columns[0], jobs.list[i].kernel);
    if (options->json)
        json_begin(&json);
    else
        table_titles(columns, COLUMNS);
    for (size_t i = 0; i < jobs.count && !was_interrupted(); i++)
        code = worse_exit(code, verify_job(&jobs, &jobs.list[i], options, &json));
    if (options->json) json_end(&json);
    jobs_close(&jobs);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}
