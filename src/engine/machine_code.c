/* Turns f32 programs into code that is linked into this process. */
#include "machine_code.h"
#include "engine.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OPERANDS = 4 };

int machine_code_make(struct machine_code *m, struct actgen_engine *engine, const struct backend_function *f,
                      const struct backend_options *options, struct diag *error)
{
    struct backend_buffer object = {0};
    *m = (struct machine_code){0};
    int status = engine_emit(engine, f, 1, options, BACKEND_OBJECT, &object, error);
    if (status) return status;
    hash_text(object.data, object.size, m->object_hash);
    status = loader_load(&m->code, object.data, object.size, error);
    void *address = status ? NULL : loader_symbol(m->code, f->symbol, error);
    backend_buffer_free(&object);
    memcpy(&m->run, &address, sizeof address); /* ISO C has no cast from object to function pointers. */
    if (address) return DIAG_OK;
    machine_code_clear(m);
    return status ? status : error->status;
}

void machine_code_clear(struct machine_code *m)
{
    loader_free(m->code);
    m->code = NULL;
    m->run = NULL;
}

static void free_code(void *code)
{
    if (code) machine_code_clear(code);
    free(code);
}

/* Makes code for a program of the planner. NULL: the planner uses the interpreter. A program for another
 * machine gives the same bits on this one, if this machine has the fma that the program may need. */
static void *make_code(void *context, const lane_program *p, unsigned results)
{
    struct machine_context *c = context;
    static const char symbol[] = "actgen_planner_sweep";
    static const char *const names[MOST_OPERANDS] = {"x", "y", "low", "high"};
    struct kernel_operand operands[MOST_OPERANDS];
    const struct target_isa *isa = c->isa && !target_isa_runs_here(c->isa) ? target_isa_find("host") : c->isa;
    if (!isa || results >= MOST_OPERANDS) return NULL;
    for (unsigned k = 0; k <= results; k++)
        operands[k] =
            (struct kernel_operand){.name = names[k], .type = ELEMENT_F32, .is_result = k > 0, .parts = 1};
    const struct lane_kernel kernel = lane_kernel_make(symbol, operands, results + 1, p);
    struct machine_code *m = calloc(1, sizeof *m);
    const struct backend_function f = {.kernel = &kernel, .symbol = symbol, .isa = isa};
    const struct backend_options options = {.progress = c->progress};
    struct diag why = {0};
    const int status = m ? machine_code_make(m, c->engine, &f, &options, &why) : DIAG_NO_MEMORY;
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
