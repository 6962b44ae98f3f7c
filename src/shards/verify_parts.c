/* An exhaustive verification in parts. Rank 0 hands the parts out. While it works on a part itself, its
 * progress function answers the other ranks. A message to rank 0 is empty at the start, and then the exit
 * code and record of a part. Its answer names the next part, or says that there is no more. */
#include "verify_parts.h"
#include "diagnostics.h"
#include "progress.h"
#include "verify_job.h"
#include "verify_journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each part first asks the reference about 2^16 inputs, which takes half a second of one core. So there are
 * few parts, but enough that the ranks end together. */
enum { LEAST_PARTS = 16, PARTS_OF_A_RANK = 4 };
static const char no_more[] = "none";

struct part {
    enum { PART_OPEN, PART_GIVEN, PART_DONE } state;
    char *text; /* the record's text */
    struct record record;
};

struct course {
    struct verify_course *given;
    const struct ranks *ranks;
    struct journal journal;
    struct verification *jobs; /* compiled in this process */
    uint32_t shards;
    struct part *parts; /* for all jobs: shard k of job i is part i * shards + k - 1 */
    size_t count, open, done, done_before;
    size_t *task_of; /* the part that each rank works on, or `none` */
    int finished;    /* ranks that were told that there is no more work */
    struct progress_line line;
    double max_ulp;
    int code; /* the exit code that ends everything, or 0 */
};
static const size_t none = SIZE_MAX;

/* Returns the exit code of a part, a newline, and the part's record. The caller frees it. */
static char *do_part(const struct verify_course *course, const struct job *job, uint32_t shard,
                     uint32_t shards, int (*progress)(void *, double, double), void *payload)
{
    struct verification v;
    struct record start = *course->start;
    struct json json = {.out = NULL};
    char *text = NULL;
    size_t size;
    start.shard = shard;
    start.shards = shards;
    verification_open(&v, course->jobs, job, &start);
    if (v.is_ready) verification_run(&v, progress, payload);
    json.out = open_memstream(&text, &size);
    if (json.out) {
        record_json(&json, &v.record);
        fclose(json.out);
    }
    verification_close(&v);
    char *out = must_format("%d\n%s", v.code, json.out ? strchr(text, '{') : "");
    free(text);
    return out;
}

/* ---- rank 0 ---- */

static bool parts_go_on(const struct course *c) { return !c->code && !was_interrupted(); }

static size_t job_of(const struct course *c, size_t part) { return part / c->shards; }
static uint32_t shard_of(const struct course *c, size_t part) { return (uint32_t)(part % c->shards) + 1; }

/* Marks a job that cannot be finished, so that its other parts are not begun. */
static void give_up(struct course *c, size_t job)
{
    c->jobs[job].is_ready = false;
    for (size_t i = job * c->shards; i < (job + 1) * c->shards; i++)
        if (c->parts[i].state == PART_OPEN) c->parts[i].state = PART_DONE, c->open--, c->done++;
}

/* Takes the result that rank `rank` has for a part. The course owns `text` afterwards. */
static void take(struct course *c, size_t number, int rank, char *text)
{
    struct part *p = &c->parts[number];
    struct verification *v = &c->jobs[job_of(c, number)];
    struct json_members members;
    const char *problem = NULL;
    char *next = strchr(text, '{');
    const int code = atoi(text);
    p->state = PART_DONE;
    p->text = text;
    c->done++;
    if (!next || code == EXIT_INTERRUPTED) {
        const int why = next ? code : EXIT_INTERNAL;
        c->code = c->code ? c->code : why; /* a code stops all parts that are in work */
        return;
    }
    const bool is_good = code == EXIT_GOOD || code == EXIT_INPUT;
    if (v->is_ready && is_good) c->code = worse_exit(c->code, journal_add(&c->journal, next));
    if (!json_next(&members, &next, &problem) || (problem = record_read(&p->record, &members))) {
        c->code = print_error(EXIT_INTERNAL, "rank %d sent no record: %s", rank, problem);
    } else if (p->record.verdict == VERDICT_OK || p->record.verdict == VERDICT_WRONG) {
        char *difference = record_difference(&v->record, &p->record);
        if (difference)
            c->code =
                print_error(EXIT_INPUT, "rank 0 and rank %d have %s: name one with --isa", rank, difference);
        free(difference);
        if (p->record.report.max_ulp > c->max_ulp) c->max_ulp = p->record.report.max_ulp;
    } else if (v->is_ready) {
        v->record.verdict = p->record.verdict;
        v->record.message = p->record.message ? p->record.message : "";
        v->code = print_error(code, "%s (%s): %s", v->record.name, v->record.isa, v->record.message);
        give_up(c, job_of(c, number));
    }
}

