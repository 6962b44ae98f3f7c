/* Keeps compiled kernels in the disk cache, and finds them there. */
#include "ready.h"
#include "kernel_record.h"
#include "record.h"
#include "store.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the keys of records -- */

/* Returns true if there is a cache, and if only text and options decide the kernel. */
static bool is_kept_on_disk(const actgen_engine *e, const struct asked *a)
{
    return e->cache && a->tier != ACTGEN_TIER_INTERPRETER && a->plan == ACTGEN_PLAN_ESTIMATE && !a->plans &&
           !a->plan_limit && !a->prove;
}

static void add_hash(struct text *t, const char *text)
{
    char hash[HASH_TEXT_SIZE];
    if (text) hash_text(text, strlen(text), hash);
    t->length += (size_t)snprintf(t->data + t->length, t->capacity - t->length, "%s\n", text ? hash : "-");
}

/* Computes the key without allocating. The names of instruction sets and cores are short enough for
 * `data`. */
void ready_key(const struct asked *a, const char *here, const char *kernel, char out[HASH_TEXT_SIZE])
{
    char data[512];
    struct text t = {.data = data, .capacity = sizeof data};
    t.length = (size_t)snprintf(data, sizeof data, "%s\n%s\n%.64s %.64s %.64s %.64s %d %d\n",
                                backend_built_with, a->spec, a->isa->name, a->profile->name, a->core->name,
                                here ? here : "-", (int)a->tier, (int)a->streaming);
    add_hash(&t, kernel);
    add_hash(&t, a->accuracy);
    disk_key(&t, "kernel", out);
}

/* -- writing -- */

/* The fields of a kernel in its record. After them come its instruction set, its operands and its object. */
static const struct record_field kernel_fields[] = {
    {RECORD_TEXT, offsetof(struct actgen_kernel, called.name), 0},
    {RECORD_BIT, offsetof(struct actgen_kernel, asked.is_only), 0},
    {RECORD_TEXT, offsetof(struct actgen_kernel, symbol), 0},
    {RECORD_TEXT, offsetof(struct actgen_kernel, tile_symbol), 0},
    {RECORD_TEXT, offsetof(struct actgen_kernel, plan), 0},
    {RECORD_TEXT, offsetof(struct actgen_kernel, accuracy), 0},
    {RECORD_END, 0, 0}};

static void write_record(struct text *t, const actgen_kernel *k)
{
    record_add(t, kernel_fields, k, 0);
    bytes_add_text(t, k->isa->name);
    kernel_record_add(t, &k->called);
    for (uint32_t i = 0; i < k->called.operand_count; i++) bytes_add_text(t, k->called.operands[i].name);
    text_bytes(t, k->object.data, k->object.size);
}

struct storing {
    const actgen_kernel *kernel;
    const char *name;
};

static int store(arena *memory, void *context, struct diag *error)
{
    (void)error;
    const struct storing *s = context;
    char key[HASH_TEXT_SIZE];
    struct text t = text_new(memory);
    write_record(&t, s->kernel);
    ready_key(&s->kernel->asked, s->kernel->engine->host.core, s->name, key);
    cache_put(s->kernel->engine->cache, key, t.data, t.length);
    return DIAG_OK;
}

void ready_store(const actgen_kernel *k, const char *name)
{
    if (!k->ready && k->code && is_kept_on_disk(k->engine, &k->asked))
        with_arena(NULL, store, &(struct storing){k, name}, NULL);
}

/* -- reading -- */

/* Reads all of a record except the object, which is the rest of it. */
static bool read_record(actgen_kernel *k, struct bytes *b, arena *memory)
{
    record_read(k, b, kernel_fields, memory, 0);
    k->asked.kernel = k->called.name;
    k->isa = target_isa_find(bytes_text(b, memory));
    if (!k->isa || !kernel_record_read(&k->called, b, memory)) return false;
    k->called.name = k->asked.kernel;
    for (uint32_t i = 0; i < k->called.operand_count; i++) k->called.operands[i].name = bytes_text(b, memory);
    return !b->failed;
}

struct finding {
    const struct spec_source *source;
    actgen_kernel *kernel;
    void *record;
    size_t size;
};

/* Keeps the source for kernel_whole. */
static struct ready *keep_source(arena *memory, const struct spec_source *source)
{
    struct ready *r = arena_alloc(memory, sizeof *r);
    r->source = *source;
    r->source.file = arena_copied(memory, source->file);
    r->source.text = arena_text(memory, source->text, source->length);
    r->source.type = arena_copied(memory, source->type);
    return r;
}

static int take_record(arena *memory, void *context, struct diag *error)
{
    const struct finding *f = context;
    actgen_kernel *k = f->kernel;
    struct bytes b = {.data = f->record, .left = f->size};
    if (!read_record(k, &b, memory)) return diag_set(error, DIAG_BACKEND, "a damaged record");
    k->asked.spec = arena_copied(memory, k->asked.spec);
    k->asked.accuracy = arena_copied(memory, k->asked.accuracy);
    k->asked_hash = asked_hash(&k->asked);
    k->ready = keep_source(memory, f->source);
    k->object = (struct backend_buffer){.data = (char *)(uintptr_t)b.data, .size = b.left};
    hash_text(k->object.data, k->object.size, k->object_hash);
    int status = kernel_link(k, error);
    k->object = (struct backend_buffer){0}; /* The bytes belong to the record. */
    if (!status && !k->code) status = diag_set(error, DIAG_BACKEND, "an object that cannot be loaded");
    return status;
}

actgen_kernel *ready_find(actgen_engine *e, const struct asked *asked, const struct spec_source *source,
                          const char *name)
{
    char key[HASH_TEXT_SIZE];
    struct finding f = {.source = source};
    const double start = now_ms();
    if (!is_kept_on_disk(e, asked) || !target_here_runs(&e->host.here, asked->isa)) return NULL;
    ready_key(asked, e->host.core, name, key);
    f.record = cache_get(e->cache, key, &f.size);
    if (!f.record || kernel_create(&f.kernel, e, asked, NULL)) {
        free(f.record);
        return NULL;
    }
    const int status = with_arena(&f.kernel->memory, take_record, &f, NULL);
    free(f.record);
    f.kernel->compile_ms = now_ms() - start;
    if (!status) return kernel_publish(f.kernel);
    if (status != DIAG_NO_MEMORY) cache_drop(e->cache, key);
    f.kernel->ready = NULL; /* It was freed with the memory. */
    actgen_kernel_free(f.kernel);
    return NULL;
}
