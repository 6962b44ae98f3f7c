/* What a program costs by the target core's table: a sum over its operations. For ranking plans only. */
#include "plan.h"

static float operation_cost(const lane_program *p, const struct lane_instruction *i,
                            const struct target_costs *c)
{
    enum lane_type operand = lane_ops[i->op].arity ? p->code[i->operand[0]].type : i->type;
    bool wide = operand == LANE_F64 || operand == LANE_I64;
    switch (i->op) {
    case LANE_CONST:
    case LANE_BITCAST: return 0;
    case LANE_ADD:
    case LANE_SUB: return c->add;
    case LANE_MUL:
    case LANE_FMA:
    case LANE_IMUL:
    case LANE_IMULHI: return c->mul;
    case LANE_DIV: return wide ? c->div64 : c->div32;
    case LANE_SQRT: return wide ? c->sqrt64 : c->sqrt32;
    case LANE_SHL:
    case LANE_SHR:
    case LANE_SAR: return c->shift;
    case LANE_MIN:
    case LANE_MAX:
    case LANE_EQ:
    case LANE_LT:
    case LANE_LE: return c->minmax;
    case LANE_LOOKUP: return i->type == LANE_F64 || i->type == LANE_I64 ? c->lookup64 : c->lookup32;
    case LANE_ROUND:
    case LANE_F2I:
    case LANE_I2F:
    case LANE_WIDEN:
    case LANE_NARROW:
    case LANE_IWIDEN:
    case LANE_INARROW: return c->convert;
    case LANE_SCALE2: return c->scale2;
    default: return c->logic;
    }
}

double plan_cost(const lane_program *p, const struct target_costs *costs)
{
    double sum = 0;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        enum lane_type operand = lane_ops[i->op].arity ? p->code[i->operand[0]].type : i->type;
        /* A 64-bit value takes two vectors. */
        bool wide = operand == LANE_F64 || operand == LANE_I64 || i->type == LANE_F64 || i->type == LANE_I64;
        sum += (double)operation_cost(p, i, costs) * (wide ? 2 : 1);
    }
    return sum;
}