/* Gives the next part to `rank` and returns its number, or `none` if no part is open. */
static size_t give(struct course *c, int rank, long process, const char *host)
{
    size_t number = 0;
    if (!c->open || !parts_go_on(c)) return none;
    while (c->parts[number].state != PART_OPEN) number++;
    const struct record *r = &c->jobs[job_of(c, number)].record;
    const struct begun begun = {r->name, r->isa, host, shard_of(c, number), c->shards, rank, process};
    c->code = worse_exit(c->code, journal_note(&c->journal, &begun));
    if (c->code) return none;
    c->parts[number].state = PART_GIVEN;
    c->open--;
    c->line.name = r->name;
    c->line.isa = r->isa;
    return number;
}

/* Takes the result in a message, and answers with the next part. */
static void answer(struct course *c, int rank, struct buffer text)
{
    long process = 0;
    char host[256] = "", part[64];
    char *record = strchr(text.data, '\n');
    sscanf(text.data, "%ld %255[^\n]", &process, host);
    if (c->task_of[rank] != none)
        take(c, c->task_of[rank], rank, must_format("%s", record ? record + 1 : ""));
    buffer_free(&text);
    const size_t number = c->task_of[rank] = give(c, rank, process, host);
    if (number != none)
        snprintf(part, sizeof part, "%zu %" PRIu32 " %" PRIu32, job_of(c, number), shard_of(c, number),
                 c->shards);
    if (number != none || !c->code) ranks_send(c->ranks, rank, number == none ? no_more : part);
    c->finished += number == none;
}

static int show_progress(void *payload, double own, double max_ulp)
{
    struct course *c = payload;
    char said[100];
    int rank;
    struct buffer text;
    while (parts_go_on(c) && ranks_receive(c->ranks, &rank, &text)) answer(c, rank, text);
    if (max_ulp > c->max_ulp) c->max_ulp = max_ulp;
    snprintf(said, sizeof said, "%zu of %zu parts, max %.3g ulp", c->done, c->count, c->max_ulp);
    const double before = (double)c->done_before;
    progress_line_show(&c->line, said, ((double)c->done + own - before) / ((double)c->count - before));
    return !parts_go_on(c);
}

static void work(struct course *c)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    for (size_t own; (own = give(c, 0, getpid(), host)) != none;)
        take(c, own, 0,
             do_part(c->given, c->jobs[job_of(c, own)].job, shard_of(c, own), c->shards, show_progress, c));
    while (parts_go_on(c) && c->finished < c->ranks->count - 1) {
        int rank;
        struct buffer text;
        if (ranks_wait(c->ranks, &rank, &text)) answer(c, rank, text);
        show_progress(c, 0, 0);
    }
}

/* Compiles all jobs. A failure or a skipped job is the same on every rank, so only rank 0 prints it. Rank 0
 * compiles first, so that the others find the plans in the cache. */
static void compile_all(struct course *c)
{
    const struct jobs *jobs = c->given->jobs;
    c->jobs = must_allocate(jobs->count, sizeof *c->jobs);
    for (size_t i = 0; i < jobs->count; i++) /* after an interrupt, the records say only that */
        verification_open(&c->jobs[i], jobs, &jobs->list[i], c->given->start);
}

