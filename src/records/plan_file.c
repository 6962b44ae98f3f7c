/* Reads and writes plan files. It reads strictly, because the text may come from anywhere. */
#include "plan_file.h"
#include "builtin.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char first_line[] = "actgen plans 1\n", processor_word[] = "processor ", hash_word[] = "hash ";

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static const char *processor_line(const char *text) { return text + sizeof first_line - 1; }

static bool begins(const char *line, const char *word) { return !strncmp(line, word, strlen(word)); }

/* Returns true for a key, a blank, base 64, a blank and printable text. Unpacking checks the content of the
 * base 64 later. */
static bool is_record(const char *line)
{
    const size_t digits = strspn(line, "0123456789abcdef");
    const char *record = line + HASH_TEXT_SIZE;
    if (digits != HASH_TEXT_SIZE - 1 || line[digits] != ' ') return false;
    const size_t length = strcspn(record, " \n");
    if (!length || record[length] != ' ') return false;
    for (const char *c = record + length; *c != '\n'; c++)
        if (!isprint((unsigned char)*c)) return false;
    return true;
}

static int refuse(struct diag *error, unsigned line, const char *what)
{
    return diag_set(error, DIAG_INVALID, "plan file, line %u: %s", line, what);
}

/* Checks the last line of a part, which begins at `text`. */
static int check_hash(const char *text, const char *line, unsigned number, struct diag *error)
{
    char hash[HASH_TEXT_SIZE];
    hash_text(text, (size_t)(line - text), hash);
    if (!begins(line, hash_word))
        return refuse(error, number,
                      "no record of a kernel, and not the hash of the file; it is cut or damaged");
    line += sizeof hash_word - 1;
    if (strncmp(line, hash, HASH_TEXT_SIZE - 1) || line[HASH_TEXT_SIZE - 1] != '\n')
        return refuse(error, number, "the hash is another one: the file is damaged, or was changed by hand");
    return DIAG_OK;
}

/* Says what is wrong with a first line. */
static int refuse_beginning(struct diag *error, unsigned number, const char *line)
{
    static const char any_version[] = "actgen plans ";
    if (number > 1)
        return refuse(error, number, "text after the end; only another plan file may follow there");
    if (begins(line, any_version) && line[strcspn(line, "\r\n")] == '\r')
        return refuse(error, number,
                      "lines end in CR LF, as editors and git on Windows write them; restore the LF that "
                      "actgen tune --export wrote");
    return refuse(error, number,
                  begins(line, any_version)
                      ? "a format of another version of actgen; this one reads `actgen plans 1`"
                      : "not `actgen plans 1`: this is no plan file; actgen tune --export writes them");
}

/* Checks a part, and moves behind it. */
static int check_part(const char **text, unsigned *number, struct diag *error)
{
    if (!begins(*text, first_line)) return refuse_beginning(error, *number, *text);
    const char *line = processor_line(*text), *before = NULL;
    ++*number;
    if (!begins(line, processor_word) || !strchr(line, '\n'))
        return refuse(error, *number, "the processor is missing");
    ++*number;
    for (line = next_line(line); strchr(line, '\n') && is_record(line); line = next_line(line), ++*number) {
        if (before && strncmp(before, line, HASH_TEXT_SIZE) >= 0)
            return refuse(error, *number, "keys are not in order, or one stands twice");
        before = line;
    }
    const int status = check_hash(*text, line, *number, error);
    *text = next_line(line);
    ++*number;
    return status;
}

int plan_file_check(const char *text, struct diag *error)
{
    unsigned number = 1;
    int status;
    do status = check_part(&text, &number, error);
    while (!status && *text);
    return status;
}

/* Returns the last line of a part of a checked file. */
static const char *hash_line(const struct plan_part *part, unsigned *number)
{
    const char *line = part->text;
    for (*number = part->line; !begins(line, hash_word); line = next_line(line)) ++*number;
    return line;
}

bool plan_part_next(struct plan_part *part)
{
    part->text = next_line(hash_line(part, &part->line));
    part->line++;
    return *part->text;
}

const char *plan_part_processor(const struct plan_part *part, arena *memory)
{
    const char *name = processor_line(part->text) + sizeof processor_word - 1;
    return arena_text(memory, name, strcspn(name, "\n"));
}

const unsigned char *plan_part_find(const struct plan_part *part, const char key[HASH_TEXT_SIZE],
                                    arena *memory, size_t *size, unsigned *line)
{
    const char *records = next_line(processor_line(part->text)), *end = hash_line(part, line), *at;
    const unsigned char *record = packed_line(records, (size_t)(end - records), key, memory, size, &at);
    *line = part->line + 2;
    for (const char *c = records; record && c < at; c = next_line(c)) ++*line;
    return record;
}

static int by_key(const void *a, const void *b)
{
    const actgen_kernel *const *x = a, *const *y = b;
    return strcmp((*x)->tuning.key, (*y)->tuning.key);
}

int plan_file_print(struct text *out, const actgen_kernel *const *kernels, size_t count, struct diag *error)
{
    const actgen_kernel **sorted = arena_copy(out->memory, kernels, count * sizeof(const actgen_kernel *));
    char hash[HASH_TEXT_SIZE];
    for (size_t i = 0; i < count; i++) {
        const struct tuning *t = &kernels[i]->tuning;
        if (!t->record)
            return diag_set(
                error, DIAG_INVALID,
                "`%s` was not planned by times: compile it with options.plan = ACTGEN_PLAN_MEASURE",
                kernels[i]->source->name);
        if (strcmp(t->processor, kernels[0]->tuning.processor) != 0)
            return diag_set(error, DIAG_INVALID, "one plan file cannot hold times of both %s and %s",
                            kernels[0]->tuning.processor, t->processor);
    }
    qsort(sorted, count, sizeof *sorted, by_key);
    text_add(out, "%s%s%s\n", first_line, processor_word, kernels[0]->tuning.processor);
    for (size_t i = 0; i < count; i++) {
        const actgen_kernel *k = sorted[i];
        const struct text record = {.data = (char *)(uintptr_t)k->tuning.record, .length = k->tuning.size};
        struct text label = text_new(out->memory);
        text_add(&label, "%s, %s, %s", k->source->name, k->accuracy, k->isa->name);
        if (!i || strcmp(k->tuning.key, sorted[i - 1]->tuning.key) != 0)
            builtin_line(out, k->tuning.key, &record, label.data);
    }
    hash_text(out->data, out->length, hash);
    text_add(out, "%s%s\n", hash_word, hash);
    return DIAG_OK;
}
