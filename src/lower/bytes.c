/* Kernels in lanes of bytes. Each result is looked up in a table of 256 entries, by the bits of the one
 * operand that it depends on. The kernel's own program computes the tables, so that both give the same
 * results. */
#include "interp.h"
#include "lowering.h"

enum { VALUES = 256, NONE = 64 /* no single operand */ };

/* Returns for each value a bit per operand that it depends on. An operand whose number is 64 or more counts
 * as all of them. */
static uint64_t *find_sources(const lane_program *p)
{
    uint64_t *from = arena_alloc(p->memory, p->count * sizeof *from);
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_LOAD) from[n] = i->index < 64 ? UINT64_C(1) << i->index : UINT64_MAX;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) from[n] |= from[i->operand[k]];
    }
    return from;
}

/* Returns the place of the only bit, or NONE if there is no bit or several. */
static uint32_t only_bit(uint64_t bits)
{
    uint32_t n = 0;
    if (!bits || bits & (bits - 1)) return NONE;
    while (!(bits >> n & 1)) n++;
    return n;
}

static bool is_byte(const struct kernel_operand *o)
{
    return o->shape == SHAPE_MATRIX && !o->block && element_is_half(o->type) &&
           element_types[o->type].bits == 8;
}

/* Finds the operand by which each result is looked up. Returns false if a result has no such operand. */
static bool find_arguments(uint32_t *argument, const struct lane_kernel *kernel)
{
    const lane_program *p = kernel->program;
    const uint64_t *from = find_sources(p);
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op != LANE_STORE) continue;
        argument[i->index] = only_bit(from[n]);
        if (argument[i->index] == NONE || !is_byte(&kernel->operands[i->index]) ||
            !is_byte(&kernel->operands[argument[i->index]]))
            return false;
    }
    return true;
}

/* Runs the kernel with all 256 bytes in each operand of bytes. No result depends on any other operand. */
static bool tabulate(uint8_t (*results)[VALUES], const struct lane_kernel *kernel)
{
    static const double nothing = 0;
    uint8_t all[VALUES];
    struct kernel_row *rows = arena_alloc(kernel->program->memory, kernel->operand_count * sizeof *rows);
    interp *run = interp_create_kernel(kernel); /* after all allocations that may fail */
    if (!run) return false;
    for (uint32_t n = 0; n < VALUES; n++) all[n] = (uint8_t)n;
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        rows[k] = o->is_result ? (struct kernel_row){results[k], 1, 0}
                  : is_byte(o) ? (struct kernel_row){all, 1, 0}
                               : (struct kernel_row){(void *)(uintptr_t)&nothing, 0, 0};
    }
    interp_run_row(run, rows, VALUES);
    interp_free(run);
    return true;
}

const lane_program *lower_to_bytes(const struct lane_kernel *kernel, const struct target_profile *profile)
{
    arena *memory = kernel->program->memory;
    uint32_t *argument = arena_alloc(memory, kernel->operand_count * sizeof *argument);
    uint8_t(*results)[VALUES] = arena_alloc(memory, kernel->operand_count * sizeof *results);
    if (!find_arguments(argument, kernel) || !tabulate(results, kernel)) return kernel->program;
    lane_program *p = lane_create(memory, profile);
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        uint64_t bits[VALUES];
        if (!kernel->operands[k].is_result) continue;
        for (uint32_t n = 0; n < VALUES; n++) bits[n] = results[k][n];
        const uint32_t table = lane_table_add(p, LANE_I8, 8, bits);
        lane_store(p, lane_lookup(p, table, lane_load(p, LANE_I8, argument[k])), k);
    }
    return lane_canonical(p);
}
