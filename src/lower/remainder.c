/* Remainders a - b*floor(a/b) and a - b*trunc(a/b) of two values. As written, the product would be rounded. A
 * quotient near an integer may be rounded to it, and the result would be off by b. Here the result is exact,
 * except that b is added to a remainder of the other sign with one rounding.
 *
 * Let x = |a|, y = |b|, and t = x/y, rounded. The whole part q of t is that of the exact quotient, or one
 * more: rounding never passes an integer. So x - q y is the remainder, or the remainder minus y. Both are
 * multiples of the last bit of x or y and smaller than y, so they are floats. This holds for t < 2^24 (2^53
 * in f64). */
#include "lowering.h"

/* In f64, a quotient of the first 29 bits times y of 24 bits is exact. So each step leaves less than 2^-28 of
 * the quotient, which is below 2^278 in f32 (the largest number by the smallest). The last step begins with a
 * quotient below 2^29. */
enum { QUOTIENT_BITS = 29, STEPS = 10, CUT = 53 - QUOTIENT_BITS };

/* Returns x - q y, with q the first bits of the whole part of x/y. The difference of f64 is exact.
 *
 * It is not negative in the last step. For an integer n up to 2^29 with x < n y, x is below n y by at least
 * the last bit of y, and x/y is below n by at least 2^-24. Half a unit of f64 there is 2^-25, so x/y is not
 * rounded to n. An earlier step may leave a negative difference, to which the next one adds y: its q is -1.
 */
static lane_value step(lane_program *p, lane_value x, lane_value y)
{
    const lane_value mask = lane_const_bits(p, LANE_I64, ~((UINT64_C(1) << CUT) - 1));
    const lane_value bits = lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_DIV, x, y));
    const lane_value first = lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_AND, bits, mask));
    return lane_sub(p, x, lane_mul(p, lane_floor(p, first), y));
}

/* Returns the remainder of f32 values by steps of f64. */
static lane_value by_steps(lane_program *p, lane_value x, lane_value y, unsigned steps)
{
    lane_value rest = lane_unary(p, LANE_WIDEN, x);
    y = lane_unary(p, LANE_WIDEN, y);
    while (steps--) rest = step(p, rest, y);
    return lane_unary(p, LANE_NARROW, rest);
}

/* Returns the remainder of x by y, of which neither is negative. */
static lane_value remainder_of(lane_program *p, lane_value x, lane_value y)
{
    const enum lane_type type = p->code[x].type;
    const lane_value t = lane_binary(p, LANE_DIV, x, y), zero = lane_const(p, type, 0);
    lane_value rest;
    if (p->profile.fma) {
        rest = lane_fma(p, lane_unary(p, LANE_NEG, lane_floor(p, t)), y, x);
        rest = lane_select(p, lane_less(p, rest, zero), lane_add(p, rest, y), rest);
    } else {
        rest = by_steps(p, x, y, 1);
    }
    if (type == LANE_F64) return rest;
    const lane_value is_near = lane_less(p, t, lane_f32(p, 0x1p24));
    return lane_rarely(p, lane_unary(p, LANE_MNOT, is_near), by_steps(p, x, y, STEPS), rest);
}

/* Returns the remainder with b's sign: if a has the other sign, y minus the remainder, unless that is 0. */
static lane_value with_sign_of_divisor(lane_program *p, lane_value rest, lane_value a, lane_value b)
{
    const lane_value zero = lane_const(p, p->code[a].type, 0);
    const lane_value differ =
        lane_binary(p, LANE_MOR, lane_binary(p, LANE_MAND, lane_less(p, a, zero), lane_less(p, zero, b)),
                    lane_binary(p, LANE_MAND, lane_less(p, zero, a), lane_less(p, b, zero)));
    const lane_value from_above = lane_binary(p, LANE_MAND, differ, lane_less(p, zero, rest));
    const lane_value other = lane_sub(p, lane_unary(p, LANE_ABS, b), rest);
    return lane_times_sign(p, lane_select(p, from_above, other, rest), b);
}

bool lower_remainder(struct lowering *l, const expr *e, bool wide, lane_value *out)
{
    const expr *dividend, *divisor;
    bool floors;
    lane_program *p = l->program;
    if (!expr_is_remainder(e, &dividend, &divisor, &floors) || (wide && !p->profile.fma)) return false;
    const lane_value a = lower_node(l, dividend, wide);
    const lane_value b = l->status ? 0 : lower_node(l, divisor, wide);
    if (l->status) return true;
    const lane_value rest = remainder_of(p, lane_unary(p, LANE_ABS, a), lane_unary(p, LANE_ABS, b));
    *out = floors ? with_sign_of_divisor(p, rest, a, b) : lane_times_sign(p, rest, a);
    return true;
}
