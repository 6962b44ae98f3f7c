/* The stages of a compilation as text. */
#include "api.h"
#include "border.h"

#include <string.h>

struct show_work {
    const actgen_kernel *kernel;
    int stage;
    struct host_sink out;
};

static int write_backend(const struct show_work *w, enum backend_output output, struct diag *error)
{
    const actgen_kernel *k = w->kernel;
    struct backend_function f = {&k->lowered->kernel, k->symbol, k->isa};
    struct backend_options options = {.streaming_bytes = k->streaming_bytes};
    struct backend_buffer buffer;
    int status = backend_emit(&f, 1, &options, output, &buffer, error);
    if (status) return status;
    status = host_write(&w->out, buffer.data, buffer.size, error);
    backend_buffer_free(&buffer);
    return status;
}

static void print_expressions(struct text *out, const actgen_kernel *k, expr_dag *dag)
{
    const char *names[SPEC_MAX_OPERANDS];
    for (uint32_t i = 0; i < k->source->input_count; i++) names[i] = k->source->operands[i].name;
    for (uint32_t i = 0; i < k->source->result_count; i++) {
        const struct spec_result *r = &k->source->results[i];
        const char *name = k->source->operands[r->operand].name;
        const expr *written = expr_import(dag, r->value);
        text_add(out, "%s = ", name);
        expr_print(out, written, names);
        text_add(out, "\n%*s = ", (int)strlen(name), "");
        expr_print(out, expr_simplify(dag, written, NULL), names);
        text_add(out, "\n");
    }
}

int print_stage(struct text *out, const actgen_kernel *k, int stage, struct diag *error)
{
    switch (stage) {
    case ACTGEN_STAGE_SPEC: spec_print_kernel(out, k->spec, k->source); return DIAG_OK;
    case ACTGEN_STAGE_EXPR:
        print_expressions(out, k, expr_dag_create(out->memory, SPEC_MAX_NODES * 4));
        return DIAG_OK;
    case ACTGEN_STAGE_PLAN: return print_plans(out, k, error);
    case ACTGEN_STAGE_C: print_libm_loop(out, k); return DIAG_OK;
    default: return diag_set(error, DIAG_INVALID, "no stage %d; ACTGEN_STAGE_* are the stages", stage);
    }
}

static int show_stage(arena *memory, void *context, struct diag *error)
{
    const struct show_work *w = context;
    struct text t = text_new(memory);
    if (w->stage == ACTGEN_STAGE_IR) return write_backend(w, BACKEND_IR, error);
    if (w->stage == ACTGEN_STAGE_ASM) return write_backend(w, BACKEND_ASSEMBLY, error);
    if (w->stage == ACTGEN_STAGE_LANE)
        lane_print(&t, w->kernel->lowered->kernel.program);
    else if (print_stage(&t, w->kernel, w->stage, error))
        return error->status;
    return host_write(&w->out, t.data, t.length, error);
}

int actgen_show(const actgen_kernel *kernel, int stage, actgen_write_fn write, void *payload,
                actgen_error *error)
{
    struct diag d = {0};
    ENTER_LIBRARY(host);
    struct show_work w = {kernel, stage, {&host, write, payload}};
    arena *memory;
    if (!kernel) return refuse_no_kernel(error);
    if (!write)
        diag_set(&d, DIAG_INVALID, "write is NULL");
    else if (!with_arena(&memory, show_stage, &w, &d))
        arena_free(memory);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
