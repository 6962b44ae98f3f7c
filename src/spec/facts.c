/* Finds facts about formulas: types, widths, and what decides a choice. */
#include "spec.h"

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
