/* The canonical form. Operands come before users, depth first from the stores, left operand first. C leaves
 * the order of nested calls open, so the order in which builders emit may differ between compilers. The form
 * also drops limits on values that keep within them anyway. Pieces make such limits when each limits its own
 * argument. */
#include "float_bits.h"
#include "lane.h"

#include <math.h>

struct visit {
    lane_value value;
    unsigned next_operand;
};

/* -- limits -- */

/* Returns true for min(limit, v) or max(limit, v) whose limit is a constant f32 or f64. */
static bool limits_by_constant(const lane_program *p, const struct lane_instruction *i)
{
    return (i->op == LANE_MIN || i->op == LANE_MAX) && (i->type == LANE_F32 || i->type == LANE_F64) &&
           p->code[i->operand[0]].op == LANE_CONST;
}

static double limit_of(const lane_program *p, const struct lane_instruction *i)
{
    const uint64_t bits = p->code[i->operand[0]].bits;
    return i->type == LANE_F64 ? f64_of_bits(bits) : (double)f32_of_bits((uint32_t)bits);
}

/* Finds the range that limits leave a value, unless it is NaN. */
static void find_range(const lane_program *p, lane_value v, double range[2])
{
    const struct lane_instruction *i = &p->code[v];
    range[0] = -INFINITY, range[1] = INFINITY;
    if (i->op == LANE_WIDEN) find_range(p, i->operand[0], range);
    if (!limits_by_constant(p, i)) return;
    find_range(p, i->operand[1], range);
    for (int end = 0; end < 2; end++)
        range[end] = i->op == LANE_MIN ? fmin(range[end], limit_of(p, i)) : fmax(range[end], limit_of(p, i));
}

/* Returns true if a limit never changes its value. Limits of zero are excluded, because zeros have a sign. */
static bool is_idle(const lane_program *p, const struct lane_instruction *i)
{
    double range[2];
    if (!limits_by_constant(p, i) || limit_of(p, i) == 0) return false;
    find_range(p, i->operand[1], range);
    return i->op == LANE_MIN ? range[1] <= limit_of(p, i) : range[0] >= limit_of(p, i);
}

/* Returns for each value the value that stands for it. */
static lane_value *without_idle_limits(const lane_program *p)
{
    lane_value *same = arena_alloc(p->memory, p->count * sizeof *same);
    for (lane_value v = 0; v < p->count; v++)
        same[v] = is_idle(p, &p->code[v]) ? same[p->code[v].operand[1]] : v;
    return same;
}

/* -- order -- */

/* Makes `root` and the values that it needs. `made` holds number + 1 of values that exist. */
static void make_canonical(lane_program *out, const lane_program *p, lane_value root, const lane_value *same,
                           uint32_t *made, struct visit *stack)
{
    uint32_t depth = 0;
    stack[depth++] = (struct visit){root, 0};
    while (depth) {
        struct visit *top = &stack[depth - 1];
        struct lane_instruction i = p->code[top->value];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = same[i.operand[k]];
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
    const lane_value *same = without_idle_limits(p);
    uint32_t *made = arena_alloc(p->memory, p->count * sizeof *made);
    struct visit *stack = arena_alloc(p->memory, p->count * sizeof *stack);
    for (lane_value v = 0; v < p->count; v++)
        if (p->code[v].op == LANE_STORE) make_canonical(out, p, v, same, made, stack);
    return out;
}
