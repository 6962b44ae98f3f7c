/* Implements actgen verify: kernels against the reference, and machine code against the interpreter. */
#include "diagnostics.h"
#include "foreign.h"
#include "input.h"
#include "options.h"
#include "progress.h"
#include "verify_job.h"
#include "verify_merge.h"
#include "verify_parts.h"
#include "verify_table.h"

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

/* The places that records go to. */
struct outlet {
    struct verify_table table; /* without --json */
    struct json report;        /* --report, if its `out` is set */
    char *text;                /* the text of --report */
    size_t size;
};

static void show(void *payload, const struct record *r)
{
    struct outlet *o = payload;
    if (json_standard())
        record_json(json_standard(), r);
    else
        verify_table_row(&o->table, r);
    if (o->report.out) record_json(&o->report, r);
}

static int outlet_open(struct outlet *o, const struct options *options)
{
    *o = (struct outlet){0};
    verify_table_begin(&o->table, options->details);
    if (options->report && !(o->report.out = open_memstream(&o->text, &o->size)))
        return print_error(EXIT_MEMORY, "out of memory");
    return EXIT_GOOD;
}

/* Ends the table. Writes the report, which appears complete or not at all. */
static int outlet_close(struct outlet *o, const struct options *options)
{
    if (!json_standard()) verify_table_end(&o->table);
    if (!o->report.out) return EXIT_GOOD;
    json_end(&o->report);
    const bool complete = !ferror(o->report.out);
    struct output output = {.path = options->report};
    if (fclose(o->report.out) || !complete) return print_error(EXIT_MEMORY, "out of memory");
    buffer_write(&output.content, o->text, o->size);
    const int code = outputs_write(&output, 1);
    buffer_free(&output.content);
    free(o->text);
    return code;
}

/* Reads --shard I/N. Returns an exit code. */
static int read_shard(const struct options *options, uint32_t *shard, uint32_t *shards)
{
    char end;
    *shard = *shards = 0;
    if (!options->shard) return EXIT_GOOD;
    if (!options->exhaustive) return usage_error(options->command, "--shard needs --exhaustive");
    if (!isdigit((unsigned char)*options->shard) ||
        sscanf(options->shard, "%5" SCNu32 "/%5" SCNu32 "%c", shard, shards, &end) != 2 || *shard < 1 ||
        *shard > *shards || *shards > ACTGEN_MAX_SHARDS)
        return usage_error(options->command, "'%s' is no part: 1/N to N/N, N at most %d", options->shard,
                           ACTGEN_MAX_SHARDS);
    return EXIT_GOOD;
}

/* Lets the verification judge the function in place of the kernel. Looks first for results that depend on
 * their places, and keeps what it finds in `place`, a text of `size` bytes. */
static void judge_foreign(struct verification *v, struct foreign *f, char *place, size_t size)
{
    actgen_operand_info input = ACTGEN_OPERAND_INFO_INIT, result = ACTGEN_OPERAND_INFO_INIT;
    struct foreign_place found;
    actgen_kernel_operand_info(v->kernel, 0, &input);
    actgen_kernel_operand_info(v->kernel, 1, &result);
    const char *problem = foreign_take_types(f, input.type, result.type);
    v->record.of = f->text;
    v->record.isa = NULL;
    if (problem) {
        v->code = print_error(EXIT_INPUT, "--of '%s': %s", f->text, problem);
        v->record.message = problem;
        v->is_ready = false;
        return;
    }
    v->judged = foreign_judged;
    v->judged_payload = f;
    foreign_find_place(&found, f);
    if (!found.is_found) return;
    snprintf(place, size,
             "The results depend on their places: element %zu in a call of %zu elements, which begins after "
             "%zu elements, is another than in a call by itself.",
             found.element, found.length, found.offset);
    v->record.place = place;
}

/* Verifies a job and shows its record. Returns false if an interrupt ends the run; the record then says how
 * far the job came, which may be nowhere. */
static bool verify_job(struct verify_course *course, const struct job *job, int *code)
{
    struct verification v;
    struct progress_line line;
    char place[320];
    const bool before = problems_are_objects(false); /* the record is the JSON object */
    verification_open(&v, course->jobs, job, course->start);
    if (v.is_ready && course->foreign) judge_foreign(&v, course->foreign, place, sizeof place);
    if (v.is_ready) {
        progress_line_begin(&line, job->kernel, v.record.of ? v.record.of : v.record.isa);
        line.logs = v.record.exhaustive; /* formulas that cancel or oscillate take many minutes */
        verification_run(&v, show_progress, &line);
        progress_line_end(&line);
        if (v.record.verdict == VERDICT_ERROR) job_failed(course->jobs, job, &v.error);
    }
    course->skipped += v.record.verdict == VERDICT_SKIPPED;
    if (!v.is_repeated) course->show(course->payload, &v.record);
    problems_are_objects(before);
    *code = worse_exit(*code, v.code);
    const bool goes_on = v.record.verdict != VERDICT_INTERRUPTED;
    verification_close(&v);
    return goes_on;
}

