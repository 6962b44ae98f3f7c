/* Which NaNs can be rounded to bf16 by integer addition alone: those whose low 16 bits are 0, since nothing then carries into
 * the exponent. The NaNs of bf16 operands are such, and the one that arithmetic makes of numbers; arithmetic passes on one
 * of its operands' NaNs. */
#include "build.h"

static const uint32_t SIGN = 0x80000000u, LOW_HALF = 0xffffu;

static bool is_constant(const lane_program *p, lane_value v, uint64_t *bits)
{
    *bits = p->code[v].bits;
    return p->code[v].op == LANE_CONST;
}

static bool bits_are_safe(enum lane_type type, uint64_t bits)
{
    const uint64_t infinity = type == LANE_F64 || type == LANE_I64 ? 0x7ffu : 0xffu;
    const unsigned width = infinity == 0xffu ? 32 : 64, fraction = infinity == 0xffu ? 23 : 52;
    const uint64_t low = width == 32 ? LOW_HALF : (UINT64_C(1) << (52 - 7)) - 1;
    return (bits >> fraction & infinity) != infinity || !(bits & low);
}

/* At most the sign bit is set. */
static bool is_sign(const lane_program *p, lane_value v)
{
    const struct lane_instruction *i = &p->code[v];
    uint64_t bits;
    if (is_constant(p, v, &bits)) return !(bits & ~(uint64_t)SIGN);
    return i->op == LANE_AND && ((is_constant(p, i->operand[0], &bits) && bits == SIGN) ||
                                 (is_constant(p, i->operand[1], &bits) && bits == SIGN));
}

/* Of i32, as the bits of an f32. */
static bool logic_is_safe(const bool *safe, const lane_program *p, const struct lane_instruction *i)
{
    const lane_value a = i->operand[0], b = i->operand[1];
    uint64_t bits;
    switch (i->op) {
    case LANE_AND:
        if (is_constant(p, a, &bits)) return !(bits & LOW_HALF) || (bits == ~SIGN && safe[b]);
        if (is_constant(p, b, &bits)) return !(bits & LOW_HALF) || (bits == ~SIGN && safe[a]);
        return false;
    case LANE_OR:
    case LANE_XOR: return (is_sign(p, a) && safe[b]) || (is_sign(p, b) && safe[a]);
    case LANE_SHL: return is_constant(p, b, &bits) && bits >= 16;
    case LANE_IMIN: return safe[a] && safe[b];
    default: return false;
    }
}

static bool table_is_safe(const struct lane_table *t)
{
    for (size_t k = 0; k < (size_t)1 << t->log2_size; k++)
        if (!bits_are_safe(t->type, t->bits[k])) return false;
    return true;
}

static bool is_safe(const bool *safe, const struct lane_kernel *kernel, const struct lane_instruction *i)
{
    const lane_program *p = kernel->program;
    switch (i->op) {
    case LANE_LOAD: return kernel->operands[i->index].type == ELEMENT_BF16;
    case LANE_CONST: return bits_are_safe(i->type, i->bits);
    case LANE_LOOKUP: return table_is_safe(&p->tables[i->index]);
    case LANE_SELECT: return safe[i->operand[1]] && safe[i->operand[2]];
    case LANE_I2F:
    case LANE_TO_BF16:
    case LANE_TO_BF16_AWAY: return true;
    default: break;
    }
    if (i->type == LANE_I32 && i->op != LANE_BITCAST) return logic_is_safe(safe, p, i);
    if (i->type == LANE_I64 && i->op != LANE_BITCAST) return false;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
        if (!safe[i->operand[k]]) return false;
    return true;
}

void find_nan_safe(bool *safe, const struct lane_kernel *kernel)
{
    for (uint32_t n = 0; n < kernel->program->count; n++)
        safe[n] = is_safe(safe, kernel, &kernel->program->code[n]);
}
