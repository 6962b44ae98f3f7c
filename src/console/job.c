/* Compiles jobs, each a kernel for an instruction set, and reports progress and errors. */
#include "diagnostics.h"
#include "input.h"
#include "options.h"
#include "parallel.h"

#include <stdlib.h>
#include <string.h>

static int show_planning(void *payload, double done, const char *what)
{
    progress_line_show(payload, what, done);
    return was_interrupted();
}

const actgen_spec *job_options(actgen_options *out, const struct jobs *jobs, const struct job *job,
                               struct progress_line *line)
{
    const actgen_options defaults = ACTGEN_OPTIONS_INIT;
    *out = defaults;
    out->isa = job->isa;
    out->accuracy = jobs->accuracy;
    out->profile = jobs->profile;
    out->parallel = parallel_for;
    out->plan = jobs->plan;
    out->plans = jobs->plans.data;
    out->prove = jobs->prove;
    out->tier = jobs->tier;
    out->plan_limit = jobs->plan_limit;
    out->time_limit = jobs->time_limit;
    out->memory_limit = jobs->memory_limit;
    if (line) {
        progress_line_begin(line, job->kernel, job->isa);
        out->progress = show_planning;
        out->progress_payload = line;
    }
    if (jobs->tune && is_core_of(jobs->tune, job->isa)) out->tune = jobs->tune;
    return jobs->sources[job->source].spec;
}

bool is_machine_code(const actgen_kernel *kernel)
{
    return !strcmp(actgen_kernel_backend(kernel), "machine code");
}

bool job_is_repeated(const struct jobs *jobs, const struct job *job, const actgen_kernel *kernel)
{
    const char *isa = actgen_kernel_isa(kernel);
    bool listed = false;
    for (size_t i = 0; jobs->isas[i]; i++) listed = listed || !strcmp(jobs->isas[i], isa);
    return listed && strcmp(isa, job->isa) != 0;
}

struct problem job_problem(const struct jobs *jobs, const struct job *job, const actgen_error *error)
{
    const struct source *source = &jobs->sources[job->source];
    const bool has_place = error->line != 0;
    return (struct problem){.code = exit_of_status(error->status),
                            .name = job->kernel,
                            .isa = job->isa,
                            .file = has_place ? source->file : NULL,
                            .text = has_place ? source->text.data : NULL,
                            .text_length = source->text.size,
                            .error = error,
                            .message = error->message};
}

int job_failed(const struct jobs *jobs, const struct job *job, const actgen_error *error)
{
    const struct problem problem = job_problem(jobs, job, error);
    return error->status == ACTGEN_ESTOPPED ? problem.code : print_problem(&problem);
}

static int ignore(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

/* Notes a kernel for which the file of --plans has no plan. Only planned kernels with times can be written to
 * such a file again. */
static void note_missing_plan(const struct jobs *jobs, const struct job *job, const actgen_kernel *kernel)
{
    if (!jobs->plans.data || jobs->plan != ACTGEN_PLAN_ESTIMATE) return;
    if (actgen_emit(&kernel, 1, ACTGEN_EMIT_PLANS, NULL, ignore, NULL, NULL))
        print_note("the plan file has none for '%s' within %s on %s, so its plan is an estimate", job->kernel,
                   actgen_kernel_accuracy(kernel), job->isa);
}

int job_compile(actgen_kernel **out, const struct jobs *jobs, const struct job *job, actgen_error *error)
{
    actgen_options options;
    struct progress_line line;
    const actgen_spec *spec = job_options(&options, jobs, job, &line);
    memset(error, 0, sizeof *error);
    int status = actgen_compile(out, jobs->engine, spec, job->kernel, &options, error);
    progress_line_end(&line);
    if (status) return job_failed(jobs, job, error);
    note_missing_plan(jobs, job, *out);
    return EXIT_GOOD;
}

int jobs_check_one(const struct jobs *jobs, const struct command *command)
{
    if (jobs->count == 1) return EXIT_GOOD;
    const char **names = must_allocate(jobs->count + 1, sizeof *names);
    const char *kernel = jobs->list[0].kernel;
    bool is_one_kernel = true;
    for (size_t i = 0; i < jobs->count; i++) is_one_kernel &= !strcmp(jobs->list[i].kernel, kernel);
    for (size_t i = 0; i < jobs->count; i++)
        names[i] = is_one_kernel ? jobs->list[i].isa : jobs->list[i].kernel;
    char *known = must_join(names);
    const int code = usage_error(
        command,
        is_one_kernel ? "%s takes one instruction set, and --isa names %zu (%s)"
                      : "%s takes one kernel and one instruction set, and here are %zu: name one with "
                        "FILE:KERNEL or --isa (%s)",
        command->name, jobs->count, known);
    free(known);
    free(names);
    return code;
}
