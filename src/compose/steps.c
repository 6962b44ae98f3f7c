/* Writes abs, sqrt, and the functions that jump: sign, floor, round. */
#include "compose.h"

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
