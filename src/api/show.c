/* Prints the stages of a compilation as text. */
#include "compile.h"
#include "header.h"

#include <string.h>

struct show_work {
    const actgen_kernel *kernel;
    struct progress *progress; /* The progress of a search. May be NULL. */
    int stage;
    struct host_sink out;
};

static int write_backend(const struct show_work *w, enum backend_output output, struct diag *error)
{
    const actgen_kernel *k = w->kernel;
    const struct backend_function f = own_function(k);
    const struct backend_options options = own_object(k);
    struct backend_buffer buffer;
    int status = engine_emit(k->engine, &f, 1, &options, output, &buffer, error);
    if (status) return status;
    status = host_write(&w->out, buffer.data, buffer.size, error);
    backend_buffer_free(&buffer);
    return status;
}

static void print_expressions(struct text *out, const actgen_kernel *k, expr_dag *dag)
{
    const char *names[SPEC_MAX_OPERANDS];
    const uint32_t count = k->source->operand_count + k->source->made_count;
    for (uint32_t i = 0; i < count; i++) names[i] = k->source->operands[i].name;
    for (uint32_t i = 0; i < k->source->total_count; i++)
        names[count + i] = spec_total_text(out->memory, k->source, i);
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

static int print_source(struct text *out, const actgen_kernel *k, struct diag *error)
{
    const struct emission e = {.kernels = &k,
                               .count = 1,
                               .header_name = "kernels.h",
                               .prefix = "",
                               .style = source_style_of(k->isa)};
    return print_source_file(out, &e, error);
}

/* Prints a stage that needs no machine code. For a kernel that is refused, the stage "plan" prints its
 * candidates. */
static int print_stage(struct text *out, const struct show_work *w, struct diag *error)
{
    const actgen_kernel *k = w->kernel;
    switch (w->stage) {
    case ACTGEN_STAGE_SPEC: spec_print_kernel(out, k->spec, k->source); return DIAG_OK;
    case ACTGEN_STAGE_EXPR:
        print_expressions(out, k, expr_dag_create(out->memory, SPEC_MAX_NODES * 4));
        return DIAG_OK;
    case ACTGEN_STAGE_PLAN: return print_plans(out, k, w->progress, error);
    case ACTGEN_STAGE_LIBM: print_libm_loop(out, k); return DIAG_OK;
    default: break;
    }
    if (w->stage == ACTGEN_STAGE_C && k->lowered) return print_source(out, k, error);
    if (w->stage != ACTGEN_STAGE_LANE || !k->lowered)
        return diag_set(error, DIAG_INVALID, "no stage %d; ACTGEN_STAGE_* are the stages", w->stage);
    lane_print(out, k->lowered->kernel.program);
    return DIAG_OK;
}

static int show_stage(arena *memory, void *context, struct diag *error)
{
    const struct show_work *w = context;
    struct text t = text_new(memory);
    if (w->stage == ACTGEN_STAGE_IR && w->kernel->lowered) return write_backend(w, BACKEND_IR, error);
    if (w->stage == ACTGEN_STAGE_ASM && w->kernel->lowered) return write_backend(w, BACKEND_ASSEMBLY, error);
    int status = print_stage(&t, w, error);
    if (status && status != DIAG_ACCURACY) return status;
    return host_write(&w->out, t.data, t.length, NULL) ? DIAG_WRITE : status;
}

static int show(const struct show_work *w, struct diag *error)
{
    struct show_work copy = *w;
    const int status = with_arena(NULL, show_stage, &copy, error);
    if (status == DIAG_WRITE)
        *error = (struct diag){.status = DIAG_WRITE, .message = "the write function failed"};
    return status;
}

int actgen_show(const actgen_kernel *kernel, int stage, actgen_write_fn write, void *payload,
                actgen_error *error)
{
    struct diag d = {0};
    ENTER_LIBRARY(host);
    if (!kernel) return refuse_no_kernel(error);
    if (!write)
        diag_set(&d, DIAG_INVALID, "write is NULL");
    else if ((kernel = kernel_whole(kernel, &d)))
        show(&(struct show_work){kernel, NULL, stage, {&host, write, payload}}, &d);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}

/* Compiles the kernel only up to its formulas, which is enough for the stages before machine code. */
int actgen_explain(const actgen_spec *spec, const char *name, const actgen_options *options, int stage,
                   actgen_write_fn write, void *payload, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    actgen_engine *engine;
    actgen_kernel *kernel = NULL;
    struct compilation c = {.formulas_only = true};
    actgen_engine_options no_cache = ACTGEN_ENGINE_OPTIONS_INIT;
    no_cache.cache_directory = "";
    if (!spec || !write) return diag_set(&d, DIAG_INVALID, "spec or write is NULL"), error_return(error, &d);
    int status = actgen_engine_create_with(&engine, &no_cache, error);
    if (status) return status;
    status = compilation_ask(&c, engine, spec, name, options, &host, &d);
    if (!status) status = compile_kernel(&kernel, &c, &d);
    if (!status) status = show(&(struct show_work){kernel, &c.progress, stage, {&host, write, payload}}, &d);
    status = tell_limit(&c, status, &d);
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
    return status ? error_return(error, &d) : ACTGEN_OK;
}
