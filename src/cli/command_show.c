/* actgen show: prints a stage of a kernel. */
#include "diagnostics.h"
#include "input.h"
#include "nearest.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char *const stage_names[] = {[ACTGEN_STAGE_SPEC] = "spec", [ACTGEN_STAGE_EXPR] = "expr",
                                          [ACTGEN_STAGE_PLAN] = "plan", [ACTGEN_STAGE_LANE] = "lane",
                                          [ACTGEN_STAGE_IR] = "ir",     [ACTGEN_STAGE_ASM] = "asm",
                                          [ACTGEN_STAGE_C] = "c",       NULL};

static int write_stdout(void *payload, const void *data, size_t size)
{
    (void)payload;
    return fwrite(data, 1, size, stdout) != size;
}

static void print_title(const struct jobs *jobs, const struct job *job)
{
    if (jobs->count > 1) printf("%s== %s, %s ==\n", job == jobs->list ? "" : "\n", job->kernel, job->isa);
}

/* The stages that need no machine code, and that a refused kernel has, too. */
static int explain_job(const struct jobs *jobs, const struct job *job, int stage)
{
    actgen_options options;
    actgen_error error = {0};
    struct progress_line line;
    const actgen_spec *spec = job_options(&options, jobs, job, &line);
    print_title(jobs, job);
    int status = actgen_explain(spec, job->kernel, &options, stage, write_stdout, NULL, &error);
    progress_line_end(&line);
    if (status == ACTGEN_EWRITE) return EXIT_IO;
    return status ? job_failed(jobs, job, &error) : EXIT_GOOD;
}

static int show_job(const struct jobs *jobs, const struct job *job, int stage)
{
    actgen_kernel *kernel = NULL;
    actgen_error error = {0};
    if (stage != ACTGEN_STAGE_LANE && stage != ACTGEN_STAGE_IR && stage != ACTGEN_STAGE_ASM)
        return explain_job(jobs, job, stage);
    int code = job_compile(&kernel, jobs, job, &error);
    if (code) return code;
    print_title(jobs, job);
    int status = actgen_show(kernel, stage, write_stdout, NULL, &error);
    if (status && status != ACTGEN_EWRITE) print_error("%s (%s): %s", job->kernel, job->isa, error.message);
    actgen_kernel_free(kernel);
    return status == ACTGEN_EWRITE ? EXIT_IO
                                   : exit_of_status(status); /* the program's end reports the failed write */
}

int command_show(const struct options *options)
{
    if (!options->stage)
        return usage_error(options->command, "--stage is missing: spec, expr, plan, lane, ir, asm or c");
    int stage = 0;
    while (stage_names[stage] && strcmp(stage_names[stage], options->stage)) stage++;
    if (!stage_names[stage]) {
        const char *nearest = nearest_name(options->stage, stage_names, (size_t)stage);
        return nearest ? usage_error(options->command, "there is no stage '%s'; did you mean '%s'?",
                                     options->stage, nearest)
                       : usage_error(options->command, "there is no stage '%s'", options->stage);
    }
    struct jobs jobs;
    int code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    for (size_t i = 0; i < jobs.count; i++) code = worse_exit(code, show_job(&jobs, &jobs.list[i], stage));
    jobs_close(&jobs);
    return code;
}
