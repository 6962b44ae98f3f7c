/* Keeps compiled kernels in the disk cache, and finds them there. */
#include "ready.h"

#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- the keys of records -- */

/* Returns true if there is a cache, and if only text and options decide the kernel. */
static bool is_kept(const actgen_engine *e, const struct asked *a)
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
void ready_key(const struct asked *a, const char *kernel, char out[HASH_TEXT_SIZE])
{
    char data[512];
    struct text t = {.data = data, .capacity = sizeof data};
    t.length =
        (size_t)snprintf(data, sizeof data, "%s\n%s\n%.64s %.64s %.64s %d %d\n", backend_built_with, a->spec,
                         a->isa->name, a->profile->name, a->core->name, (int)a->tier, (int)a->streaming);
    add_hash(&t, kernel);
    add_hash(&t, a->accuracy);
    disk_key(&t, "kernel", out);
}

/* -- writing -- */

static void write_operand(struct text *t, const struct kernel_operand *o)
{
    const uint32_t numbers[] = {(uint32_t)o->type,
                                (uint32_t)o->shape,
                                (uint32_t)o->layout,
                                (uint32_t)o->reduction,
                                o->is_result,
                                o->part,
                                o->parts};
    bytes_add_text(t, o->name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) bytes_add_number(t, numbers[i]);
}

static void write_total(struct text *t, const struct kernel_total *o)
{
    const uint64_t numbers[] = {(uint64_t)o->reduction,
                                (uint64_t)o->form,
                                o->type == LANE_F64,
                                o->level,
                                o->group,
                                o->values,
                                o->is_input};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) bytes_add_number(t, numbers[i]);
}

static void write_record(struct text *t, const actgen_kernel *k)
{
    bytes_add_text(t, k->called.name);
    bytes_add_number(t, k->asked.is_only);
    bytes_add_text(t, k->isa->name);
    bytes_add_text(t, k->symbol);
    bytes_add_text(t, k->tile_symbol);
    bytes_add_text(t, k->plan);
    bytes_add_text(t, k->accuracy);
    bytes_add_number(t, k->called.operand_count);
    for (uint32_t i = 0; i < k->called.operand_count; i++) write_operand(t, &k->called.operands[i]);
    bytes_add_number(t, k->called.total_count);
    for (uint32_t i = 0; i < k->called.total_count; i++) write_total(t, &k->called.totals[i]);
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
    ready_key(&s->kernel->asked, s->name, key);
    cache_put(s->kernel->engine->cache, key, t.data, t.length);
    return DIAG_OK;
}

void ready_store(const actgen_kernel *k, const char *name)
{
    if (!k->ready && k->code && is_kept(k->engine, &k->asked))
        with_arena(NULL, store, &(struct storing){k, name}, NULL);
}

/* -- reading -- */

/* Reads a number that must be below `end`. */
static uint32_t read_below(struct bytes *b, uint64_t end)
{
    const uint64_t number = bytes_number(b);
    b->failed |= number >= end;
    return b->failed ? 0 : (uint32_t)number;
}

static struct kernel_operand read_operand(struct bytes *b, arena *memory)
{
    struct kernel_operand o = {.name = bytes_text(b, memory)};
    o.type = (enum element_type)read_below(b, ELEMENT_TYPE_COUNT);
    o.shape = (enum operand_shape)read_below(b, SHAPE_ONE + 1);
    o.layout = (enum operand_layout)read_below(b, LAYOUT_INTERLEAVED + 1);
    o.reduction = (enum operand_reduction)read_below(b, REDUCE_AMAX + 1);
    o.is_result = read_below(b, 2);
    o.part = read_below(b, SPEC_MAX_OPERANDS);
    o.parts = read_below(b, SPEC_MAX_OPERANDS + 1);
    return o;
}

/* Returns true if each group has all its parts, in order. */
static bool are_groups(const struct kernel_operand *operands, uint32_t count)
{
    uint32_t next = 0, parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct kernel_operand *o = &operands[i];
        if (next == parts) next = 0, parts = o->parts;
        if (!parts || o->parts != parts || o->part != next++) return false;
        if (o->part && (o->layout != o[-1].layout || o->type != o[-1].type || o->shape != o[-1].shape ||
                        o->is_result != o[-1].is_result))
            return false;
    }
    return count && next == parts;
}

static bool read_operands(struct lane_kernel *out, const char *name, struct bytes *b, arena *memory)
{
    const uint32_t count = read_below(b, SPEC_MAX_OPERANDS + 1);
    struct kernel_operand *operands = arena_alloc(memory, (count + 1) * sizeof *operands);
    for (uint32_t i = 0; i < count; i++) operands[i] = read_operand(b, memory);
    if (b->failed || !are_groups(operands, count)) return false;
    *out = lane_kernel_make(name, operands, count, NULL);
    return true;
}

static struct kernel_total read_total(struct bytes *b)
{
    struct kernel_total t = {.reduction = (enum operand_reduction)read_below(b, REDUCE_AMAX + 1)};
    t.form = (enum summand_form)read_below(b, SUMMAND_SQUARE + 1);
    t.type = read_below(b, 2) ? LANE_F64 : LANE_F32;
    t.level = read_below(b, SPEC_MAX_TOTALS);
    t.group = read_below(b, SPEC_MAX_OPERANDS);
    t.values = read_below(b, SPEC_MAX_OPERANDS);
    t.is_input = read_below(b, 2);
    return t;
}

