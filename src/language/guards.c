/* Finds the values whose NaN makes a choice NaN if the choice depends on a sum over the row. A NaN among
 * the operands of the sum makes the choice NaN. A NaN that arithmetic made on the way, such as inf - inf,
 * does so only if the branch with the sum is chosen. The sum is NaN in both cases, so it cannot tell them
 * apart. A guard can: it is a total that is NaN exactly where an input has a NaN in some column. */
#include "kernels.h"

/* Returns the inputs on which total n depends, directly or by earlier totals. */
static uint64_t inputs_of_total(const struct spec_kernel *k, uint32_t n)
{
    uint64_t inputs = k->totals[n].value->inputs;
    while (n-- > 0) {
        const uint64_t total = UINT64_C(1) << first_total(k) << n;
        if (inputs & total) inputs = (inputs & ~total) | k->totals[n].value->inputs;
    }
    return inputs;
}

static bool may_be_nan(const struct spec_operand *o)
{
    return !element_is_integer(o->type) && !element_is_bit(o->type) && o->type != ELEMENT_U64;
}

/* Returns true if the total guards the value in such blocks: a pick among its elements, or its sum of
 * squares, in which nothing cancels. A kernel's totals may be of another DAG. */
static bool is_guard_of(const struct spec_total *t, expr_dag *dag, const expr *value, uint32_t block)
{
    return t->block == block && expr_import(dag, t->value) == value &&
           (reduction_picks(t->reduction) || (t->reduction == REDUCE_SUM && t->form == SUMMAND_SQUARE));
}

/* Returns the number of a total that guards the value in such blocks. A total of the kernel may serve. The
 * largest magnitude of a block takes less time than its largest number. */
static uint32_t find_guard(struct guarded_totals *g, expr_dag *dag, const expr *value, uint32_t block)
{
    uint32_t n = 0;
    while (n < g->count && !is_guard_of(&g->totals[n], dag, value, block)) n++;
    if (n == g->count)
        g->totals[g->count++] = (struct spec_total){.reduction = REDUCE_AMAX,
                                                    .form = block ? SUMMAND_MAGNITUDE : SUMMAND_PLAIN,
                                                    .block = block,
                                                    .value = value};
    return n;
}

static void guard_total(struct guarded_totals *g, expr_dag *dag, const struct spec_kernel *k, uint32_t n)
{
    const uint64_t inputs = inputs_of_total(k, n);
    const expr *sizes = NULL, *alone = NULL; /* of a block's inputs; only a NaN makes their sum NaN */
    g->asked[n] = 0;
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        if (!(inputs >> i & 1) || !may_be_nan(o)) continue;
        const bool is_of_row = o->shape == SHAPE_MATRIX || o->shape == SHAPE_COLS;
        const expr *input = expr_input(dag, i), *size = expr_unary(dag, EXPR_abs, input);
        if (is_of_row && k->totals[n].block) {
            alone = sizes ? NULL : input;
            sizes = sizes ? expr_binary(dag, EXPR_ADD, sizes, size) : size;
            continue;
        }
        const uint32_t asked = is_of_row ? first_total(k) + find_guard(g, dag, input, 0) : i;
        g->asked[n] |= UINT64_C(1) << (asked & 63);
    }
    if (!sizes) return;
    const uint32_t guard = first_total(k) + find_guard(g, dag, alone ? alone : sizes, k->totals[n].block);
    g->asked[n] |= UINT64_C(1) << (guard & 63);
}

/* Returns the inputs of choices between several values. A choice of one value is a piece, which is NaN
 * where that value is. If the result is stored as a bit, only its condition counts. */
static uint64_t inputs_of_choices(arena *memory, const expr *e, bool is_bit)
{
    uint32_t count;
    const bool is_condition = is_bit && spec_is_condition(e);
    uint64_t inputs = is_condition && !spec_is_false_of_nan(e->operand[0]) ? e->inputs : 0;
    if (is_condition) e = e->operand[0];
    const expr *const *nodes = expr_walk(memory, e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_IF && nodes[i]->argument == nodes[i]) inputs |= nodes[i]->inputs;
    return inputs;
}

struct guarded_totals guard_totals(arena *memory, expr_dag *dag, const struct spec_kernel *k)
{
    /* at most one guard for each input and each size of blocks */
    const uint32_t most = k->total_count * (1 + k->input_count);
    struct guarded_totals g = {.totals = arena_alloc(memory, (most + 1) * sizeof *g.totals)};
    uint64_t chosen = 0;
    for (uint32_t n = 0; n < k->total_count; n++) {
        g.totals[g.count++] = k->totals[n];
        g.asked[n] = UINT64_C(1) << first_total(k) << n;
        chosen |= inputs_of_choices(memory, k->totals[n].value, false);
    }
    for (uint32_t r = 0; k->total_count && r < k->result_count; r++)
        chosen |= inputs_of_choices(memory, k->results[r].value,
                                    element_is_bit(k->operands[k->results[r].operand].type));
    for (uint32_t n = 0; n < k->total_count; n++)
        if (chosen >> first_total(k) >> n & 1) guard_total(&g, dag, k, n);
    return g;
}

bool check_guards(struct program *p, const struct frame *f, const struct spec_kernel *k, struct span place)
{
    const uint32_t count = guard_totals(p->memory, p->dag, k).count;
    if (first_total(k) + 2 * count <= SPEC_MAX_OPERANDS) return true;
    return program_fail(p, f, DIAG_SYNTAX, place,
                        "a kernel has at most %d operands; each sum in its formulas counts as two, and so "
                        "does each input on which a choice depends by a sum",
                        SPEC_MAX_OPERANDS);
}
