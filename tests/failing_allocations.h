/* Makes each allocation of the library's own code fail, in runs of public calls. Include cmocka.h first.
 * The linker sends malloc and its kin here (--wrap), so only one file of a program may include this. */
#ifndef ACTGEN_TEST_FAILING_ALLOCATIONS_H
#define ACTGEN_TEST_FAILING_ALLOCATIONS_H

#include "actgen.h"
#include "part.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- allocations: the linker sends those of the library's code here (--wrap), and no other library's -- */

/* The allocations so far, and the first that fails. 0 stands for none. */
static unsigned long allocations, first_to_fail;
static bool for_good;

/* The places in the code that allocate, each with the number of its first allocation in a run. */
static struct place {
    const void *code;
    unsigned long first;
} places[200];
static unsigned place_count;

static void note_place(const void *code)
{
    unsigned i = 0;
    while (i < place_count && places[i].code != code) i++;
    if (i == sizeof places / sizeof *places) abort();
    if (i == place_count) places[place_count++] = (struct place){code, allocations};
}

static bool fails(const void *code)
{
    allocations++;
    if (!first_to_fail) note_place(code);
    const bool now =
        first_to_fail && (for_good ? allocations >= first_to_fail : allocations == first_to_fail);
    if (now) errno = ENOMEM;
    return now;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **out, const char *format, ...);

void *__wrap_malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_realloc(old, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_aligned_alloc(alignment, size);
}
char *__wrap_strdup(const char *text)
{
    return fails(__builtin_return_address(0)) ? NULL : __real_strdup(text);
}
int __wrap_asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    if (fails(__builtin_return_address(0))) return -1;
    va_start(arguments, format);
    const int length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}

/* -- a run, and what came of it -- */

struct outcome {
    int status;
    const char *call; /* The call that ended the run. */
    actgen_error error;
    char text[1 << 16];
    size_t length;
};

static int add_text(void *payload, const void *data, size_t size)
{
    struct outcome *o = payload;
    const size_t room = sizeof o->text - 1 - o->length;
    if (size > room) size = room;
    memcpy(o->text + o->length, data, size);
    o->length += size;
    return 0;
}

struct subject {
    const char *spec, *accuracy;
    bool is_proved;               /* a kernel that is compiled with options.prove */
    actgen_kernel *kernel;        /* A kernel made with enough memory. */
    const struct file_kind *file; /* The file that a run writes. */
};

static char cache_folder[96]; /* The directory of the disk cache. */

/* A call of the run. The first call that fails ends the run. */
#define TRY(name, expression)                                                                                \
    do {                                                                                                     \
        if (!o->status) {                                                                                    \
            o->call = (name);                                                                                \
            o->status = (expression);                                                                        \
        }                                                                                                    \
    } while (0)

/* -- the disk cache -- */

static struct file {
    char name[64], data[1 << 16];
    size_t size;
} kept[16];
static unsigned kept_count;

static size_t read_file(const char *name, char *data, size_t room)
{
    char path[sizeof cache_folder + 300];
    snprintf(path, sizeof path, "%s/%s", cache_folder, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, room, f);
    fclose(f);
    assert_in_range(size, 1, room - 1);
    return size;
}

static void keep_or_compare(const char *name, bool keep)
{
    static char data[sizeof kept->data];
    const size_t size = read_file(name, data, sizeof data);
    if (keep) {
        assert_in_range(kept_count, 0, sizeof kept / sizeof *kept - 1);
        assert_true(strlen(name) < sizeof kept->name);
        struct file *f = &kept[kept_count++];
        strcpy(f->name, name);
        memcpy(f->data, data, f->size = size);
        return;
    }
    for (unsigned i = 0; i < kept_count; i++)
        if (!strcmp(kept[i].name, name) && kept[i].size == size && !memcmp(kept[i].data, data, size)) return;
    fail_msg("the cache keeps %s, which a run with enough memory does not leave there", name);
}

/* Empties the cache. Its files must be those of the first run. */
static void look_into_cache(bool first)
{
    char path[sizeof cache_folder + 300];
    DIR *d = opendir(cache_folder);
    if (first) kept_count = 0;
    for (const struct dirent *e; d && (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        keep_or_compare(e->d_name, first);
        snprintf(path, sizeof path, "%s/%s", cache_folder, e->d_name);
        unlink(path);
    }
    if (d) closedir(d);
}

/* -- every place -- */

static struct outcome usual; /* The outcome with enough memory. */

typedef void run_function(struct outcome *o, const struct subject *s);

static void run_with(struct outcome *o, run_function *run, const struct subject *s, unsigned long number,
                     bool all)
{
    *o = (struct outcome){0};
    allocations = 0;
    for_good = all;
    first_to_fail = number;
    run(o, s);
    first_to_fail = 0;
}

static void try_one(run_function *run, const struct subject *s, unsigned long number, bool all)
{
    static struct outcome o;
    run_with(&o, run, s, number, all);
    look_into_cache(false);
    if (o.status == ACTGEN_ENOMEM && strstr(o.error.message, "memory")) return;
    if (!o.status && o.length == usual.length && !memcmp(o.text, usual.text, o.length)) return;
    fail_msg("%s: allocation %lu failed%s: %s: %s: %s", s->spec, number, all ? " and all after it" : "",
             o.call, actgen_status_name(o.status), o.status ? o.error.message : "another outcome");
}

/* Returns true if the calls of `run` reach this place for the first time. */
static bool is_new_place(run_function *run, const void *code)
{
    static run_function *of;
    static const void *seen[sizeof places / sizeof *places];
    static unsigned count;
    if (of != run) count = 0;
    of = run;
    for (unsigned i = 0; i < count; i++)
        if (seen[i] == code) return false;
    if (count == sizeof seen / sizeof *seen) abort();
    seen[count++] = code;
    return true;
}

/* Fails the first allocation of each place that no kernel before reached. `others` adds some
 * more allocations. */
static void try_all(run_function *run, const struct subject *s, bool others)
{
    static struct outcome again;
    place_count = 0;
    run_with(&usual, run, s, 0, false);
    look_into_cache(true);
    const unsigned long count = allocations;
    if (usual.status) fail_msg("%s: %s: %s", s->spec, usual.call, usual.error.message);
    assert_true(count); /* Otherwise this program is linked with code whose allocations do not come here. */
    const bool each = takes_all();
    for (unsigned i = 0; i < place_count; i++) {
        if (!is_new_place(run, places[i].code) && !each) continue;
        try_one(run, s, places[i].first, false);
        try_one(run, s, places[i].first, true);
    }
    for (unsigned long n = 0; (others || each) && n < 2 * count; n += each ? 1 : 1 + n / 2)
        try_one(run, s, n / 2 + 1, n % 2);
    run_with(&again, run, s, 0, false);
    look_into_cache(false);
    assert_int_equal(again.status, 0);
    assert_memory_equal(again.text, usual.text, usual.length);
}

#endif
