/* Blocks of columns: reductions over them, as in amax(x, 32), and results of shape [rows, cols/32], which
 * have one value for each block.
 *
 * Formulas of elements use values that are made of these reductions, such as the inverse of a scale. Such a
 * value is computed once for each block, as a total without a reduction, whose `value` it is. */
#include "kernels.h"

const expr *elaborate_block_total(struct program *p, struct frame *f, const struct call *s,
                                  enum operand_reduction reduction)
{
    const expr *value = elaborate_number(p, f, &s->arguments->value);
    const expr *size = value ? elaborate_number(p, f, &s->arguments->next->value) : NULL;
    if (!size) return NULL;
    for (uint32_t block = SPEC_LEAST_BLOCK; block <= SPEC_MOST_BLOCK; block *= 2)
        if (expr_is_number(size, (long)block, 1)) return total_of(p, f, s->place, reduction, block, value);
    return program_fail(p, f, DIAG_SYNTAX, s->arguments->next->value.place,
                        "`%s` goes over blocks of 16, 32, 64, 128, 256, 512 or 1024 columns, as in "
                        "`%s(x, 32)`",
                        s->name, s->name);
}

/* Returns true if all columns of a block share the value, and it is made of a reduction of the block. */
static bool is_of_blocks(const struct made_inputs *in, const struct spec_kernel *k, uint32_t block,
                         const expr *value)
{
    bool varies = false, has_total = false;
    for (uint32_t n = 0; n < in->count; n++) {
        const struct made_input *made = &in->list[n];
        if (!expr_depends(value, in->first + n)) continue;
        varies = varies || !made->is_total || (made->total.block && made->total.block != block);
        has_total = has_total || (made->is_total && made->total.block == block);
    }
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        const bool is_shared = o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE || o->block == block;
        varies = varies || (!is_shared && expr_depends(value, i));
    }
    return has_total && !varies;
}

bool check_block_result(struct program *p, const struct spec_kernel *k, const struct frame *f,
                        const struct syntax_statement *s, const expr *value,
                        const struct spec_operand *result)
{
    if (is_of_blocks(f->made, k, result->block, value)) return true;
    return program_fail(
        p, f, DIAG_SYNTAX, s->value.place,
        "`%s` has shape %s, and this is not a value of each block; `amax(x, %u)` makes one of "
        "its columns",
        s->name, spec_shape_text(p->memory, result), result->block);
}

/* Returns the name of something that blocks of columns share, an input or a formula's reduction, and sets its
 * place. Returns NULL if there is none. */
static const char *shared_by_blocks(const struct frame *f, const struct spec_kernel *k, struct span *place)
{
    *place = k->place;
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (!k->operands[i].block) continue;
        *place = k->operands[i].place;
        return k->operands[i].name;
    }
    for (uint32_t n = 0; n < f->made->count; n++)
        if (f->made->list[n].is_total && f->made->list[n].total.block)
            return reductions[f->made->list[n].total.reduction].name;
    return NULL;
}

bool check_blocks(struct program *p, const struct frame *f, const struct spec_kernel *k)
{
    bool has_sums = false, has_places = false;
    struct span place;
    for (uint32_t i = k->input_count; i < k->operand_count; i++)
        has_sums = has_sums || k->operands[i].reduction != REDUCE_NONE;
    for (uint32_t n = 0; n < f->made->count; n++) has_places = has_places || !f->made->list[n].is_total;
    const char *name = has_sums || has_places ? shared_by_blocks(f, k, &place) : NULL;
    if (!name) return true;
    return program_fail(p, f, DIAG_NOT_YET, place,
                        "blocks of columns share `%s`, and a kernel with %s does not take it yet", name,
                        has_sums ? "results that are sums" : "random numbers or places of elements");
}

bool check_no_blocks(struct program *p, const struct frame *f, const struct declaration *d,
                     const struct spec_kernel *of)
{
    for (uint32_t i = 0; i < of->operand_count; i++)
        if (of->operands[i].block || of->operands[i].block_rows)
            return program_fail(
                p, f, DIAG_NOT_YET, d->target_place,
                "`%s` has `%s` of shape %s, and gradients of such kernels are not supported yet", d->target,
                of->operands[i].name, spec_shape_text(p->memory, &of->operands[i]));
    for (uint32_t n = 0; n < of->total_count; n++)
        if (of->totals[n].block)
            return program_fail(p, f, DIAG_NOT_YET, d->target_place,
                                "`%s` has `%s` in its formulas, and gradients of such kernels are not "
                                "supported yet",
                                d->target, spec_total_text(p->memory, of, n));
    return true;
}

/* -- values of blocks in formulas of elements -- */

/* Returns the inputs, and the totals in the list, that all columns of a block share. Sets *own to the totals
 * of such blocks. */
