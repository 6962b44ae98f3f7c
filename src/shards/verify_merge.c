/* Implements actgen verify --merge, which adds up the reports of all parts of an exhaustive verification. */
#include "verify_merge.h"
#include "diagnostics.h"
#include "file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_REPORT = 64 << 20 };

struct part {
    const char *path;
    struct record record;
};

struct merge {
    struct buffer *texts; /* one per file */
    size_t text_count;
    struct part *parts;
    size_t count;
    struct record *sums; /* one per kernel */
    size_t sum_count;
    int code;
};

__attribute__((format(printf, 2, 3))) static void refuse(struct merge *m, const char *format, ...)
{
    char text[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    m->code = worse_exit(m->code, print_error(EXIT_INPUT, "%s", text));
}

static void read_file(struct merge *m, struct buffer *text, const char *path)
{
    const int code = file_read(text, path, LARGEST_REPORT);
    m->code = worse_exit(m->code, code);
    if (code) return;
    char *at = text->data;
    struct json_members members;
    const char *problem;
    const size_t before = m->count;
    while (json_next(&members, &at, &problem)) {
        m->parts = must_grow(m->parts, m->count + 1, sizeof *m->parts);
        struct part *p = &m->parts[m->count++];
        p->path = path;
        problem = record_read(&p->record, &members);
        if (problem) break;
    }
    if (!problem && m->count == before) problem = "it has no report in it";
    if (problem) refuse(m, "'%s' is damaged: %s", path, problem);
}

static bool same_kernel(const struct record *a, const struct record *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->isa, b->isa) && record_same_text(a->operands, b->operands);
}

static void check_alone(struct merge *m, const struct part *p)
{
    const struct record *r = &p->record;
    if (!r->shards || !r->shard || r->shard > r->shards || r->shards > ACTGEN_MAX_SHARDS)
        refuse(m, "'%s': %s (%s) is no part: it was made without --shard", p->path, r->name, r->isa);
    if (r->verdict == VERDICT_SKIPPED || r->verdict == VERDICT_INTERRUPTED || r->verdict == VERDICT_ERROR)
        refuse(m, "'%s': part %u/%u of %s (%s) is unfinished: %s", p->path, r->shard, r->shards, r->name,
               r->isa, r->message ? r->message : verdict_names[r->verdict]);
}

static void check_pair(struct merge *m, const struct part *first, const struct part *p)
{
    const struct record *a = &first->record, *b = &p->record;
    if (a->shards != b->shards)
        refuse(m, "'%s' and '%s': %s (%s) in parts of %u and of %u", first->path, p->path, a->name, a->isa,
               a->shards, b->shards);
    char *difference = record_difference(a, b);
    if (difference)
        refuse(m, "'%s' and '%s': %s (%s) of %s", first->path, p->path, a->name, a->isa, difference);
    free(difference);
}

/* Adds up the parts of a kernel, of which part `first` of the list is the first. Refuses missing and doubled
 * ones. */
static void add_parts(struct merge *m, size_t first, struct record *sum)
{
    const struct record *r = &m->parts[first].record;
    const char **paths = must_allocate(r->shards + 1, sizeof *paths); /* by the number of the part */
    for (size_t i = first; i < m->count; i++) {
        const struct part *p = &m->parts[i];
        if (!same_kernel(r, &p->record) || p->record.shard > r->shards) continue;
        if (i > first) check_pair(m, &m->parts[first], p);
        const char **path = &paths[p->record.shard];
        if (*path)
            refuse(m, "part %u/%u of %s (%s) is in '%s' and in '%s'", p->record.shard, r->shards, r->name,
                   r->isa, *path, p->path);
        *path = p->path;
        if (i > first) record_add(sum, &p->record);
    }
    for (uint32_t k = 1; k <= r->shards; k++) {
        uint32_t last = k;
        if (paths[k]) continue;
        while (last < r->shards && !paths[last + 1]) last++;
        if (last > k)
            refuse(m, "parts %u to %u of %u of %s (%s) are missing", k, last, r->shards, r->name, r->isa);
        else
            refuse(m, "part %u/%u of %s (%s) is missing", k, r->shards, r->name, r->isa);
        k = last;
    }
    free(paths);
    sum->shard = sum->shards = 0;
}

static bool is_first(const struct merge *m, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_kernel(&m->parts[k].record, &m->parts[i].record)) return false;
    return true;
}

int merge_open(struct merge **out, const struct options *options)
{
    struct merge *m = *out = must_allocate(1, sizeof *m);
    m->text_count = options->what_count;
    m->texts = must_allocate(m->text_count, sizeof *m->texts);
    for (size_t i = 0; i < m->text_count; i++) read_file(m, &m->texts[i], options->whats[i].text);
    for (size_t i = 0; i < m->count && !m->code; i++) check_alone(m, &m->parts[i]);
    if (m->code) return m->code;
    m->sums = must_allocate(m->count, sizeof *m->sums);
    for (size_t i = 0; i < m->count; i++) {
        if (!is_first(m, i)) continue;
        m->sums[m->sum_count] = m->parts[i].record;
        add_parts(m, i, &m->sums[m->sum_count++]);
    }
    return m->code;
}

int merge_show(const struct merge *m, void (*show)(void *, const struct record *), void *payload)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < m->sum_count; i++) {
        show(payload, &m->sums[i]);
        if (m->sums[i].verdict != VERDICT_OK) code = EXIT_INPUT;
    }
    return code;
}

void merge_close(struct merge *m)
{
    for (size_t i = 0; i < m->text_count; i++) buffer_free(&m->texts[i]);
    free(m->texts);
    free(m->parts);
    free(m->sums);
    free(m);
}
