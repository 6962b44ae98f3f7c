/* Implements actgen show, which prints a stage of a kernel. */
#include "diagnostics.h"
#include "input.h"
#include "nearest.h"
#include "operands.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const stage_names[] = {
    [ACTGEN_STAGE_SPEC] = "spec", [ACTGEN_STAGE_EXPR] = "expr", [ACTGEN_STAGE_PLAN] = "plan",
    [ACTGEN_STAGE_LANE] = "lane", [ACTGEN_STAGE_IR] = "ir",     [ACTGEN_STAGE_ASM] = "asm",
    [ACTGEN_STAGE_C] = "c",       [ACTGEN_STAGE_LIBM] = "libm", NULL};

/* Writes to stdout, or with --json to the buffer. */
static int write_text(void *text, const void *data, size_t size)
{
    return json_standard() ? buffer_write(text, data, size) : fwrite(data, 1, size, stdout) != size;
}

/* Prints the object of a stage. `kernel` may be NULL, for a kernel that was not compiled. */
static void print_object(const struct job *job, int stage, const actgen_kernel *kernel, struct buffer *text)
{
    struct json *j = json_standard();
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    if (kernel) actgen_kernel_certificate(kernel, &c);
    if (j && text->size) {
        json_object(j);
        json_text(j, "name", job->kernel);
        json_text(j, "isa", job->isa);
        json_text(j, "stage", stage_names[stage]);
        json_text(j, "text", text->data);
        json_proof(j, &c);
        json_close(j);
    }
    if (!j && stage == ACTGEN_STAGE_PLAN && c.proved_intervals) {
        char *proof = proof_text(&c);
        printf("%s\n", proof);
        free(proof);
    }
    buffer_free(text);
}

static void print_title(const struct jobs *jobs, const struct job *job)
{
    if (jobs->count > 1 && !json_standard())
        printf("%s== %s, %s ==\n", job == jobs->list ? "" : "\n", job->kernel, job->isa);
}

/* Returns true for a stage that needs no machine code, which a refused kernel has, too. */
static int explain_job(const struct jobs *jobs, const struct job *job, int stage)
{
    actgen_options options;
    actgen_error error = {0};
    struct progress_line line;
    struct buffer text = {0};
    const actgen_spec *spec = job_options(&options, jobs, job, &line);
    print_title(jobs, job);
    int status = actgen_explain(spec, job->kernel, &options, stage, write_text, &text, &error);
    progress_line_end(&line);
    print_object(job, stage, NULL, &text);
    if (status == ACTGEN_EWRITE) return EXIT_IO;
    return status ? job_failed(jobs, job, &error) : EXIT_GOOD;
}

static int show_job(const struct jobs *jobs, const struct job *job, int stage)
{
    actgen_kernel *kernel = NULL;
    actgen_error error = {0};
    struct buffer text = {0};
    const bool needs_code = stage == ACTGEN_STAGE_LANE || stage == ACTGEN_STAGE_IR ||
                            stage == ACTGEN_STAGE_ASM || stage == ACTGEN_STAGE_C;
    if (!needs_code && !(stage == ACTGEN_STAGE_PLAN && (jobs->plan || jobs->plans.data || jobs->prove)))
        return explain_job(jobs, job, stage);
    int code = job_compile(&kernel, jobs, job, &error);
    if (code) return code;
    print_title(jobs, job);
    int status = actgen_show(kernel, stage, write_text, &text, &error);
    print_object(job, stage, kernel, &text);
    actgen_kernel_free(kernel);
    if (status == ACTGEN_EWRITE) return EXIT_IO; /* the end of the program reports the failed write */
    return status ? job_failed(jobs, job, &error) : EXIT_GOOD;
}

int command_show(const struct options *options)
{
    if (!options->stage)
        return usage_error(options->command,
                           "--stage is missing: spec, expr, plan, lane, ir, asm, c or libm");
    int stage = 0;
    while (stage_names[stage] && strcmp(stage_names[stage], options->stage)) stage++;
    if (!stage_names[stage]) {
        const char *nearest = nearest_name(options->stage, stage_names, (size_t)stage);
        return nearest
                   ? usage_error(options->command, "there is no stage '%s'; did you mean '%s'?",
                                 options->stage, nearest)
                   : usage_error(
                         options->command,
                         "there is no stage '%s': the stages are spec, expr, plan, lane, ir, asm, c and libm",
                         options->stage);
    }
    struct jobs jobs;
    int code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    for (size_t i = 0; i < jobs.count; i++) code = worse_exit(code, show_job(&jobs, &jobs.list[i], stage));
    jobs_close(&jobs);
    return code;
}
