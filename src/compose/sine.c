/* Writes sin and cos: a reduction to quarter turns, and polynomials near 0. turn_parts.c has f32. */
#include "compose.h"
#include "quarter_turns.h"

static struct number sine_near_zero(struct composer *c, struct number r)
{
    const lane_value z = word_mul(c, r.high, r.high), cube = word_mul(c, r.high, z);
    const lane_value rest = word_kernel(c, KERNEL_SIN, z);
    if (c->kind != NUMBER_DOUBLE_WORDS) return number_of_word(word_fma(c, cube, rest, r.high));
    const lane_value slope = word_fma(c, z, word_constant(c, -0.5), word_constant(c, 1));
    return word_quick_two_sum(c, r.high, word_fma(c, number_low(c, r), slope, word_mul(c, cube, rest)));
}

static struct number cosine_near_zero(struct composer *c, struct number r)
{
    const bool words = c->kind == NUMBER_F64;
    const struct number z =
        words ? number_of_word(word_mul(c, r.high, r.high)) : word_two_product(c, r.high, r.high);
    const lane_value minus_half = word_constant(c, -0.5), one = word_constant(c, 1);
    const lane_value square = word_mul(c, z.high, z.high), rest = word_kernel(c, KERNEL_COS, z.high);
    if (words) return number_of_word(word_fma(c, square, rest, word_fma(c, z.high, minus_half, one)));
    const struct number main = word_quick_two_sum(c, one, word_mul(c, z.high, minus_half));
    lane_value low = word_fma(c, z.low, minus_half, main.low);
    low = word_sub(c, low, word_mul(c, r.high, number_low(c, r)));
    return word_quick_two_sum(c, main.high, word_add(c, low, word_mul(c, square, rest)));
}

static lane_value bit_is_set(struct composer *c, lane_value integer, uint64_t bit)
{
    const lane_value masked = word_op(c, LANE_AND, integer, word_bits(c, 0, bit));
    return word_op(c, LANE_ILT, word_bits(c, 0, 0), masked);
}

/* Returns sin(u + quarters * pi/2). In double words, a small u is not reduced. */
static struct number sine(struct composer *c, const expr *argument, struct number whole, unsigned quarters)
{
    if (c->kind == NUMBER_F32) return sine_by_turn_parts(c, argument, quarters == 1);
    const struct number u = number_plain(c, whole);
    const struct quarter_turns t = quarter_turns_of(c, argument, u, quarters);
    struct number r = number_times(c, t.rest, number_of_pair(c, word_pair_half_pi));
    if (c->kind == NUMBER_DOUBLE_WORDS) {
        const lane_value is_near = word_op(c, LANE_LT, word_abs(c, u.high), word_constant(c, 0.75));
        r = number_select(c, is_near, number_clamped(c, u, -1, 1), r);
    }
    struct number y =
        number_select(c, bit_is_set(c, t.quarters, 1), cosine_near_zero(c, r), sine_near_zero(c, r));
    y = number_select(c, bit_is_set(c, t.quarters, 2), number_neg(c, y), y);
    return quarters ? y : number_where_tiny(c, whole, whole, y);
}

struct number compose_sine(struct composer *c, const expr *argument, struct number u)
{
    return sine(c, argument, u, 0);
}

struct number compose_cosine(struct composer *c, const expr *argument, struct number u)
{
    return sine(c, argument, u, 1);
}
