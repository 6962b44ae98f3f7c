/* Sums, means and maxima in formulas. They go over the columns of a row, or of a block of it, whose elements
 * share their value. Formulas see a total as an input of shape [rows] or [rows, cols/N] that no call passes,
 * as they see random numbers. The kernel is computed in passes (sums.h): first the values that are reduced,
 * then the formulas that use the total. */
#include "kernels.h"
#include "language.h"

static bool is_square(const expr *e)
{
    return (e->kind == EXPR_MUL && e->operand[0] == e->operand[1]) ||
           (e->kind == EXPR_POWER && mpq_cmp_si(e->number, 2, 1) == 0);
}

struct made_input total_described(enum operand_reduction reduction, uint32_t block, const expr *value)
{
    const bool is_sum = !reduction_picks(reduction), is_squared = is_sum && is_square(value),
               is_magnitude = !is_sum && value->kind == EXPR_abs;
    return (struct made_input){.is_total = true,
                               .total = {.reduction = reduction,
                                         .block = block,
                                         .form = is_squared     ? SUMMAND_SQUARE
                                                 : is_magnitude ? SUMMAND_MAGNITUDE
                                                                : SUMMAND_PLAIN,
                                         .value = is_squared || is_magnitude ? value->operand[0] : value}};
}

const expr *total_summand(expr_dag *dag, const struct spec_total *t)
{
    return t->form == SUMMAND_SQUARE      ? expr_binary(dag, EXPR_MUL, t->value, t->value)
           : t->form == SUMMAND_MAGNITUDE ? expr_unary(dag, EXPR_abs, t->value)
                                          : t->value;
}

const expr *total_of(struct program *p, const struct frame *f, struct span place,
                     enum operand_reduction reduction, uint32_t block, const expr *value)
{
    const struct made_input made = total_described(reduction, block, value);
    if (f->made->variables && made_find(f->made, &made) == f->made->count)
        return program_fail(p, f, DIAG_NOT_YET, place,
                            "a formula with a sum over the row cannot be differentiated yet");
    return made_input(p, f, place, &made);
}

const expr *detached_total(struct program *p, struct frame *f, const struct call *s)
{
    const uint32_t before = f->made->count;
    const expr *e = elaborate_number(p, f, &s->arguments->value);
    if (!e) return NULL;
    const bool is_made = e->kind == EXPR_INPUT && made_set(f->made, true) >> e->input & 1;
    if (!is_made)
        return program_fail(
            p, f, DIAG_NOT_YET, s->place,
            "`%s` takes a sum over the row, as in `detach(amax(x))`; no gradient goes through it", s->name);
    const uint32_t n = e->input - f->made->first;
    struct made_input made = f->made->list[n];
    made.total.is_detached = true;
    if (n >= before) f->made->count--; /* made for this call only */
    return made_input(p, f, s->place, &made);
}

bool share_totals(struct program *p, const struct frame *f, struct spec_kernel *k)
{
    const struct made_inputs *in = f->made;
    const uint32_t totals = count_inputs(made_set(in, true));
    if (totals && k->operand_count + in->count + totals > SPEC_MAX_OPERANDS)
        return program_fail(p, f, DIAG_SYNTAX, k->place,
                            "a kernel has at most %d operands; each sum in its formulas counts as two",
                            SPEC_MAX_OPERANDS);
    for (uint32_t r = 0; r < k->result_count; r++) {
        struct spec_operand *o = &k->operands[k->results[r].operand];
        const struct made_input made = total_described(o->reduction, 0, k->results[r].value);
        const uint32_t same = made_find(in, &made);
        if (!o->reduction || o->shape != SHAPE_ROWS || same == in->count) continue;
        k->results[r].value = expr_input(p->dag, in->first + same);
        o->reduction = REDUCE_NONE;
    }
    return true;
}

/* -- the kernel of the summands -- */

static struct spec_operand summand_operand(struct spec_operand o)
{
    if (!o.reduction && o.shape == SHAPE_MATRIX) return o;
    if (o.reduction) o.type = o.type == ELEMENT_F64 ? ELEMENT_F64 : ELEMENT_F32;
    o.reduction = REDUCE_NONE;
    o.shape = SHAPE_MATRIX;
    return o;
}

/* Returns true if the formula is an input that the adding loop reads directly from memory. A bf16 is the high
 * half of an f32, and other small types take a conversion, which the kernel's passes have. */
static bool is_in_memory(const struct spec_kernel *k, const expr *e)
{
    if (e->kind != EXPR_INPUT || e->input >= k->input_count) return false;
    const struct spec_operand *o = &k->operands[e->input];
    return !o->is_total && o->shape == SHAPE_MATRIX && o->layout == LAYOUT_SEPARATE && !o->block &&
           !o->block_rows && (o->type == ELEMENT_F32 || o->type == ELEMENT_F64 || o->type == ELEMENT_BF16);
}

/* Fills in what each total is made of. The totals are the inputs from `totals` on. `k` has its operands,
 * except those that this function adds. */
