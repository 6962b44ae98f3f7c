/* The stages of a compilation that ends at its plan, kept or refused. */
#include "api.h"

struct explanation {
    struct compilation compilation;
    int stage;
    actgen_write_fn write;
    void *payload;
};

static int explain(arena *memory, void *context, struct diag *error)
{
    struct explanation *e = context;
    struct text t = text_new(memory);
    struct diag later = {0};
    int status = compile_program(memory, &e->compilation, error);
    if (status && status != DIAG_ACCURACY) return status;
    if (print_stage(&t, memory, e->compilation.kernel, e->stage, &later))
        return diag_set(error, later.status, "%s", later.message);
    if (e->write(e->payload, t.data, t.length)) return diag_set(error, DIAG_WRITE, "the write function failed");
    return status;
}

int actgen_explain(const actgen_spec *spec, const char *kernel, const actgen_options *options, int stage,
                   actgen_write_fn write, void *payload, actgen_error *error)
{
    struct diag d = {0};
    actgen_options o;
    actgen_kernel k = {0};
    arena *memory;
    if (!spec || !write)
        diag_set(&d, DIAG_INVALID, "spec or write is NULL");
    else if (!options_read(&o, options, &d) && !options_isa(&k.isa, o.isa, &d)) {
        const bool planned = stage == ACTGEN_STAGE_PLAN || stage == ACTGEN_STAGE_LANE;
        struct explanation e = {{spec, kernel, o.accuracy, &k, !planned}, stage, write, payload};
        if (!with_arena(&memory, explain, &e, &d)) arena_free(memory);
    }
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