static uint64_t shared_inputs(const struct spec_kernel *k, const struct guarded_totals *g, uint32_t block,
                              uint64_t *own)
{
    uint64_t shared = 0;
    *own = 0;
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        if (o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE || o->block == block) shared |= UINT64_C(1) << i;
    }
    for (uint32_t n = 0; n < g->count; n++) {
        const uint64_t total = UINT64_C(1) << (first_total(k) + n);
        if (!g->totals[n].block || g->totals[n].block == block) shared |= total;
        if (g->totals[n].block == block) *own |= total;
    }
    return shared;
}

/* Returns true if the formula has f64 arithmetic somewhere. A value of its blocks may then be f64. */
static bool has_wide_part(const struct spec_kernel *k, const expr *const *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if ((nodes[i]->kind == EXPR_CAST && nodes[i]->type == ELEMENT_F64) ||
            (nodes[i]->kind == EXPR_INPUT && nodes[i]->input < k->input_count &&
             k->operands[nodes[i]->input].type == ELEMENT_F64))
            return true;
    return false;
}

/* A value of a block in a formula, where it takes the place of `of`: alone, or times a factor if that is not
 * NULL. */
struct block_value {
    const expr *value, *of, *factor;
};

/* Returns true if blocks compute operand number `place` of the node, and sets *out. A quotient by a power of
 * two becomes the product with its inverse, which is exact. */
static bool is_block_value(expr_dag *dag, const expr *node, unsigned place, uint64_t shared, uint64_t own,
                           struct block_value *out)
{
    const expr *e = node->operand[place];
    if (!(e->inputs & own) || e->inputs & ~shared || expr_is_truth(e)) return false;
    *out = (struct block_value){e, e, NULL};
    if (node->kind != EXPR_DIV || place != 1 || e->kind != EXPR_CAST || !element_is_power(e->type))
        return e->kind != EXPR_INPUT;
    *out = (struct block_value){expr_binary(dag, EXPR_DIV, expr_integer(dag, 1), e), node, node->operand[0]};
    return true;
}

/* Finds a value of such blocks that the formula of an element uses. */
static bool find_block_value(arena *memory, expr_dag *dag, const struct spec_kernel *k,
                             const struct guarded_totals *g, const expr *formula, uint32_t block,
                             struct block_value *out)
{
    uint32_t count;
    uint64_t own;
    const uint64_t shared = shared_inputs(k, g, block, &own);
    const expr *const *nodes = expr_walk(memory, formula, &count);
    if (has_wide_part(k, nodes, count)) return false;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned place = 0; nodes[i]->inputs & ~shared && place < expr_arity(nodes[i]->kind); place++)
            if (is_block_value(dag, nodes[i], place, shared, own, out)) return true;
    return false;
}

/* Returns the total of this value, which may be new. */
static const expr *total_of_block(expr_dag *dag, const struct spec_kernel *k, struct guarded_totals *g,
                                  uint32_t block, const expr *value)
{
    uint32_t n = 0;
    while (n < g->count && (g->totals[n].reduction != REDUCE_NONE || g->totals[n].block != block ||
                            g->totals[n].value != value))
        n++;
    if (n == g->count)
        g->totals[g->count++] = (struct spec_total){.reduction = REDUCE_NONE, .block = block, .value = value};
    return expr_input(dag, first_total(k) + n);
}

void add_block_values(arena *memory, expr_dag *dag, struct spec_kernel *k, struct guarded_totals *g)
{
    const uint32_t most = g->count + SPEC_MAX_TOTALS;
    struct spec_total *totals = arena_alloc(memory, (most + 1) * sizeof *totals);
    struct block_value found;
    bool has_blocks = false;
    for (uint32_t n = 0; n < g->count; n++) has_blocks = has_blocks || g->totals[n].block;
    if (!has_blocks) return;
    for (uint32_t n = 0; n < g->count; n++) {
        totals[n] = g->totals[n];
        totals[n].value = expr_import(dag, totals[n].value);
    }
    g->totals = totals;
    k->results = arena_copy(memory, k->results, k->result_count * sizeof *k->results);
    for (uint32_t r = 0; r < k->result_count; r++)
        k->results[r].value = expr_import(dag, k->results[r].value);
    for (struct spec_result *r = k->results; r < k->results + k->result_count; r++) {
        const struct spec_operand *o = &k->operands[r->operand];
        if (o->shape != SHAPE_MATRIX || o->block || o->type == ELEMENT_F64) continue;
        for (uint32_t block = SPEC_LEAST_BLOCK; block <= SPEC_MOST_BLOCK; block *= 2)
            while (g->count < most && first_total(k) + 2 * (g->count + 1) <= SPEC_MAX_OPERANDS &&
                   find_block_value(memory, dag, k, g, r->value, block, &found)) {
                const expr *with = total_of_block(dag, k, g, block, found.value);
                if (found.factor) with = expr_binary(dag, EXPR_MUL, found.factor, with);
                r->value = expr_substitute(dag, r->value, found.of, with);
            }
    }
}