static void place_summands(arena *memory, struct spec_kernel *k, uint32_t totals)
{
    for (uint32_t n = 0; n < k->total_count; n++) {
        struct spec_total *t = &k->totals[n];
        const bool is_wide = spec_is_wide(memory, k->operands, t->value);
        t->level = 0;
        for (uint32_t before = 0; before < n; before++)
            if (expr_depends(t->value, totals + before) && k->totals[before].level >= t->level)
                t->level = k->totals[before].level + 1;
        t->type = is_wide ? ELEMENT_F64 : ELEMENT_F32;
        k->operands[totals + n] = (struct spec_operand){
            .name = k->operands[totals + n].name,
            .type = reduction_keeps_type(t->reduction) ? t->type : ELEMENT_F64,
            .shape = t->block ? SHAPE_MATRIX : SHAPE_ROWS,
            .block = t->block,
            .parts = 1,
            .is_total = true,
            .is_internal = true,
        };
        t->operand = t->value->input;
        if (is_in_memory(k, t->value)) continue;
        struct text name = text_new(memory);
        text_add(&name, "what is in %s", k->operands[totals + n].name);
        t->operand = k->operand_count++;
        k->operands[t->operand] = (struct spec_operand){.name = name.data,
                                                        .type = t->type,
                                                        .block = t->reduction == REDUCE_NONE ? t->block : 0,
                                                        .parts = 1,
                                                        .is_internal = true};
        k->results[k->result_count++] = (struct spec_result){.operand = t->operand, .value = t->value};
    }
}

/* Returns a set of inputs by their new numbers. */
static uint64_t renumbered_inputs(const uint32_t *to, uint64_t inputs)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < SPEC_MAX_OPERANDS; i++)
        if (inputs >> i & 1) out |= UINT64_C(1) << to[i];
    return out;
}

static void with_summands(arena *memory, expr_dag *dag, const struct spec_kernel *kernel,
                          struct spec_kernel *k)
{
    struct guarded_totals guarded = guard_totals(memory, dag, kernel);
    struct spec_kernel *from = arena_copy(memory, kernel, sizeof *kernel);
    add_block_values(memory, dag, from, &guarded);
    from->totals = guarded.totals;
    from->total_count = k->total_count = guarded.count;
    const uint32_t count = from->total_count, results = from->operand_count - from->input_count;
    const uint32_t totals = from->input_count;
    uint32_t to[SPEC_MAX_OPERANDS] = {0};
    k->operands = arena_alloc(memory, SPEC_MAX_OPERANDS * sizeof *k->operands);
    k->results = arena_alloc(memory, (from->result_count + count) * sizeof *k->results);
    k->totals = arena_copy(memory, from->totals, count * sizeof *k->totals);
    k->input_count = from->input_count + count;
    k->operand_count = k->input_count + results;
    for (uint32_t i = 0; i < from->input_count; i++) k->operands[i] = from->operands[i];
    for (uint32_t i = 0; i < results; i++)
        k->operands[k->input_count + i] = summand_operand(from->operands[from->input_count + i]);
    uint32_t draws = k->operand_count;
    for (uint32_t n = 0; n < count; n++)
        if (!is_in_memory(from, from->totals[n].value)) draws++;
    for (uint32_t i = 0; i < from->input_count; i++) to[i] = i;
    for (uint32_t i = 0; i < from->made_count; i++) to[from->operand_count + i] = draws + i;
    for (uint32_t n = 0; n < count; n++) to[first_total(from) + n] = totals + n;
    for (uint32_t n = 0; n < count; n++) {
        k->operands[totals + n].name = spec_total_text(memory, from, n);
        k->totals[n].value = expr_renumber(dag, from->totals[n].value, to);
    }
    for (uint32_t i = 0; i < from->result_count; i++) {
        const struct spec_operand *o = &from->operands[from->results[i].operand];
        k->results[i] = (struct spec_result){.operand = from->results[i].operand + count,
                                             .value = expr_renumber(dag, from->results[i].value, to),
                                             .is_of_rows = o->shape == SHAPE_ROWS && !o->reduction};
    }
    for (uint32_t n = 0; n < count; n++) k->operands[totals + n].is_total = true;
    for (uint32_t i = 0; i < from->made_count; i++)
        k->operands[draws + i] = from->operands[from->operand_count + i];
    place_summands(memory, k, totals);
    for (uint32_t n = 0; n < count; n++)
        k->operands[totals + n].nan_from = n < kernel->total_count ? renumbered_inputs(to, guarded.asked[n])
                                           : k->totals[n].reduction == REDUCE_NONE
                                               ? spec_nan_inputs(k->operands, k->totals[n].value->inputs)
                                               : UINT64_C(1) << (totals + n);
}

/* Groups the results of a kernel as they are computed. */
static void gather_results(arena *memory, expr_dag *dag, struct spec_kernel *k)
{
    k->results = arena_copy(memory, k->results, k->result_count * sizeof *k->results);
    for (uint32_t i = 0; i < k->result_count; i++)
        k->results[i].value = expr_gather(dag, k->results[i].value);
}

const struct spec_kernel *spec_summands(arena *memory, expr_dag *dag, const struct spec_kernel *kernel)
{
    struct spec_kernel *k = arena_copy(memory, kernel, sizeof *kernel);
    const uint32_t count = kernel->operand_count + kernel->made_count;
    if (spec_has_passes(kernel)) {
        with_summands(memory, dag, kernel, k);
    } else {
        k->operands = arena_copy(memory, kernel->operands, count * sizeof *k->operands);
        for (uint32_t i = kernel->input_count; i < kernel->operand_count; i++)
            k->operands[i] = summand_operand(k->operands[i]);
    }
    gather_results(memory, dag, k);
    return k;
}
