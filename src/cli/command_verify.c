/* actgen verify: the kernel against the reference, and machine code against the interpreter. */
#include "diagnostics.h"
#include "input.h"
#include "operands.h"
#include "options.h"
#include "parallel.h"
#include "progress.h"
#include "verify_merge.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int show_progress(void *payload, double done, double max_ulp)
{
    char text[64];
    snprintf(text, sizeof text, "max %.3g ulp", max_ulp);
    progress_line_show(payload, text, done);
    return was_interrupted();
}

struct outlet {         /* where records go */
    struct json report; /* --report, if its `out` is set */
    char *text;         /* of --report */
    size_t size;
};

static void show(void *payload, const struct record *r)
{
    struct outlet *o = payload;
    if (json_standard())
        record_json(json_standard(), r);
    else
        record_row(r);
    if (o->report.out) record_json(&o->report, r);
}

static int outlet_open(struct outlet *o, const struct options *options)
{
    *o = (struct outlet){0};
    if (options->report && !(o->report.out = open_memstream(&o->text, &o->size)))
        return print_error(EXIT_INTERNAL, "out of memory");
    if (!json_standard()) record_titles();
    return EXIT_GOOD;
}

/* The report appears complete or not at all. */
static int outlet_close(struct outlet *o, const struct options *options)
{
    if (!o->report.out) return EXIT_GOOD;
    json_end(&o->report);
    const bool complete = !ferror(o->report.out);
    struct output output = {.path = options->report};
    if (fclose(o->report.out) || !complete) return print_error(EXIT_INTERNAL, "out of memory");
    buffer_write(&output.content, o->text, o->size);
    const int code = outputs_write(&output, 1);
    buffer_free(&output.content);
    free(o->text);
    return code;
}

/* "I/N". */
static int read_shard(const struct options *options, uint32_t *shard, uint32_t *shards)
{
    char end;
    *shard = *shards = 0;
    if (!options->shard) return EXIT_GOOD;
    if (!options->exhaustive) return usage_error(options->command, "--shard goes with --exhaustive");
    if (!isdigit((unsigned char)*options->shard) ||
        sscanf(options->shard, "%5" SCNu32 "/%5" SCNu32 "%c", shard, shards, &end) != 2 || *shard < 1 ||
        *shard > *shards || *shards > ACTGEN_MAX_SHARDS)
        return usage_error(options->command, "'%s' is no part: 1/N to N/N, N at most %d", options->shard,
                           ACTGEN_MAX_SHARDS);
    return EXIT_GOOD;
}

static int verify_kernel(struct record *r, const actgen_kernel *kernel, actgen_error *error)
{
    struct progress_line line;
    actgen_verify_options verify = ACTGEN_VERIFY_OPTIONS_INIT;
    progress_line_begin(&line, r->name, r->isa);
    verify.exhaustive = r->exhaustive;
    verify.shard = r->shard;
    verify.shards = r->shards;
    verify.parallel = parallel_for;
    verify.progress = show_progress;
    verify.progress_payload = &line;
    int status = actgen_verify(kernel, &verify, &r->report, error);
    progress_line_end(&line);
    if (status == ACTGEN_ESTOPPED) {
        r->verdict = VERDICT_INTERRUPTED;
        return EXIT_INTERRUPTED;
    }
    if (status) {
        r->exhaustive = false;
        return exit_of_status(status);
    }
    r->verdict = r->report.ok ? VERDICT_OK : VERDICT_WRONG;
    return r->report.ok ? EXIT_GOOD : EXIT_INPUT;
}

static void describe_kernel(struct record *r, const actgen_kernel *kernel)
{
    actgen_certificate certificate = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel_certificate(kernel, &certificate);
    r->accuracy = certificate.accuracy;
    r->plan = certificate.plan;
    r->profile = certificate.profile;
    r->object_hash = actgen_kernel_object_hash(kernel);
    r->compile_ms = actgen_kernel_compile_ms(kernel);
}