static struct verification *job_named(const struct course *c, const char *name, const char *isa)
{
    for (size_t i = 0; i < c->given->jobs->count; i++)
        if (name && isa && !c->jobs[i].is_repeated && !strcmp(c->jobs[i].record.name, name) &&
            !strcmp(c->jobs[i].record.isa, isa))
            return &c->jobs[i];
    return NULL;
}

static int refuse_record(const struct journal *j, const struct record *r, const char *why)
{
    return print_file_error(EXIT_INPUT, j->path,
                            "'%s' is of another verification: %s (%s), %s; name another file", j->path,
                            r->name, r->isa, why);
}

/* Reads the records and notes of the journal. It also sets the number of parts, which the journal decides. */
static int read_journal(struct course *c, struct record **records, size_t *count, struct begun **notes,
                        size_t *note_count)
{
    struct record record;
    struct begun begun;
    int code;
    while (journal_next(&c->journal, &record, &begun, &code)) {
        const struct record about = {.name = record.name ? record.name : begun.name,
                                     .isa = record.name ? record.isa : begun.isa};
        const uint32_t shards = record.name ? record.shards : begun.shards;
        const uint32_t shard = record.name ? record.shard : begun.shard;
        const struct verification *v = job_named(c, about.name, about.isa);
        if (!v) return refuse_record(&c->journal, &about, "which is not verified now");
        if (!shard || shard > shards || shards > ACTGEN_MAX_SHARDS || (c->shards && shards != c->shards))
            return refuse_record(&c->journal, &about, "in other parts");
        c->shards = shards;
        if (!record.name) {
            *notes = must_grow(*notes, *note_count + 1, sizeof **notes);
            (*notes)[(*note_count)++] = begun;
            continue;
        }
        char *difference = v->is_ready ? record_difference(&v->record, &record) : NULL;
        if (difference) code = refuse_record(&c->journal, &record, difference);
        free(difference);
        if (code) return code;
        *records = must_grow(*records, *count + 1, sizeof **records);
        (*records)[(*count)++] = record;
    }
    return code;
}

/* Names the ranks that died with a part unfinished: for each open part, the last rank that began it. */
static void name_lost(const struct course *c, const struct begun *notes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct begun *b = &notes[i];
        const size_t job = (size_t)(job_named(c, b->name, b->isa) - c->jobs);
        bool is_last = c->parts[job * c->shards + b->shard - 1].state == PART_OPEN;
        for (size_t k = i + 1; k < count; k++)
            is_last = is_last && !(notes[k].shard == b->shard && !strcmp(notes[k].name, b->name) &&
                                   !strcmp(notes[k].isa, b->isa));
        if (is_last)
            print_note("rank %ld (%s, process %ld) did not finish part %u/%u of %s (%s): it is done again",
                       b->rank, b->host ? b->host : "?", b->process, b->shard, b->shards, b->name, b->isa);
    }
}

static uint32_t parts_for(int ranks)
{
    const uint32_t parts = (uint32_t)ranks * PARTS_OF_A_RANK;
    return parts < LEAST_PARTS ? LEAST_PARTS : parts > ACTGEN_MAX_SHARDS ? ACTGEN_MAX_SHARDS : parts;
}

static int prepare_parts(struct course *c)
{
    struct record *records = NULL;
    struct begun *notes = NULL;
    size_t count = 0, note_count = 0;
    int code = read_journal(c, &records, &count, &notes, &note_count);
    if (!c->shards) c->shards = parts_for(c->ranks->count);
    c->count = c->open = c->given->jobs->count * c->shards;
    c->parts = must_allocate(c->count, sizeof *c->parts);
    for (size_t i = 0; i < count && !code; i++) {
        const size_t job = (size_t)(job_named(c, records[i].name, records[i].isa) - c->jobs);
        struct part *p = &c->parts[job * c->shards + records[i].shard - 1];
        if (p->state == PART_DONE) continue; /* two runs may have done the part; their records are equal */
        p->state = PART_DONE;
        p->record = records[i];
        if (p->record.report.max_ulp > c->max_ulp) c->max_ulp = p->record.report.max_ulp;
        c->open--;
        c->done++;
    }
    for (size_t i = 0; i < c->given->jobs->count; i++)
        if (!c->jobs[i].is_ready) give_up(c, i);
    c->done_before = c->done;
    if (!code) name_lost(c, notes, note_count);
    free(records);
    free(notes);
    return code;
}

