/* The stages of a kernel that is not compiled, perhaps because it is refused. */
#include "api.h"
#include "border.h"

struct explanation {
    const actgen_spec *spec;
    actgen_engine *engine; /* for the machine code of sweeps; NULL: they are interpreted */
    const char *name, *accuracy;
    const struct target_isa *isa;
    const struct target_costs *core;
    struct progress progress;
    int stage;
    struct host_sink out;
};

static int explain(arena *memory, void *context, struct diag *error)
{
    struct explanation *e = context;
    struct text t = text_new(memory);
    actgen_kernel k = {.engine = e->engine, .isa = e->isa, .core = e->core, .progress = &e->progress};
    int status = choose_kernel(&k.source, e->spec->parsed, e->name, error);
    if (status) return status;
    k.spec = spec_copy_kernel(memory, e->spec->parsed, k.source);
    k.source = &k.spec->kernels[0];
    if ((status = choose_bound(&k.bound, memory, k.source, e->accuracy, error))) return status;
    status = print_stage(&t, &k, e->stage, error);
    if (status && status != DIAG_ACCURACY) return status;
    return host_write(&e->out, t.data, t.length, NULL) ? DIAG_WRITE : status;
}

int actgen_explain(const actgen_spec *spec, const char *kernel, const actgen_options *options, int stage,
                   actgen_write_fn write, void *payload, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    actgen_options o;
    arena *memory;
    if (!spec || !write) return diag_set(&d, DIAG_INVALID, "spec or write is NULL"), error_return(error, &d);
    if (compile_options(&o, options, &d)) return error_return(error, &d);
    struct host_planning lent;
    struct explanation e = {.spec = spec,
                            .name = kernel,
                            .accuracy = o.accuracy,
                            .progress = progress_of(&lent, &o, &host),
                            .stage = stage,
                            .out = {&host, write, payload}};
    if (choose_target(&e.isa, &e.core, find_host(), &o, &d)) return error_return(error, &d);
    actgen_engine_options no_cache = ACTGEN_ENGINE_OPTIONS_INIT;
    no_cache.cache_directory = "";
    int status = actgen_engine_create_with(&e.engine, &no_cache, error);
    if (status) return status;
    status = with_arena(&memory, explain, &e, &d);
    actgen_engine_free(e.engine);
    if (!status) arena_free(memory);
    if (status == DIAG_WRITE) d = (struct diag){.status = DIAG_WRITE, .message = "the write function failed"};
    return status ? error_return(error, &d) : ACTGEN_OK;
}
