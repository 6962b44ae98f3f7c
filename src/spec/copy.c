/* Copies one kernel of a spec into a spec of its own. */
#include "spec.h"

#include <string.h>

struct spec *spec_copy_kernel(arena *memory, const struct spec *s, const struct spec_kernel *kernel)
{
    struct spec *copy = arena_alloc(memory, sizeof *copy);
    copy->dag = expr_dag_create(memory, SPEC_MAX_NODES);
    copy->file = arena_copied(memory, s->file);
    copy->text = "";
    copy->kernel_count = 1;
    struct spec_kernel *k = copy->kernels = arena_copy(memory, kernel, sizeof *kernel);
    k->name = arena_copied(memory, kernel->name);
    k->summary = arena_copied(memory, kernel->summary);
    const uint32_t names = kernel->operand_count + kernel->made_count;
    k->operands = arena_copy(memory, kernel->operands, names * sizeof *k->operands);
    for (uint32_t i = 0; i < names; i++) k->operands[i].name = arena_copied(memory, k->operands[i].name);
    k->results = arena_copy(memory, kernel->results, kernel->result_count * sizeof *k->results);
    for (uint32_t i = 0; i < k->result_count; i++)
        k->results[i].value = expr_import(copy->dag, k->results[i].value);
    k->totals = arena_copy(memory, kernel->totals, kernel->total_count * sizeof *k->totals);
    for (uint32_t i = 0; i < k->total_count; i++)
        k->totals[i].value = expr_import(copy->dag, k->totals[i].value);
    return copy;
}
