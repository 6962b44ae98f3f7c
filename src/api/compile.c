/* The pipeline: spec -> kernel -> pieces and plans -> lane program -> object -> code. */
#include "api.h"
#include "border.h"
#include "elsewhere.h"
#include "nearest.h"
#include "perf_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Operands of more bytes than this in sum are written by streaming stores: three quarters of a large
 * last-level cache. One figure for all machines, so that an object's bytes depend on its spec alone. */
enum { STREAMING_BYTES = 48 << 20 };

struct compilation {
    const actgen_spec *spec;
    const struct spec_kernel *source; /* of the spec */
    struct planning planning;
    struct progress progress;
    actgen_kernel *kernel;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* "a, b, c", as many as fit. */
static void list_kernels(char *out, size_t size, const struct spec *s)
{
    size_t used = 0;
    *out = 0;
    for (uint32_t i = 0; i < s->kernel_count && used < size; i++) {
        const bool fits = used + strlen(s->kernels[i].name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 fits ? s->kernels[i].name : "...");
        if (!fits) return;
    }
}

int choose_kernel(const struct spec_kernel **out, const struct spec *s, const char *name, struct diag *error)
{
    if (!name && s->kernel_count == 1) {
        *out = &s->kernels[0];
        return DIAG_OK;
    }
    if (!s->kernel_count) return diag_set(error, DIAG_INVALID, "%s has no kernel", s->file);
    char known[240];
    list_kernels(known, sizeof known, s);
    if (!name)
        return diag_set(error, DIAG_INVALID, "%s has %u kernels, name one of them: %s", s->file,
                        s->kernel_count, known);
    const char *names[64];
    size_t count = 0;
    for (uint32_t i = 0; i < s->kernel_count; i++) {
        if (!strcmp(s->kernels[i].name, name)) {
            *out = &s->kernels[i];
            return DIAG_OK;
        }
        if (count < sizeof names / sizeof *names) names[count++] = s->kernels[i].name;
    }
    const char *near = nearest_name(name, names, count);
    return diag_set(error, DIAG_INVALID, "%s has no kernel `%.64s`; %s%s%s has %s", s->file, name,
                    near ? "did you mean `" : "", near ? near : "", near ? "`? It" : "it", known);
}

int choose_bound(struct spec_bound *out, arena *memory, const struct spec_kernel *k, const char *accuracy,
                 struct diag *error)
{
    *out = k->bound;
    int status = accuracy ? spec_parse_bound(out, memory, accuracy, strlen(accuracy), error) : DIAG_OK;
    return status;
}

/* What it promises of each piece: the loosest, where the default is not the same for all. */
static struct spec_bound promised_bound(const struct spec_bound *asked, const struct lowered *l)
{
    struct spec_bound bound = *asked;
    for (uint32_t i = 0; asked->kind == BOUND_DEFAULT && i < l->piece_count; i++)
        if (i == 0 || l->pieces[i].bound.value > bound.value) bound = l->pieces[i].bound;
    return bound;
}

static const char *describe_plan(arena *memory, const struct lowered *l)
{
    struct text t = text_new(memory);
    for (uint32_t i = 0; i < l->piece_count; i++)
        text_add(&t, "%s%s (%s)", i ? "; " : "", l->pieces[i].plan->shape, l->pieces[i].plan->description);
    if (!l->piece_count) text_add(&t, "arithmetic only");
    return t.data;
}

int lower_for(struct lowered **out, const actgen_kernel *k, const struct spec *spec, struct planner planner,
              struct diag *error)
{
    struct lower_request request = {.spec = spec,
                                    .kernel = &spec->kernels[0],
                                    .bound = k->bound,
                                    .profile = k->isa->profile,
                                    .costs = k->core,
                                    .planner = planner};
    return lower_kernel(out, &request, error);
}

/* What was asked, in the kernel's own memory. */
static void keep_asked(actgen_kernel *k, arena *memory)
{
    struct asked *a = &k->asked;
    a->spec = arena_text(memory, a->spec, strlen(a->spec));
    a->kernel = k->source->name;
    if (a->accuracy) a->accuracy = arena_text(memory, a->accuracy, strlen(a->accuracy));
}

/* All stages up to the lane program, in the compilation's arena. */
static int compile_program(arena *memory, void *context, struct diag *error)
{
    struct compilation *c = context;
    actgen_kernel *k = c->kernel;
    struct lowered *lowered;
    k->spec = spec_copy_kernel(memory, c->spec->parsed, c->source);
    k->source = &k->spec->kernels[0];
    int status = choose_bound(&k->bound, memory, k->source, k->asked.accuracy, error);
    if (status) return status;
    c->planning.search.log = text_new(memory);
    if ((status = lower_for(&lowered, k, k->spec, planner_of(&c->planning), error))) return status;
    char accuracy[SPEC_BOUND_TEXT_SIZE];
    const struct spec_bound promised = promised_bound(&k->bound, lowered);
    spec_bound_text(accuracy, &promised);
    k->accuracy = arena_text(memory, accuracy, strlen(accuracy));
    k->lowered = lowered;
    k->symbol = kernel_symbol(memory, "", k);
    k->plan = describe_plan(memory, lowered);
    keep_asked(k, memory);
    struct backend_function f = {&lowered->kernel, k->symbol, k->isa};
    struct backend_options options = {.streaming_bytes = k->streaming_bytes};
    object_key(&f, &options, memory, k->object_key);
    return DIAG_OK;
}

static int say_backend(actgen_kernel *k, const char *text, struct diag *error)
{
    k->backend = strdup(text);
    return k->backend ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}

/* Object, then code if this machine can run it. A linker that may not make memory executable leaves the
 * interpreter. */
static int compile_code(actgen_kernel *k, bool interpret, bool ready_only, struct diag *error)
{
    struct backend_function f = {&k->lowered->kernel, k->symbol, k->isa};
    struct backend_options options = {.streaming_bytes = k->streaming_bytes};
    int status = object_find(&k->object, k->engine->cache, k->object_key, &f, &options, ready_only, error);
    if (status) return status;
    hash_text(k->object.data, k->object.size, k->object_hash);
    if (interpret) return say_backend(k, "interpreter: as asked", error);
    if (k->isa != k->engine->host.isa && !target_isa_runs_here(k->isa))
        return say_backend(k, "interpreter: this processor lacks the instructions", error);
    struct diag link = {0};
    backend_jit *jit;
    status = engine_jit(&jit, k->engine, &link);
    if (!status) status = backend_link(&k->code, jit, &k->object, &link);
    void *address = status ? NULL : backend_symbol(k->code, k->symbol, &link);
    if (link.status == DIAG_NO_MEMORY) return diag_out_of_memory(error);
    if (!address) {
        char text[DIAG_MESSAGE_SIZE + 32];
        snprintf(text, sizeof text, "interpreter: %s", link.message);
        return say_backend(k, text, error);
    }
    memcpy(&k->function, &address, sizeof address); /* ISO C has no cast from object to function pointers */
    if (k->engine->perf_map) perf_map_add(address, backend_symbol_bytes(k->code, k->symbol), k->symbol);
    return say_backend(k, "machine code", error);
}

/* Shares the new kernel through the engine, unless another thread was faster with an equal one. */
static actgen_kernel *publish(actgen_kernel *made)
{
    actgen_engine *e = made->engine;
    pthread_mutex_lock(&e->lock);
    actgen_kernel *k = engine_find(e, &made->asked, made->asked_hash);
    if (!k) engine_add(e, made);
    pthread_mutex_unlock(&e->lock);
    if (!k) return made;
    actgen_kernel_free(made);
    return k;
}

int compile_options(actgen_options *out, const actgen_options *given, struct diag *error)
{
    const actgen_options defaults = ACTGEN_OPTIONS_INIT;
    *out = defaults;
    if (!given) return DIAG_OK;
    if (!size_is_set(given->size))
        return diag_set(error, DIAG_INVALID, "options.size is not set: start from ACTGEN_OPTIONS_INIT");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    if (out->streaming < -1 || out->streaming > 1)
        return diag_set(error, DIAG_INVALID, "options.streaming is %d, not -1, 0 or 1", (int)out->streaming);
    return DIAG_OK;
}

static int make_kernel(actgen_kernel **out, actgen_engine *engine, struct compilation *c,
                       const struct asked *asked, uint64_t hash, struct diag *error)
{
    static const size_t streaming[] = {0, STREAMING_BYTES, 1}; /* never, for large operands, always */
    double start = now_ms();
    actgen_kernel *k = calloc(1, sizeof *k);
    if (!k) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    pthread_mutex_lock(&engine->lock);
    engine->references++;
    pthread_mutex_unlock(&engine->lock);
    k->engine = engine;
    k->references = 1;
    k->asked = *asked;
    k->asked_hash = hash;
    k->isa = asked->isa;
    k->core = asked->core;
    k->streaming_bytes = streaming[asked->streaming + 1];
    c->kernel = k;
    c->planning.cache = engine->cache;
    c->planning.progress = &c->progress;
    c->planning.machine = (struct machine_context){engine, k->isa};
    int status = with_arena(&k->memory, compile_program, c, error);
    planning_clear(&c->planning);
    const bool ready_only = c->planning.ready_only && !asked->streaming;
    if (!status) status = compile_code(k, asked->interpret != 0, ready_only, error);
    k->compile_ms = now_ms() - start;
    k->plan_ms = c->planning.ms;
    if (status)
        actgen_kernel_free(k);
    else
        *out = publish(k);
    return status;
}

static actgen_kernel *find_kernel(actgen_engine *e, const struct asked *asked, uint64_t hash)
{
    pthread_mutex_lock(&e->lock);
    actgen_kernel *k = engine_find(e, asked, hash);
    pthread_mutex_unlock(&e->lock);
    return k;
}

/* What is not ready is made by that program. */
static int make_kernel_by(actgen_kernel **out, actgen_engine *engine, struct compilation *c,
                          const struct asked *asked, uint64_t hash, const char *program, struct diag *error)
{
    struct diag unready = {0};
    if (!engine->cache)
        return diag_set(error, DIAG_INVALID, "options.program needs a disk cache, and there is none: %s",
                        engine->no_cache);
    c->planning.ready_only = true;
    int status = make_kernel(out, engine, c, asked, hash, &unready);
    if (status != DIAG_BACKEND) {
        *error = unready;
        return status;
    }
    const struct elsewhere e = {program, c->spec->parsed, c->source, asked, cache_directory(engine->cache)};
    status = make_elsewhere(&e, error);
    return status ? status : make_kernel(out, engine, c, asked, hash, error);
}

int actgen_compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec, const char *name,
                   const actgen_options *options, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    actgen_options o;
    struct compilation c = {.spec = spec};
    struct asked asked = {0};
    if (!out || !engine || !spec)
        return diag_set(&d, DIAG_INVALID, "out, engine or spec is NULL"), error_return(error, &d);
    *out = NULL;
    if (compile_options(&o, options, &d) || choose_target(&asked.isa, &asked.core, engine->host, &o, &d) ||
        choose_kernel(&c.source, spec->parsed, name, &d))
        return error_return(error, &d);
    struct host_planning lent;
    c.progress = progress_of(&lent, &o, &host);
    asked.spec = spec->hash;
    asked.kernel = c.source->name;
    asked.accuracy = o.accuracy;
    asked.interpret = o.interpret != 0;
    asked.streaming = o.streaming;
    const uint64_t hash = asked_hash(&asked);
    *out = find_kernel(engine, &asked, hash);
    if (*out) return ACTGEN_OK;
    const int status = o.program ? make_kernel_by(out, engine, &c, &asked, hash, o.program, &d)
                                 : make_kernel(out, engine, &c, &asked, hash, &d);
    return status ? error_return(error, &d) : ACTGEN_OK;
}