static int verify_job(const struct jobs *jobs, const struct job *job, const struct record *start,
                      struct outlet *outlet, size_t *skipped)
{
    actgen_error error = {0};
    actgen_kernel *kernel = NULL;
    struct record record = *start;
    struct problem problem;
    const bool before = problems_are_objects(false); /* the record is the object */
    record.name = job->kernel;
    record.isa = job->isa;
    int code = job_compile(&kernel, jobs, job, &error);
    struct buffer operands = {0};
    if (kernel && job_is_repeated(jobs, job, kernel)) {
        problems_are_objects(before);
        actgen_kernel_free(kernel);
        return EXIT_GOOD;
    }
    if (kernel) {
        record.isa = actgen_kernel_isa(kernel);
        describe_kernel(&record, kernel);
        print_operands(&operands, kernel);
        record.operands = operands.data;
    }
    if (code) {
        if (code == EXIT_INTERRUPTED) record.verdict = VERDICT_INTERRUPTED;
    } else if (!actgen_kernel_fn(kernel) && !actgen_isa_runs_here(job->isa)) {
        /* The interpreter alone is no proof of this instruction set's code. */
        record.verdict = VERDICT_SKIPPED;
        record.message = actgen_kernel_backend(kernel);
        ++*skipped;
    } else {
        code = verify_kernel(&record, kernel, &error);
        if (record.verdict == VERDICT_ERROR) job_failed(jobs, job, &error);
        if (!code && !actgen_kernel_fn(kernel)) { /* nothing may make code executable here */
            record.message = actgen_kernel_backend(kernel);
            code = EXIT_TARGET;
        }
    }
    if (record.verdict == VERDICT_ERROR) {
        problem = job_problem(jobs, job, &error);
        record.problem = &problem;
        record.message = error.message;
    }
    show(outlet, &record);
    problems_are_objects(before);
    buffer_free(&operands);
    actgen_kernel_free(kernel);
    return code;
}

static int verify_jobs(const struct options *options)
{
    struct jobs jobs;
    struct outlet outlet;
    size_t skipped = 0;
    struct record start = {.build = actgen_build_id(),
                           .exhaustive = options->exhaustive,
                           .verdict = VERDICT_ERROR,
                           .report = ACTGEN_REPORT_INIT};
    int code = read_shard(options, &start.shard, &start.shards);
    if (code) return code;
    catch_interrupt();
    if ((code = jobs_open(&jobs, options, options->all ? "all" : NULL))) return code;
    for (size_t i = 0; i < jobs.count; i++) record_widen(jobs.list[i].kernel);
    if (!(code = outlet_open(&outlet, options))) {
        for (size_t i = 0; i < jobs.count && !was_interrupted(); i++)
            code = worse_exit(code, verify_job(&jobs, &jobs.list[i], &start, &outlet, &skipped));
        /* What was asked for by name, or all of it, must not pass unseen. */
        const bool by_name = options->isa && strcmp(options->isa, "all") != 0;
        if (skipped && (by_name || skipped == jobs.count)) code = worse_exit(code, EXIT_TARGET);
        code = worse_exit(code, outlet_close(&outlet, options));
    }
    jobs_close(&jobs);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}

static int merge_reports(const struct options *options)
{
    struct outlet outlet;
    struct merge *merge;
    if (options->all || options->exhaustive || options->shard || options->accuracy || options->isa)
        return usage_error(options->command,
                           "--merge takes report files, and no option but --report and --json");
    if (!options->what_count) return usage_error(options->command, "--merge needs report files");
    int code = merge_open(&merge, options);
    if (!code && !(code = outlet_open(&outlet, options))) {
        code = merge_show(merge, show, &outlet);
        code = worse_exit(code, outlet_close(&outlet, options));
    }
    merge_close(merge);
    return code;
}

int command_verify(const struct options *options)
{
    int code = refuse_standard_output(options, options->report);
    if (!code && options->report) code = output_check(options->report); /* not after hours */
    if (code) return code;
    return options->merge ? merge_reports(options) : verify_jobs(options);
}
