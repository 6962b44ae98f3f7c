/* The canonical order: operands before users, depth first from the stores, left operand first. C leaves
 * the order of nested calls open, so builders' own order may differ between compilers. */
#include "lane.h"

struct visit {
    lane_value value;
    unsigned next_operand;
};

/* Makes `root` and what it needs; `made` has number + 1 of what is there. */
static void make(lane_program *out, const lane_program *p, lane_value root, uint32_t *made,
                 struct visit *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct visit){root, 0};
    while (depth) {
        struct visit *top = &stack[depth - 1];
        struct lane_instruction i = p->code[top->value];
        if (top->next_operand < lane_ops[i.op].arity) {
            lane_value operand = i.operand[top->next_operand++];
            if (!made[operand]) stack[depth++] = (struct visit){operand, 0};
            continue;
        }
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = made[i.operand[k]] - 1;
        made[top->value] = lane_append(out, p, i) + 1;
        depth--;
    }
}

lane_program *lane_canonical(const lane_program *p)
{
    lane_program *out = lane_create(p->memory, &p->profile);
    uint32_t *made = arena_alloc(p->memory, p->count * sizeof *made);
    struct visit *stack = arena_alloc(p->memory, p->count * sizeof *stack);
    for (lane_value v = 0; v < p->count; v++)
        if (p->code[v].op == LANE_STORE) make(out, p, v, made, stack);
    return out;
}
