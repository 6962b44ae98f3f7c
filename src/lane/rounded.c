/* Rounds to an element type, by its op or by arithmetic. Also tells which values are rounded already. */
#include "float_bits.h"
#include "lane.h"

#include <math.h>

static const struct {
    enum element_type type;
    enum lane_op op;
} roundings[] = {
    /* the op to nearest, ties to even, comes first */
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

bool lane_op_rounds_to(enum element_type *type, enum lane_op op)
{
    int k = 0;
    while (k < ROUNDINGS && roundings[k].op != op) k++;
    if (k < ROUNDINGS) *type = roundings[k].type;
    return k < ROUNDINGS;
}

static lane_value unless_nan(lane_program *p, lane_value v, lane_value rounded, lane_value nan)
{
    return lane_select(p, lane_binary(p, LANE_EQ, v, v), rounded, nan);
}

/* Returns the nearest whole number of the type. -0 becomes 0. */
static lane_value integer_by_arithmetic(lane_program *p, lane_value v, enum element_type type)
{
    const lane_value zero = lane_f32(p, 0),
                     whole = lane_binary(p, LANE_ADD, lane_unary(p, LANE_ROUND, v), zero);
    const lane_value above = lane_binary(p, LANE_MAX, whole, lane_f32(p, element_least(type)));
    return unless_nan(p, v, lane_binary(p, LANE_MIN, above, lane_f32(p, element_most(type))), zero);
}

/* Returns the largest power of two that is not above |v|, and NaN for infinity. */
static lane_value power_by_arithmetic(lane_program *p, lane_value v, enum element_type type)
{
    const lane_value bits = lane_unary(p, LANE_BITCAST, v),
                     power = lane_unary(p, LANE_BITCAST,
                                        lane_binary(p, LANE_AND, bits, lane_const(p, LANE_I32, 0x7f800000)));
    const lane_value within =
        lane_binary(p, LANE_MAX, power, lane_f32(p, ldexp(1, element_types[type].format.min_exponent)));
    return lane_select(p, lane_less(p, power, lane_f32(p, (double)INFINITY)), within,
                       lane_f32(p, (double)NAN));
}

/* Rounds to a type that has fewer exponents than f32, or an op of its own. It adds a power of two whose sum
 * with |v| has the type's spacing at v, and subtracts it again. */
lane_value lane_rounded_by_arithmetic(lane_program *p, lane_value v, enum element_type type)
{
    enum { PRECISION = 24, EXPONENT_AT = 23 };
    const struct float_format *f = &element_types[type].format;
    if (element_is_integer(type)) return integer_by_arithmetic(p, v, type);
    if (element_is_power(type)) return power_by_arithmetic(p, v, type);
    const lane_value size =
        lane_binary(p, LANE_MIN, lane_unary(p, LANE_ABS, v), lane_f32(p, ldexp(1, f->max_exponent + 1)));
    const lane_value normal = lane_binary(p, LANE_MAX, size, lane_f32(p, ldexp(1, f->min_exponent)));
    const lane_value exponent =
        lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, normal), lane_const(p, LANE_I32, 0x7f800000));
    const lane_value steps = lane_const(p, LANE_I32, (PRECISION - f->precision) << EXPONENT_AT);
    const lane_value power = lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_IADD, exponent, steps));
    const lane_value rounded = lane_binary(p, LANE_SUB, lane_binary(p, LANE_ADD, size, power), power);
    const lane_value largest = lane_f32(p, f->largest),
                     beyond = lane_f32(p, f->has_infinity ? (double)INFINITY : f->largest);
    const lane_value cut = lane_select(p, lane_less(p, largest, rounded), beyond, rounded);
    return unless_nan(p, v, lane_times_sign(p, cut, v), v);
}

lane_value lane_rounded_to(lane_program *p, lane_value v, enum element_type type)
{
    const enum lane_op op = lane_rounding_to(type);
    return op == LANE_OP_COUNT ? lane_rounded_by_arithmetic(p, v, type) : lane_unary(p, op, v);
}

bool lane_is_rounded(const lane_program *p, lane_value v, enum element_type type)
{
    const struct lane_instruction *i = &p->code[v];
    if (lane_is_choice(i->op))
        return lane_is_rounded(p, i->operand[1], type) && lane_is_rounded(p, i->operand[2], type);
    if (i->op == LANE_CONST) {
        const float x = f32_of_bits((uint32_t)i->bits);
        if (x != x) return !element_is_integer(type);
        const struct element_type_info *t = &element_types[type];
        return bits_of_f32((float)t->value(t->near((double)x))) == (uint32_t)i->bits;
    }
    enum element_type rounded;
    return lane_op_rounds_to(&rounded, i->op) && rounded == type;
}
