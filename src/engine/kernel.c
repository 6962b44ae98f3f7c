/* The steps of a kernel: it is made for a request, lowered, linked and shared. Its function has a name and
 * options for the back end. */
#include "kernel.h"
#include "perf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The total size of operands above which streaming stores write the results: three quarters of a large
 * last-level cache. It is the same for all machines, so that an object's bytes depend only on its spec. */
enum { STREAMING_BYTES = 48 << 20 };

int kernel_create(actgen_kernel **out, actgen_engine *engine, const struct asked *asked, struct diag *error)
{
    static const size_t streaming[] = {0, STREAMING_BYTES, 1}; /* Never, for large operands, always. */
    actgen_kernel *k = calloc(1, sizeof *k);
    struct scalar_code *scalar = calloc(1, sizeof *scalar);
    if (!k || !scalar) {
        free(k);
        free(scalar);
        return diag_out_of_memory(error);
    }
    k->scalar = scalar;
    pthread_mutex_lock(&engine->lock);
    engine->references++;
    pthread_mutex_unlock(&engine->lock);
    k->engine = engine;
    k->references = 1;
    k->asked = *asked;
    k->asked_hash = asked_hash(asked);
    k->isa = asked->isa;
    k->profile = asked->profile;
    k->core = asked->core;
    k->streaming_bytes = streaming[asked->streaming + 1];
    *out = k;
    return DIAG_OK;
}

int kernel_lower(actgen_kernel *k, struct lowering *l)
{
    const int status = lower_program(&k->lowered, l);
    const bool is_plain = status || !k->lowered->kernel.program->profile.plain;
    const struct target_isa *flushing = k->bound.flush ? target_isa_flushing(k->asked.isa) : NULL;
    k->isa = flushing ? flushing : !is_plain ? k->asked.isa : target_isa_extended(k->asked.isa);
    return status;
}

struct spec_bound promised_bound(const actgen_kernel *k)
{
    const struct lowered *l = k->lowered;
    struct spec_bound bound = k->bound;
    for (uint32_t i = 0; k->bound.kind == BOUND_DEFAULT && i < l->piece_count; i++)
        if (i == 0 || l->pieces[i].bound.value > bound.value) bound = l->pieces[i].bound;
    return bound;
}

const char *kernel_symbol(arena *memory, const char *prefix, const actgen_kernel *kernel)
{
    struct text t = text_new(memory);
    text_add(&t, "%s%s_%s", prefix, kernel->source->name, kernel->isa->name);
    for (char *c = t.data; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return t.data;
}

const struct target_costs *core_of_loops(const actgen_kernel *k)
{
    const struct host *host = &k->engine->host;
    const bool is_known = host->core && target_here_runs(&host->here, k->isa);
    const struct target_costs *core = is_known ? target_core_find(host->core, k->isa) : NULL;
    return core ? core : k->core;
}

struct backend_function own_function(const actgen_kernel *k)
{
    return (struct backend_function){.kernel = &k->lowered->kernel,
                                     .symbol = k->symbol,
                                     .isa = k->isa,
                                     .loop = k->loop,
                                     .called = k->called.has_sums ? &k->called : NULL,
                                     .core = core_of_loops(k)};
}

struct backend_options own_object(const actgen_kernel *k)
{
    return (struct backend_options){.streaming_bytes = k->streaming_bytes,
                                    .quick = k->asked.tier == ACTGEN_TIER_QUICK};
}

static int say_backend(actgen_kernel *k, const char *text, struct diag *error)
{
    k->backend = strdup(text);
    return k->backend ? DIAG_OK : diag_set(error, DIAG_NO_MEMORY, "out of memory");
}

int kernel_link(actgen_kernel *k, struct diag *error)
{
    if (k->asked.tier == ACTGEN_TIER_INTERPRETER) return say_backend(k, "interpreter: as asked", error);
    if (k->isa != k->engine->host.isa && !target_here_runs(&k->engine->host.here, k->isa))
        return say_backend(k, "interpreter: this processor lacks the instructions", error);
    struct diag link = {0};
    const int status = loader_load(&k->code, k->object.data, k->object.size, &link);
    void *address = status ? NULL : loader_symbol(k->code, k->symbol, &link);
    void *tile = address ? loader_symbol(k->code, k->tile_symbol, &link) : NULL;
    if (link.status == DIAG_NO_MEMORY) return diag_out_of_memory(error);
    if (!tile) {
        char text[DIAG_MESSAGE_SIZE + 32];
        snprintf(text, sizeof text, "interpreter: %s", link.message);
        return say_backend(k, text, error);
    }
    memcpy(&k->function, &address, sizeof address); /* ISO C has no cast from object to function pointers. */
    memcpy(&k->tile, &tile, sizeof tile);
    perf_name(k->engine->perf, k->code, k->object.data, k->object.size);
    return say_backend(k, "machine code", error);
}
