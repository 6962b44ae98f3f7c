/* Divides the program of a kernel whose formulas have sums over the row into parts, which run one after the
 * other. Part k stores the summands of the totals of level k. The last part stores all elements of results,
 * after all reads of inputs, so that a result may be in the place of an input. A further part, which runs for
 * one column, stores the results with one value per row. For each size of blocks, one more part stores the
 * results with one value per block, and runs for as many columns as there are blocks. A later part loads the
 * values that an earlier part has stored in a tile, instead of computing them again. */
#include "lowering.h"

static const uint32_t NO_LEVEL = UINT32_MAX;

void lower_totals(struct lane_kernel *called, const struct spec_kernel *k, arena *memory)
{
    struct lane_kernel whole;
    struct kernel_total *totals = arena_alloc(memory, (k->total_count + 1) * sizeof *totals);
    const uint32_t first = k->input_count - k->total_count;
    uint32_t count = 0;
    if (!k->total_count) return;
    lower_operands(&whole, k, memory);
    for (uint32_t level = 0; count < k->total_count; level++)
        for (uint32_t n = 0; n < k->total_count; n++) {
            const struct spec_total *t = &k->totals[n];
            if (t->level != level) continue;
            totals[count++] = (struct kernel_total){.reduction = t->reduction,
                                                    .form = t->form,
                                                    .block = t->block,
                                                    .type = t->type == ELEMENT_F64 ? LANE_F64 : LANE_F32,
                                                    .level = level,
                                                    .group = whole.operands[first + n].group,
                                                    .values = whole.operands[t->operand].group,
                                                    .is_input = t->operand < first,
                                                    .element = whole.operands[t->operand].type};
        }
    called->totals = totals;
    called->total_count = k->total_count;
    called->has_sums = called->has_passes = true;
}

/* -- which part stores what -- */

struct parts {
    const struct lane_kernel *whole;
    uint32_t *level;        /* by operand: the level of the part that stores it, or NO_LEVEL */
    const bool *is_of_rows; /* by operand */
    uint32_t *kept_as;      /* by value: the number of the summand that holds it, + 1 */
    uint32_t last;          /* the last level */
};

static struct parts find_parts(const struct lane_kernel *whole, const struct spec_kernel *k,
                               const bool *is_of_rows)
{
    const lane_program *p = whole->program;
    struct parts s = {.whole = whole, .is_of_rows = is_of_rows};
    s.level = arena_alloc(p->memory, whole->operand_count * sizeof *s.level);
    s.kept_as = arena_alloc(p->memory, p->count * sizeof *s.kept_as);
    for (uint32_t n = 0; n < k->total_count; n++)
        if (k->totals[n].level >= s.last) s.last = k->totals[n].level + 1;
    for (uint32_t i = 0; i < whole->operand_count; i++)
        s.level[i] = whole->operands[i].is_result ? s.last : NO_LEVEL;
    for (uint32_t n = 0; n < k->total_count; n++)
        if (k->totals[n].operand >= k->input_count) s.level[k->totals[n].operand] = k->totals[n].level;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_STORE && s.level[i->index] < s.last) s.kept_as[i->operand[0]] = i->index + 1;
    }
    return s;
}

/* -- one part -- */

static bool is_stored_by(const struct parts *s, uint32_t operand, const struct kernel_pass *pass)
{
    return s->level[operand] == pass->level && s->is_of_rows[operand] == pass->is_of_rows &&
           s->whole->operands[operand].block == pass->block;
}

static lane_program *part_of_program(const struct parts *s, const struct kernel_pass *pass)
{
    const lane_program *p = s->whole->program;
    lane_program *part = lane_create(p->memory, &p->profile);
    lane_value *map = arena_alloc(p->memory, p->count * sizeof *map);
    for (uint32_t n = 0; n < p->count; n++) {
        struct lane_instruction i = p->code[n];
        const uint32_t kept = s->kept_as[n];
        if (i.op == LANE_STORE && !is_stored_by(s, i.index, pass)) continue;
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = map[i.operand[k]];
        const bool is_kept = kept && i.op != LANE_LOAD && i.op != LANE_CONST && !pass->is_of_rows &&
                             !pass->block && s->level[kept - 1] < pass->level;
        map[n] = is_kept ? lane_load(part, i.type, kept - 1) : lane_append(part, p, i);
    }
    return lane_canonical(part);
}

