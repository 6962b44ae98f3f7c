/* Facts about operands and formulas: types, widths, names, and who decides a choice. */
#include "spec.h"

#include <string.h>

const char *spec_operand_name(arena *memory, const struct spec_operand *o)
{
    if (!operand_is_list(o->shape, o->layout)) return o->name;
    return arena_text(memory, o->name, strcspn(o->name, "["));
}

const char *spec_shape_text(arena *memory, const struct spec_operand *o)
{
    static const char *const shapes[] = {"", "[cols]", "[rows]", "[]"};
    struct text count = text_new(memory);
    if (o->block || o->block_rows) {
        text_add(&count, "[rows");
        if (o->block_rows) text_add(&count, "/%u", o->block_rows);
        if (o->shape == SHAPE_MATRIX) text_add(&count, ", cols");
        if (o->block) text_add(&count, "/%u", o->block);
        text_add(&count, "]");
        return count.data;
    }
    if (!operand_is_list(o->shape, o->layout)) return shapes[o->shape];
    text_add(&count, "[%u]", o->parts);
    return count.data;
}

static void print_total(struct text *out, const struct spec_kernel *k, uint32_t n, const char *const *names)
{
    static const char *const forms[][2] = {{"(", ""}, {"(abs(", ")"}, {"((", ")^2"}};
    const struct spec_total *t = &k->totals[n];
    text_add(out, "%s%s%s", t->is_detached ? "detach(" : "", reductions[t->reduction].name,
             forms[t->form][0]);
    expr_print(out, t->value, names);
    text_add(out, "%s", forms[t->form][1]);
    if (t->block) text_add(out, ", %u", t->block);
    text_add(out, ")%s", t->is_detached ? ")" : "");
}

const char *spec_total_text(arena *memory, const struct spec_kernel *k, uint32_t n)
{
    const char *names[SPEC_MAX_OPERANDS];
    const uint32_t first = k->operand_count + k->made_count;
    for (uint32_t i = 0; i < first; i++) names[i] = k->operands[i].name;
    for (uint32_t i = 0; i <= n; i++) {
        struct text t = text_new(memory);
        print_total(&t, k, i, names);
        names[first + i] = t.data;
    }
    return names[first + n];
}

enum element_type spec_type_in_formulas(const struct spec_operand *o)
{
    const bool is_lane = o->is_total || !element_is_stored(o->type) || element_is_power(o->type);
    return is_lane ? ELEMENT_F32 : o->type;
}

bool spec_is_wide(arena *memory, const struct spec_operand *operands, const expr *e)
{
    uint32_t count;
    bool wide = false;
    const expr **nodes = expr_walk(memory, e, &count);
    bool *reached = arena_alloc(memory, (size_t)e->id + 1);
    reached[e->id] = true;
    for (uint32_t i = count; i-- > 0;) {
        const expr *node = nodes[i];
        if (!reached[node->id]) continue;
        if (node->kind == EXPR_CAST) {
            wide = wide || node->type == ELEMENT_F64;
        } else if (node->kind == EXPR_INPUT) {
            wide = wide || spec_type_in_formulas(&operands[node->input]) == ELEMENT_F64;
        } else {
            for (unsigned k = 0; k < expr_arity(node->kind); k++) reached[node->operand[k]->id] = true;
        }
    }
    return wide;
}

bool spec_is_condition(const expr *e)
{
    return e->kind == EXPR_IF && expr_is_number(e->operand[1], 1, 1) && expr_is_number(e->operand[2], 0, 1);
}

bool spec_is_false_of_nan(const expr *e)
{
    if (e->kind == EXPR_AND)
        return spec_is_false_of_nan(e->operand[0]) && spec_is_false_of_nan(e->operand[1]);
    return e->kind == EXPR_LT || e->kind == EXPR_LE || e->kind == EXPR_EQ;
}

uint64_t spec_nan_inputs(const struct spec_operand *operands, uint64_t of)
{
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < SPEC_MAX_OPERANDS; i++)
        if (of >> i & 1) inputs |= operands[i].is_total ? operands[i].nan_from : UINT64_C(1) << i;
    return inputs;
}