/* Shows a record for each job. `*all_told` is as in verify_in_parts. */
static int verify_all(struct verify_course *course, const struct options *options, const struct ranks *ranks,
                      bool *all_told)
{
    const struct jobs *jobs = course->jobs;
    struct outlet outlet;
    int code = outlet_open(&outlet, options);
    if (code) return code;
    course->show = show;
    course->payload = &outlet;
    for (size_t i = 0; i < jobs->count; i++)
        verify_table_widen(&outlet.table, jobs->list[i].kernel, NULL, jobs->accuracy);
    if (options->mpi || options->resume)
        code = verify_in_parts(course, ranks, options->resume, all_told);
    else
        for (size_t i = 0; i < jobs->count && verify_job(course, &jobs->list[i], &code); i++) continue;
    /* Fails if a set that the user named was skipped, or if everything was. */
    const bool by_name = options->isa && strcmp(options->isa, "all") != 0;
    if (course->skipped && (by_name || course->skipped == jobs->count)) code = worse_exit(code, EXIT_TARGET);
    return worse_exit(code, outlet_close(&outlet, options));
}

static int verify_on(const struct ranks *ranks, const struct options *options, const struct record *start,
                     bool *all_told)
{
    static const char ready[] = "ready";
    struct jobs jobs;
    struct verify_course course = {.jobs = &jobs, .start = start};
    struct buffer text;
    int from, code = EXIT_GOOD;
    if (ranks->rank) { /* rank 0 prints what is wrong for all ranks, and then ends the others */
        if (!freopen("/dev/null", "w", stdout) || !ranks_wait(ranks, &from, &text)) return EXIT_INTERNAL;
        buffer_free(&text);
    } else if (options->report) {
        code = output_check(options->report); /* now, and not after hours of work */
    }
    if (!code) code = jobs_open(&jobs, options, options->all ? "all" : NULL);
    if (code) return code;
    struct foreign foreign = {.text = NULL};
    if (options->of) {
        course.foreign = &foreign;
        code = jobs_check_one(&jobs, options->command);
        if (!code) code = foreign_open(&foreign, options->of);
        if (code) {
            foreign_close(&foreign);
            jobs_close(&jobs);
            return code;
        }
    }
    for (int i = 1; i < ranks->count && !ranks->rank; i++) ranks_send(ranks, i, ready);
    if (ranks->rank)
        *all_told = !(code = verify_for_others(&course, ranks));
    else
        code = verify_all(&course, options, ranks, all_told);
    foreign_close(&foreign);
    jobs_close(&jobs);
    return code;
}

static int check_parts(const struct options *o)
{
    const char *option = o->mpi ? "--mpi" : o->resume ? "--resume" : NULL;
    if (option && o->of) return usage_error(o->command, "--of judges in one piece: leave %s out", option);
    if (!option) return EXIT_GOOD;
    if (!o->exhaustive) return usage_error(o->command, "%s needs --exhaustive", option);
    if (o->shard) return usage_error(o->command, "%s does all parts: leave --shard out", option);
    for (size_t i = 0; i < o->what_count && o->mpi; i++)
        if (!strcmp(o->whats[i].text, "-"))
            return usage_error(o->command,
                               "with --mpi, WHAT cannot be '-': only one rank has the standard input");
    return EXIT_GOOD;
}

static int verify_jobs(const struct options *options)
{
    struct ranks ranks;
    struct record start = {.build = actgen_build_id(),
                           .exhaustive = options->exhaustive,
                           .verdict = VERDICT_ERROR,
                           .report = ACTGEN_REPORT_INIT};
    int code = read_shard(options, &start.shard, &start.shards);
    if (!code) code = check_parts(options);
    if (!code) code = ranks_begin(&ranks, options->mpi);
    if (code) return code;
    catch_interrupt();
    bool all_told = ranks.count == 1;
    code = verify_on(&ranks, options, &start, &all_told);
    ranks_end(&ranks, code, all_told);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}

static int merge_reports(const struct options *options)
{
    struct outlet outlet;
    struct merge *merge;
    if (options->all || options->exhaustive || options->shard || options->accuracy || options->isa ||
        options->mpi || options->resume || options->of)
        return usage_error(options->command,
                           "--merge takes report files, and only the options --report and --json");
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
    const int code = refuse_standard_output(options, options->report);
    if (code) return code;
    return options->merge ? merge_reports(options) : verify_jobs(options);
}
