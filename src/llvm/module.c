/* The interface of this room as a library that is loaded when needed. */
#include "backend.h"
#include "build_id.h"

#include <string.h>

/* Finds the callers' instruction sets by name in this library's own table, then emits. */
static int emit(const struct backend_function *functions, size_t count, const struct backend_options *options,
                enum backend_output output, struct backend_buffer *out, struct diag *error)
{
    struct backend_function *own = malloc((count + 1) * sizeof *own);
    *out = (struct backend_buffer){0};
    if (!own) return diag_out_of_memory(error);
    memcpy(own, functions, count * sizeof *own);
    for (size_t i = 0; i < count; i++) own[i].isa = target_isa_find(functions[i].isa->name);
    const int status = backend_emit(own, count, options, output, out, error);
    free(own);
    return status;
}

static size_t loops(struct loop_choice *out, const struct backend_function *function)
{
    struct backend_function own = *function;
    own.isa = target_isa_find(function->isa->name);
    return backend_loops(out, &own);
}

const struct loadable *backend_module(void)
{
    static const struct backend module = {
        .self = {build_id}, .emit = emit, .loops = loops, .spare_clear = backend_spare_clear};
    return &module.self;
}
