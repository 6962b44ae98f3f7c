/* Ops that round to an element type, and what a program surely has rounded already. */
#include "float_bits.h"
#include "lane.h"

static const struct {
    enum element_type type;
    enum lane_op op;
} roundings[] = {
    /* first the one to nearest, ties to even */
    {ELEMENT_F16, LANE_TO_F16},   {ELEMENT_BF16, LANE_TO_BF16}, {ELEMENT_BF16, LANE_TO_BF16_AWAY},
    {ELEMENT_E4M3, LANE_TO_E4M3}, {ELEMENT_E5M2, LANE_TO_E5M2}, {ELEMENT_I8, LANE_TO_I8},
    {ELEMENT_U8, LANE_TO_U8},
};
enum { ROUNDINGS = sizeof roundings / sizeof *roundings };

enum lane_op lane_rounding_to(enum element_type type)
{
    for (int k = 0; k < ROUNDINGS; k++)
        if (roundings[k].type == type) return roundings[k].op;
    return LANE_OP_COUNT;
}

bool lane_is_rounded(const lane_program *p, lane_value v, enum element_type type)
{
    const struct lane_instruction *i = &p->code[v];
    if (i->op == LANE_SELECT)
        return lane_is_rounded(p, i->operand[1], type) && lane_is_rounded(p, i->operand[2], type);
    if (i->op == LANE_CONST) {
        const float x = f32_of_bits((uint32_t)i->bits);
        if (x != x) return !element_is_integer(type);
        const struct element_type_info *t = &element_types[type];
        return bits_of_f32((float)t->value(t->near((double)x))) == (uint32_t)i->bits;
    }
    for (int k = 0; k < ROUNDINGS; k++)
        if (roundings[k].type == type && roundings[k].op == i->op) return true;
    return false;
}
