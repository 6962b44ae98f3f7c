/* What a program surely has rounded already. */
#include "half.h"
#include "lane.h"

static bool is_rounded_constant(uint32_t bits, enum element_type type)
{
    const float x = f32_of_bits(bits);
    return x != x ||
           bits_of_f32(type == ELEMENT_F16 ? f32_of_f16(f16_of_f32(x)) : f32_of_bf16(bf16_of_f32(x))) == bits;
}

bool lane_is_rounded(const lane_program *p, lane_value v, enum element_type type)
{
    const struct lane_instruction *i = &p->code[v];
    switch (i->op) {
    case LANE_CONST: return is_rounded_constant((uint32_t)i->bits, type);
    case LANE_TO_F16: return type == ELEMENT_F16;
    case LANE_TO_BF16:
    case LANE_TO_BF16_AWAY: return type == ELEMENT_BF16;
    case LANE_SELECT:
        return lane_is_rounded(p, i->operand[1], type) && lane_is_rounded(p, i->operand[2], type);
    default: return false;
    }
}