/* Shows the sum of a job's parts. If parts are missing, the verdict is interrupted. */
static int show_sum(struct course *c, size_t job)
{
    struct verification *v = &c->jobs[job];
    struct record *r = &v->record;
    uint32_t parts = 0;
    for (uint32_t k = 0; c->parts && k < c->shards && v->is_ready; k++) {
        const struct part *p = &c->parts[job * c->shards + k];
        if (!p->record.name) continue;
        if (parts++) {
            record_add(r, &p->record);
        } else {
            r->report = p->record.report;
            r->verdict = p->record.verdict;
        }
    }
    if (v->is_ready && (parts < c->shards || !c->parts)) {
        r->verdict = VERDICT_INTERRUPTED;
        r->report.done = c->parts ? (double)parts / c->shards : 0;
        v->code = EXIT_INTERRUPTED;
    } else if (v->is_ready && r->verdict == VERDICT_WRONG) {
        v->code = EXIT_INPUT;
    }
    c->given->skipped += r->verdict == VERDICT_SKIPPED;
    if (!v->is_repeated) c->given->show(c->given->payload, r);
    return v->code;
}

static void course_close(struct course *c)
{
    for (size_t i = 0; i < c->count; i++) free(c->parts[i].text);
    for (size_t i = 0; i < c->given->jobs->count; i++) verification_close(&c->jobs[i]);
    free(c->parts);
    free(c->jobs);
    free(c->task_of);
    journal_close(&c->journal);
}

int verify_in_parts(struct verify_course *course, const struct ranks *ranks, const char *journal,
                    bool *all_told)
{
    struct course c = {.given = course, .ranks = ranks};
    const bool before = problems_are_objects(false); /* the records are the JSON objects */
    c.task_of = must_allocate((size_t)ranks->count, sizeof *c.task_of);
    for (int i = 0; i < ranks->count; i++) c.task_of[i] = none;
    compile_all(&c);
    c.code = was_interrupted() ? EXIT_INTERRUPTED : journal_open(&c.journal, journal);
    if (!c.code) c.code = prepare_parts(&c);
    if (parts_go_on(&c)) {
        progress_line_begin(&c.line, course->jobs->list[0].kernel, course->jobs->list[0].isa);
        c.line.logs = ranks->count > 1;
        work(&c);
        progress_line_end(&c.line);
    }
    *all_told = c.finished == ranks->count - 1 && !c.code;
    int code = c.code;
    const bool has_sums = !code || code == EXIT_INTERRUPTED;
    for (size_t i = 0; i < course->jobs->count && has_sums; i++) code = worse_exit(code, show_sum(&c, i));
    course_close(&c);
    problems_are_objects(before);
    return code;
}

/* ---- the other ranks ---- */

static int look_for_interrupt(void *payload, double done, double max_ulp)
{
    (void)payload, (void)done, (void)max_ulp;
    return was_interrupted();
}

int verify_for_others(const struct verify_course *course, const struct ranks *ranks)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    char *said = must_format("%ld %s", (long)getpid(), host);
    for (;;) {
        struct buffer text;
        int from;
        size_t job;
        uint32_t shard, shards;
        ranks_send(ranks, 0, said);
        free(said);
        if (!ranks_wait(ranks, &from, &text)) return EXIT_INTERRUPTED;
        const bool has_part = sscanf(text.data, "%zu %" SCNu32 " %" SCNu32, &job, &shard, &shards) == 3 &&
                              job < course->jobs->count;
        buffer_free(&text);
        if (!has_part) return EXIT_GOOD;
        char *record = do_part(course, &course->jobs->list[job], shard, shards, look_for_interrupt, NULL);
        said = must_format("%ld %s\n%s", (long)getpid(), host, record);
        free(record);
    }
}