/* Marks the operands that the part has. An operand brings all of its group, an input that is not in memory
 * the operands that it is made of. */
static void mark_operands(const struct parts *s, const lane_program *part, bool *has)
{
    const struct kernel_operand *all = s->whole->operands;
    for (uint32_t n = 0; n < part->count; n++) {
        const struct lane_instruction *i = &part->code[n];
        if (i->op != LANE_LOAD && i->op != LANE_STORE) continue;
        const struct kernel_operand *o = &all[i->index];
        has[i->index] = true;
        if (source_has_counters(o->source)) has[o->seed] = has[o->offset] = true;
        for (uint32_t k = 0; !o->source && k < o->parts; k++) has[i->index - o->part + k] = true;
    }
}

/* Returns a kernel with only the operands of the part, which runs for the blocks of `block` columns, or for
 * the columns if that is 0. */
static struct lane_kernel *part_of_kernel(const struct parts *s, const lane_program *part, uint32_t block)
{
    arena *memory = part->memory;
    const struct lane_kernel *whole = s->whole;
    const uint32_t count = whole->operand_count + whole->made_count;
    bool *has = arena_alloc(memory, count * sizeof *has);
    uint32_t *number = arena_alloc(memory, count * sizeof *number);
    struct lane_kernel *kernel = arena_copy(memory, whole, sizeof *whole);
    lane_program *renumbered = lane_create(memory, &part->profile);
    mark_operands(s, part, has);
    kernel->operands = arena_alloc(memory, count * sizeof *kernel->operands);
    kernel->operand_count = kernel->made_count = kernel->draw_count = kernel->pass_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!has[i]) continue;
        number[i] = kernel->operand_count + kernel->made_count;
        kernel->operands[number[i]] = whole->operands[i];
        kernel->operands[number[i]].is_result = false;
        if (block) kernel->operands[number[i]].block = 0;
        *(i < whole->operand_count ? &kernel->operand_count : &kernel->made_count) += 1;
        kernel->draw_count += whole->operands[i].source == SOURCE_RANDOM;
    }
    for (uint32_t i = kernel->operand_count; i < kernel->operand_count + kernel->made_count; i++) {
        struct kernel_operand *o = &kernel->operands[i];
        if (!source_has_counters(o->source)) continue;
        o->seed = number[o->seed];
        o->offset = number[o->offset];
    }
    for (uint32_t n = 0; n < part->count; n++) {
        struct lane_instruction i = part->code[n];
        if (i.op == LANE_LOAD || i.op == LANE_STORE) i.index = number[i.index];
        if (i.op == LANE_STORE) /* the whole group is one result */
            for (uint32_t k = 0, o = i.index - kernel->operands[i.index].part; k < kernel->operands[o].parts;
                 k++)
                kernel->operands[o + k].is_result = true;
        lane_append(renumbered, part, i);
    }
    kernel->program = renumbered;
    return kernel;
}

/* Adds the pass to the kernel if it stores anything. */
static void add_pass(struct lane_kernel *kernel, struct kernel_pass *passes, const struct parts *s,
                     struct kernel_pass pass)
{
    const lane_program *part = part_of_program(s, &pass);
    if (!part->count) return;
    pass.kernel = part_of_kernel(s, part, pass.block);
    passes[kernel->pass_count++] = pass;
}

void lower_to_passes(struct lane_kernel *kernel, const struct spec_kernel *k)
{
    arena *memory = kernel->program->memory;
    bool *is_of_rows = arena_alloc(memory, kernel->operand_count * sizeof *is_of_rows);
    for (uint32_t r = 0; r < k->result_count; r++)
        is_of_rows[k->results[r].operand] = k->results[r].is_of_rows;
    const struct parts s = find_parts(kernel, k, is_of_rows);
    struct kernel_pass *passes = arena_alloc(memory, SPEC_MAX_PASSES * sizeof *passes);
    kernel->passes = passes;
    for (uint32_t level = 0; level <= s.last; level++) {
        add_pass(kernel, passes, &s, (struct kernel_pass){.level = level});
        for (uint32_t block = SPEC_LEAST_BLOCK; block <= SPEC_MOST_BLOCK; block *= 2)
            add_pass(kernel, passes, &s, (struct kernel_pass){.level = level, .block = block});
    }
    add_pass(kernel, passes, &s, (struct kernel_pass){.level = s.last, .is_of_rows = true});
}
