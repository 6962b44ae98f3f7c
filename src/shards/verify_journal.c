/* Reads the journal of a verification in parts, and appends to it. */
#include "verify_journal.h"
#include "diagnostics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_JOURNAL = 256 << 20 };

static int failed(const struct journal *j, const char *what)
{
    return print_file_error(EXIT_IO, j->path, "cannot %s '%s': %s", what, j->path, strerror(errno));
}

static int refuse_journal(const struct journal *j, const char *problem)
{
    return print_file_error(EXIT_INPUT, j->path,
                            "'%s' is no journal of actgen verify: %s; it is left as it is", j->path, problem);
}

/* Finds where the last complete object ends: each one has a line of its own. The cut text after it is removed
 * only when an object is added, because the file may still turn out to be no journal. */
static int find_cut_end(struct journal *j)
{
    static const char beginning[] = "[{\"begun_by\": "; /* how json.h begins each journal */
    struct buffer *text = &j->text;
    const size_t found = text->size;
    const size_t told = found < sizeof beginning - 1 ? found : sizeof beginning - 1;
    if (found && memcmp(text->data, beginning, told) != 0)
        return refuse_journal(j, "it does not begin as a journal does");
    while (text->size && text->data[text->size - 1] != '\n') text->size--;
    if (memchr(text->data, 0, text->size)) return refuse_journal(j, "it is no text");
    text->data[text->size] = 0;
    j->next = text->data;
    j->has_cut_end = text->size < found;
    return EXIT_GOOD;
}

/* Opens only regular files. Reading a device, or a pipe without a writer, might never end. */
static int open_regular(struct journal *j)
{
    struct stat status;
    const bool is_found = !stat(j->path, &status);
    if (is_found && !S_ISREG(status.st_mode))
        return print_file_error(EXIT_INPUT, j->path, "'%s' is no regular file, which a journal must be",
                                j->path);
    j->descriptor = open(j->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
    return j->descriptor < 0 ? failed(j, "open") : EXIT_GOOD;
}

int journal_open(struct journal *out, const char *path)
{
    *out = (struct journal){.path = path, .descriptor = -1};
    if (!path) return EXIT_GOOD;
    int code = open_regular(out);
    if (code) return code;
    if (flock(out->descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return print_file_error(EXIT_IO, path, "'%s' is being written by another run", path);
    code = file_read(&out->text, path, LARGEST_JOURNAL);
    return code ? code : find_cut_end(out);
}

static uint32_t count_of(const struct json_members *o, const char *name)
{
    const char *text = json_find(o, name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

bool journal_next(struct journal *j, struct record *record, struct begun *begun, int *code)
{
    struct json_members members;
    const char *problem = NULL;
    *code = EXIT_GOOD;
    if (!j->next || !*j->next) return false;
    if (!json_next(&members, &j->next, &problem)) problem = problem ? problem : "it has an end";
    if (!problem && json_find(&members, "begun_by")) {
        *record = (struct record){0};
        *begun = (struct begun){json_find(&members, "kernel"), json_find(&members, "isa"),
                                json_find(&members, "host"),   count_of(&members, "shard"),
                                count_of(&members, "shards"),  count_of(&members, "begun_by"),
                                count_of(&members, "process")};
    } else if (!problem) {
        problem = record_read(record, &members);
    }
    if (problem) {
        *code = print_file_error(EXIT_INPUT, j->path, "'%s' is damaged: %s", j->path, problem);
        return false;
    }
    while (*j->next == '\n') j->next++;
    j->is_begun = true;
    return true;
}

int journal_add(struct journal *j, const char *record)
{
    if (!j->path) return EXIT_GOOD;
    if (j->has_cut_end && ftruncate(j->descriptor, (off_t)j->text.size)) return failed(j, "write");
    j->has_cut_end = false;
    char *text = must_format("%s%s\n", j->is_begun ? "," : "[", record);
    const size_t size = strlen(text);
    size_t done = 0;
    while (done < size) {
        const ssize_t put = write(j->descriptor, text + done, size - done);
        if (put < 0 && errno != EINTR) break;
        if (put > 0) done += (size_t)put;
    }
    free(text);
    if (done < size || fsync(j->descriptor)) return failed(j, "write");
    j->is_begun = true;
    return EXIT_GOOD;
}

int journal_note(struct journal *j, const struct begun *b)
{
    struct json json = {.out = NULL};
    char *text = NULL;
    size_t size;
    if (!j->path) return EXIT_GOOD;
    json.out = open_memstream(&text, &size);
    if (!json.out) return print_error(EXIT_MEMORY, "out of memory");
    json_object(&json);
    json_count(&json, "begun_by", (uint64_t)b->rank);
    json_text(&json, "host", b->host);
    json_count(&json, "process", (uint64_t)b->process);
    json_text(&json, "kernel", b->name);
    json_text(&json, "isa", b->isa);
    json_count(&json, "shard", b->shard);
    json_count(&json, "shards", b->shards);
    json_checksum(&json);
    json_close(&json);
    fclose(json.out);
    const int code = journal_add(j, strchr(text, '{'));
    free(text);
    return code;
}

void journal_close(struct journal *j)
{
    if (j->descriptor >= 0) close(j->descriptor);
    buffer_free(&j->text);
}
