/* The pipeline: spec -> kernel -> pieces and plans -> lane program -> object -> code. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Operands of more bytes than this in sum are written by streaming stores: three quarters of a large
 * last-level cache. One figure for all machines, so that an object's bytes depend on its spec alone. */
enum { STREAMING_BYTES = 48 << 20 };

struct compilation {
    const actgen_spec *spec;
    const char *name; /* of the kernel, or NULL */
    const char *accuracy;
    actgen_kernel *kernel;
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int choose_kernel(const struct spec_kernel **out, const struct spec *s, const char *name,
                         struct diag *error)
{
    if (!name && s->kernel_count == 1) {
        *out = &s->kernels[0];
        return DIAG_OK;
    }
    if (!s->kernel_count) return diag_set(error, DIAG_INVALID, "%s has no kernel", s->file);
    if (!name) return diag_set(error, DIAG_INVALID, "%s has %u kernels: name one", s->file, s->kernel_count);
    const char *names[64];
    size_t count = 0;
    for (uint32_t i = 0; i < s->kernel_count; i++) {
        if (!strcmp(s->kernels[i].name, name)) {
            *out = &s->kernels[i];
            return DIAG_OK;
        }
        if (count < sizeof names / sizeof *names) names[count++] = s->kernels[i].name;
    }
    const char *near = diag_nearest(name, names, count);
    return diag_set(error, DIAG_INVALID, "%s has no kernel `%s`%s%s%s", s->file, name,
                    near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
}

static int choose_bound(struct spec_bound *out, arena *memory, const struct spec_kernel *k,
                        const char *accuracy, struct diag *error)
{
    *out = k->bound;
    int status = accuracy ? spec_parse_bound(out, memory, accuracy, strlen(accuracy), error) : DIAG_OK;
    if (status) return status;
    if (out->kind == BOUND_DEFAULT)
        *out = (struct spec_bound){.kind = BOUND_ULP, .value = 3}; /* the language's default */
    return DIAG_OK;
}

static int find_plan(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

static const char *describe_plan(arena *memory, const struct lowered *l)
{
    struct text t = text_new(memory);
    for (uint32_t i = 0; i < l->piece_count; i++)
        text_add(&t, "%s%s (%s)", i ? "; " : "", l->pieces[i].plan->shape, l->pieces[i].plan->description);
    if (!l->piece_count) text_add(&t, "arithmetic only");
    return t.data;
}

/* All stages up to the lane program, in the compilation's arena. */
static int compile_program(arena *memory, void *context, struct diag *error)
{
    struct compilation *c = context;
    actgen_kernel *k = c->kernel;
    struct spec *spec;
    struct lowered *lowered;
    struct plan_search search = {text_new(memory)};
    int status = spec_source_parse(&spec, memory, c->spec, error);
    if (status) return status;
    k->spec = spec;
    if ((status = choose_kernel(&k->source, spec, c->name, error))) return status;
    if ((status = choose_bound(&k->bound, memory, k->source, c->accuracy, error))) return status;
    const struct target_profile *p = &k->isa->profile;
    struct lower_request request = {.spec = spec,
                                    .kernel = k->source,
                                    .bound = k->bound,
                                    .profile = {p->name, p->fma, p->lookup_f32, p->lookup_f64},
                                    .costs = &k->isa->costs,
                                    .planner = {find_plan, &search}};
    if ((status = lower_kernel(&lowered, &request, error))) return status;
    char accuracy[SPEC_BOUND_TEXT_SIZE];
    spec_bound_text(accuracy, &k->bound);
    k->accuracy = arena_text(memory, accuracy, strlen(accuracy));
    k->lowered = lowered;
    k->symbol = kernel_symbol(memory, k, (const actgen_kernel *const *)&k, 1);
    k->plan = describe_plan(memory, lowered);
    k->search_log = search.log.data;
    return DIAG_OK;
}

/* The engine's linker, made on first use. The lock is held. */
static int engine_jit(backend_jit **out, actgen_engine *e, struct diag *error)
{
    int status = e->jit ? DIAG_OK : backend_jit_create(&e->jit, error);
    *out = e->jit;
    return status;
}

static int say_backend(actgen_kernel *k, const char *text, struct diag *error)
{
    k->backend = strdup(text);
    return k->backend ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}

/* Object, then code if this machine can run it. A linker that may not make memory executable leaves the
 * interpreter. */
static int compile_code(actgen_kernel *k, bool interpret, struct diag *error)
{
    struct backend_function f = {&k->lowered->kernel, k->symbol, k->isa};
    struct backend_options options = {k->streaming_bytes, NULL};
    int status = backend_emit(&f, 1, &options, BACKEND_OBJECT, &k->object, error);
    if (status) return status;
    hash_text(k->object.data, k->object.size, k->object_hash);
    if (interpret) return say_backend(k, "interpreter: as asked", error);
    if (!target_isa_runs_here(k->isa))
        return say_backend(k, "interpreter: this processor lacks the instructions", error);
    struct diag link = {0};
    backend_jit *jit;
    pthread_mutex_lock(&k->engine->lock);
    status = engine_jit(&jit, k->engine, &link);
    pthread_mutex_unlock(&k->engine->lock);
    if (!status) status = backend_link(&k->code, jit, &k->object, &link);
    void *address = status ? NULL : backend_symbol(k->code, k->symbol, &link);
    if (!address) {
        char text[DIAG_MESSAGE_SIZE + 32];
        snprintf(text, sizeof text, "interpreter: %s", link.message);
        return say_backend(k, text, error);
    }
    memcpy(&k->function, &address, sizeof address); /* ISO C has no cast from object to function pointers */
    return say_backend(k, "machine code", error);
}

static char *make_key(const actgen_spec *spec, const char *name, const char *isa, const actgen_options *o)
{
    const char *accuracy = o->accuracy ? o->accuracy : "";
    if (!name) name = "";
    size_t size = strlen(spec->hash) + strlen(name) + strlen(isa) + strlen(accuracy) + 64;
    char *key = malloc(size);
    if (key)
        snprintf(key, size, "%s %s %s %d %d %d%s", spec->hash, name, isa, (int)o->interpret,
                 (int)o->streaming, o->accuracy != NULL, accuracy);
    return key;
}

/* A kernel made before, with one more reference; NULL if there is none. The lock is held. */
static actgen_kernel *find_kernel(actgen_engine *e, const char *key)
{
    for (actgen_kernel *k = e->kernels; k; k = k->next)
        if (!strcmp(k->key, key)) {
            k->references++;
            return k;
        }
    return NULL;
}

static actgen_kernel *find_kernel_unlocked(actgen_engine *e, const char *key)
{
    pthread_mutex_lock(&e->lock);
    actgen_kernel *k = find_kernel(e, key);
    pthread_mutex_unlock(&e->lock);
    return k;
}

/* Shares the new kernel through the engine, unless another thread was faster with an equal one. */
static actgen_kernel *publish(actgen_kernel *made)
{
    actgen_engine *e = made->engine;
    pthread_mutex_lock(&e->lock);
    actgen_kernel *k = find_kernel(e, made->key);
    if (!k) {
        made->next = e->kernels;
        e->kernels = made;
    }
    pthread_mutex_unlock(&e->lock);
    if (!k) return made;
    actgen_kernel_free(made);
    return k;
}

static int read_options(actgen_options *out, const actgen_options *given, struct diag *error)
{
    const actgen_options defaults = ACTGEN_OPTIONS_INIT;
    *out = defaults;
    if (!given) return DIAG_OK;
    if (given->size < sizeof defaults.size || given->size > 4096)
        return diag_set(error, DIAG_INVALID, "options.size is not set: start from ACTGEN_OPTIONS_INIT");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    if (out->streaming < -1 || out->streaming > 1)
        return diag_set(error, DIAG_INVALID, "options.streaming is %d, not -1, 0 or 1", (int)out->streaming);
    return DIAG_OK;
}

static int find_isa(const struct target_isa **out, const char *name, struct diag *error)
{
    *out = target_isa_find(name ? name : "host");
    if (*out) return DIAG_OK;
    if (!name || !strcmp(name, "host"))
        return diag_set(error, DIAG_TARGET, "no instruction set of this version runs on this machine");
    return diag_set(error, DIAG_TARGET, "unknown instruction set `%s`; actgen_isa_name() lists them", name);
}

static int make_kernel(actgen_kernel **out, actgen_engine *engine, struct compilation *c,
                       const actgen_options *o, const struct target_isa *isa, const char *key,
                       struct diag *error)
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
    k->isa = isa;
    k->streaming_bytes = streaming[o->streaming + 1];
    k->key = strdup(key);
    c->kernel = k;
    int status = k->key ? with_arena(&k->memory, compile_program, c, error)
                        : diag_set(error, DIAG_NO_MEMORY, "out of memory");
    if (!status) status = compile_code(k, o->interpret != 0, error);
    k->compile_ms = now_ms() - start;
    if (status)
        actgen_kernel_free(k);
    else
        *out = publish(k);
    return status;
}

int actgen_compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec, const char *name,
                   const actgen_options *options, actgen_error *error)
{
    struct diag d = {0};
    actgen_options o;
    const struct target_isa *isa;
    if (!out || !engine || !spec)
        return diag_set(&d, DIAG_INVALID, "out, engine or spec is NULL"), error_return(error, &d);
    *out = NULL;
    if (read_options(&o, options, &d) || find_isa(&isa, o.isa, &d)) return error_return(error, &d);
    char *key = make_key(spec, name, isa->name, &o);
    if (!key) return diag_set(&d, DIAG_NO_MEMORY, "out of memory"), error_return(error, &d);
    struct compilation c = {spec, name, o.accuracy, NULL};
    *out = find_kernel_unlocked(engine, key);
    int status = *out ? DIAG_OK : make_kernel(out, engine, &c, &o, isa, key, &d);
    free(key);
    return status ? error_return(error, &d) : ACTGEN_OK;
}