static bool read_totals(struct lane_kernel *out, struct bytes *b, arena *memory)
{
    out->total_count = read_below(b, SPEC_MAX_OPERANDS + 1);
    struct kernel_total *totals = arena_alloc(memory, (out->total_count + 1) * sizeof *totals);
    for (uint32_t i = 0; i < out->total_count; i++) totals[i] = read_total(b);
    out->totals = totals;
    out->has_sums = out->has_sums || out->total_count;
    return !b->failed;
}

/* Reads all of a record except the object, which is the rest of it. */
static bool read_record(actgen_kernel *k, struct bytes *b, arena *memory)
{
    k->asked.kernel = bytes_text(b, memory);
    k->asked.is_only = read_below(b, 2);
    k->isa = target_isa_find(bytes_text(b, memory));
    k->symbol = bytes_text(b, memory);
    k->tile_symbol = bytes_text(b, memory);
    k->plan = bytes_text(b, memory);
    k->accuracy = bytes_text(b, memory);
    return k->isa && read_operands(&k->called, k->asked.kernel, b, memory) &&
           read_totals(&k->called, b, memory);
}

static const char *copied(arena *memory, const char *text)
{
    return text ? arena_text(memory, text, strlen(text)) : NULL;
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
    r->source.file = copied(memory, source->file);
    r->source.text = arena_text(memory, source->text, source->length);
    r->source.type = copied(memory, source->type);
    return r;
}

static int take_record(arena *memory, void *context, struct diag *error)
{
    const struct finding *f = context;
    actgen_kernel *k = f->kernel;
    struct bytes b = {.data = f->record, .left = f->size};
    if (!read_record(k, &b, memory)) return diag_set(error, DIAG_BACKEND, "a damaged record");
    k->asked.spec = copied(memory, k->asked.spec);
    k->asked.accuracy = copied(memory, k->asked.accuracy);
    k->asked_hash = asked_hash(&k->asked);
    k->ready = keep_source(memory, f->source);
    k->object = (struct backend_buffer){.data = (char *)(uintptr_t)b.data, .size = b.left};
    hash_text(k->object.data, k->object.size, k->object_hash);
    int status = link_code(k, error);
    k->object = (struct backend_buffer){0}; /* The bytes belong to the record. */
    if (!status && !k->code) status = diag_set(error, DIAG_BACKEND, "an object that cannot be loaded");
    return status;
}

actgen_kernel *ready_find(struct compilation *c, const struct spec_source *source, const char *name)
{
    char key[HASH_TEXT_SIZE];
    struct finding f = {.source = source};
    actgen_engine *e = c->engine;
    const double start = now_ms();
    if (!is_kept(e, &c->asked) || !target_here_runs(&e->host.here, c->asked.isa)) return NULL;
    ready_key(&c->asked, name, key);
    f.record = cache_get(e->cache, key, &f.size);
    if (!f.record || create_kernel(&f.kernel, c, NULL)) {
        free(f.record);
        return NULL;
    }
    const int status = with_arena(&f.kernel->memory, take_record, &f, NULL);
    free(f.record);
    f.kernel->compile_ms = now_ms() - start;
    if (!status) return publish(f.kernel);
    if (status != DIAG_NO_MEMORY) cache_drop(e->cache, key);
    f.kernel->ready = NULL; /* It was freed with the memory. */
    actgen_kernel_free(f.kernel);
    return NULL;
}

/* -- formulas -- */

/* Compiles the kernel as if no record had been found. Its plans and object may still come from the cache. */
static int compile_whole(actgen_kernel **out, const actgen_kernel *k, struct diag *error)
{
    actgen_spec *spec;
    struct compilation c = {.engine = k->engine, .asked = k->asked};
    int status = spec_make(&spec, &k->ready->source, (struct spec_limits){0}, error);
    if (status) return status;
    status = ask_which(&c, spec, k->asked.kernel, error);
    if (!status) status = compile_unshared(out, &c, error);
    actgen_spec_free(spec);
    return status;
}

static actgen_kernel *made_so_far(const actgen_kernel *k)
{
    pthread_mutex_lock(&k->engine->lock);
    actgen_kernel *whole = k->ready->whole;
    pthread_mutex_unlock(&k->engine->lock);
    return whole;
}

const actgen_kernel *kernel_whole(const actgen_kernel *k, struct diag *error)
{
    actgen_kernel *made;
    if (!k->ready) return k;
    if ((made = made_so_far(k))) return made;
    if (compile_whole(&made, k, error)) return NULL;
    pthread_mutex_lock(&k->engine->lock);
    actgen_kernel *const earlier = k->ready->whole; /* Another thread may have made it. */
    if (!earlier) k->ready->whole = made;
    pthread_mutex_unlock(&k->engine->lock);
    if (!earlier) return made;
    actgen_kernel_free(made);
    return earlier;
}
