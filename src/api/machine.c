/* Programs of f32 to code that is linked into this process. */
#include "machine.h"

#include "api.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 4 };

struct machine_code {
    loader_code *code;
    actgen_fn run;
};

static const char symbol[] = "actgen_planner_sweep";

static int load_code(struct machine_code *m, struct machine_context *c, const struct backend_function *f)
{
    struct backend_buffer object = {0};
    struct diag why = {0};
    const struct backend_options options = {0};
    if (engine_emit(c->engine, f, 1, &options, BACKEND_OBJECT, &object, &why)) return why.status;
    const bool loaded = !loader_load(&m->code, object.data, object.size, &why);
    void *address = loaded ? loader_symbol(m->code, symbol, &why) : NULL;
    backend_buffer_free(&object);
    memcpy(&m->run, &address, sizeof address);
    return why.status;
}

static void free_code(void *code)
{
    struct machine_code *m = code;
    if (m) loader_free(m->code);
    free(m);
}

/* NULL: the interpreter is used. A program for another machine gives the same bits on this one, if this one has fma where it
 * needs that. */
static void *make_code(void *context, const lane_program *p, unsigned results)
{
    struct machine_context *c = context;
    static const char *const names[MOST_OPERANDS] = {"x", "y", "low", "high"};
    struct kernel_operand operands[MOST_OPERANDS];
    const struct target_isa *isa = c->isa && !target_isa_runs_here(c->isa) ? target_isa_find("host") : c->isa;
    if (!isa || results >= MOST_OPERANDS) return NULL;
    for (unsigned k = 0; k <= results; k++)
        operands[k] =
            (struct kernel_operand){.name = names[k], .type = ELEMENT_F32, .is_result = k > 0, .parts = 1};
    const struct lane_kernel kernel = lane_kernel_make(symbol, operands, results + 1, p);
    struct machine_code *m = calloc(1, sizeof *m);
    const int status = m ? load_code(m, c, &(struct backend_function){&kernel, symbol, isa}) : DIAG_NO_MEMORY;
    if (!status) return m;
    if (status == DIAG_NO_MEMORY) arena_fail(p->memory);
    free_code(m);
    return NULL;
}

static void run_code(void *code, void *const *operands, unsigned operand_count, size_t count)
{
    const struct machine_code *m = code;
    actgen_operand list[MOST_OPERANDS] = {0};
    for (unsigned k = 0; k < operand_count && k < MOST_OPERANDS; k++) list[k].data = operands[k];
    m->run(1, count, list);
}

struct plan_machine machine_of(struct machine_context *context)
{
    return (struct plan_machine){context, make_code, run_code, free_code};
}
