/* Writes abs, sqrt, and the functions that jump: sign, floor, round, exponent. */
#include "compose.h"

#include <math.h>

struct number compose_abs(struct composer *c, struct number u) { return number_abs(c, u); }
struct number compose_sqrt(struct composer *c, struct number u) { return number_sqrt(c, u); }

struct number compose_sign(struct composer *c, struct number u)
{
    const lane_value zero = word_constant(c, 0);
    const lane_value y = word_select(c, word_is_negative(c, u.high), word_constant(c, -1), u.high);
    struct number s =
        number_of_word(word_select(c, word_op(c, LANE_LT, zero, u.high), word_constant(c, 1), y));
    s.bounded = true;
    return s;
}

/* Returns the integer high + low. Where `high` may have overflowed, the low word is NaN or counts for
 * nothing, and is left out. */
static struct number integer_of_words(struct composer *c, lane_value high, lane_value low)
{
    const lane_value zero = word_constant(c, 0), large = word_constant(c, 0x1p1000);
    const lane_value has_low = word_op(c, LANE_LT, word_abs(c, high), large);
    struct number y = word_quick_two_sum(c, high, word_select(c, has_low, low, zero));
    y.low = word_select(c, has_low, y.low, zero);
    return y;
}

/* Returns floor(u). The low word matters where the high word is an integer. */
struct number compose_floor(struct composer *c, struct number u)
{
    const struct number a = number_plain(c, u);
    const lane_value high = lane_floor(c->program, a.high);
    if (!a.has_low) return number_of_word(high);
    const lane_value low =
        word_select(c, word_op(c, LANE_EQ, high, a.high), lane_floor(c->program, a.low), word_constant(c, 0));
    return integer_of_words(c, high, low);
}

/* Rounds to an integer, also where the high word lies halfway between two integers. */
struct number compose_round(struct composer *c, struct number u)
{
    const struct number a = number_plain(c, u);
    const lane_value high = word_round(c, a.high), zero = word_constant(c, 0);
    if (!a.has_low) return number_of_word(high);
    const lane_value rest = word_sub(c, a.high, high), step = word_add(c, rest, rest);
    const lane_value is_half = word_op(c, LANE_EQ, word_abs(c, step), word_constant(c, 1));
    const lane_value beyond = word_op(c, LANE_LT, zero, word_mul(c, step, a.low));
    lane_value low = word_select(c, word_op(c, LANE_MAND, is_half, beyond), step, zero);
    low = word_select(c, word_op(c, LANE_EQ, rest, zero), word_round(c, a.low), low);
    return integer_of_words(c, high, low);
}

/* Returns the exponent of a word above 0, by its bits. A subnormal word is scaled first. */
static lane_value exponent_of_bits(struct composer *c, lane_value size)
{
    const bool is_f32 = c->kind == NUMBER_F32;
    const double scale = is_f32 ? 24 : 54;
    const lane_value tiny = word_op(c, LANE_LT, size, word_constant(c, is_f32 ? 0x1p-126 : 0x1p-1022));
    const lane_value scaled = word_mul(c, size, word_constant(c, is_f32 ? 0x1p24 : 0x1p54));
    const lane_value bits = word_bitcast(c, word_select(c, tiny, scaled, size));
    const lane_value e =
        word_of_integer(c, word_op(c, LANE_SHR, bits, word_bits(c, 23, 52)), is_f32 ? 127 : 1023);
    return word_sub(c, e, word_select(c, tiny, word_constant(c, scale), word_constant(c, 0)));
}

/* Returns 1 where high is a power of two and low makes it smaller, else 0. */
static lane_value one_below_power(struct composer *c, lane_value high, lane_value low)
{
    const lane_value exponent =
        word_op(c, LANE_AND, word_bitcast(c, high), word_bits(c, 0xff800000, UINT64_C(0xfff) << 52));
    const lane_value is_power = word_op(c, LANE_EQ, word_bitcast(c, exponent), high);
    const lane_value toward_zero = word_select(c, word_is_negative(c, high), word_neg(c, low), low);
    return word_select(c, word_op(c, LANE_MAND, is_power, word_is_negative(c, toward_zero)),
                       word_constant(c, 1), word_constant(c, 0));
}

/* Returns floor(log2|u|). It is -infinity at 0, infinity at both infinities, and NaN at NaN. */
struct number compose_exponent(struct composer *c, struct number u)
{
    const struct number a = number_plain(c, u);
    if (c->kind == NUMBER_F32 && c->program->profile.splits && !a.has_low)
        return number_of_word(lane_unary(c->program, LANE_EXPONENT, a.high));
    const lane_value size = word_abs(c, a.high), none = word_constant(c, (double)INFINITY);
    lane_value e = exponent_of_bits(c, size);
    if (a.has_low) e = word_sub(c, e, one_below_power(c, a.high, a.low));
    e = word_select(c, word_op(c, LANE_LT, size, none), e, size);
    return number_of_word(
        word_select(c, word_op(c, LANE_EQ, size, word_constant(c, 0)), word_neg(c, none), e));
}
