/* Kernels in lanes of f16. Such a kernel has one piece, of an f16 operand, and its open program gives the
 * same bits in f16. Each value that its arithmetic takes is a number of f16, from memory or from the piece,
 * whose plan computes in f16 as well. Each result of arithmetic is only stored as f16.
 *
 * f32 lanes round such a result twice: to 24 bits, then to 11 or, if the result is small, to fewer. For sums,
 * differences, products and quotients, this gives the same as rounding once (Figueroa, 1995: 24 >= 2 * 11 +
 * 2). */
#include "lowering.h"

static bool is_arithmetic(enum lane_op op)
{
    return op == LANE_ADD || op == LANE_SUB || op == LANE_MUL || op == LANE_DIV;
}

/* Returns true if the instruction's value is a number of f16 before anything rounds it. */
static bool is_half(const struct lowering *l, const struct lane_instruction *i)
{
    return i->op == LANE_LOAD &&
           (i->index >= HOLES || (l->request.kernel->operands[i->index].type == ELEMENT_F16 &&
                                  !l->request.kernel->operands[i->index].block));
}

static bool suits_half(const struct lowering *l, const struct lane_instruction *i)
{
    const struct lane_instruction *code = l->program->code;
    if (i->op == LANE_STORE) return l->request.kernel->operands[i->index].type == ELEMENT_F16;
    if (!is_arithmetic(i->op)) return is_half(l, i);
    return is_half(l, &code[i->operand[0]]) && is_half(l, &code[i->operand[1]]);
}

bool lower_suits_halves(const struct lowering *l)
{
    const lane_program *p = l->program;
    if (l->hole_count != 1 || l->result->pieces[0].argument != ELEMENT_F16) return false;
    bool all = p->code[l->holes[0].input].op == LANE_LOAD;
    for (uint32_t n = 0; n < p->count; n++) all = all && suits_half(l, &p->code[n]);
    return all;
}

bool lower_is_in_halves(const struct lowering *l)
{
    if (!lower_suits_halves(l)) return false;
    const lane_program *plan = l->result->pieces[0].program;
    bool found = false;
    for (uint32_t n = 0; n < plan->count; n++) found = found || plan->code[n].type == LANE_F16;
    return found;
}

lane_value lower_as_half(lane_program *p, const lane_program *from, struct lane_instruction i)
{
    if (i.type == LANE_F32) i.type = LANE_F16;
    return lane_append(p, from, i);
}
