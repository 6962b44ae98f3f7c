/* Writes atan. A point p near the argument leaves one small quotient for an odd polynomial:
 * atan(t) = atan(p) + atan((t - p) / (1 + t p)). */
#include "compose.h"

/* -- words: p is 0, 1 or infinity, and the quotient is at most tan(pi/8) in size -- */

/* atan(t) = base + atan(top / bottom). Pairs have low words. */
struct reduced {
    struct number top, bottom;
    lane_value base; /* 0, pi/4 or pi/2, rounded */
};

static struct reduced reduce(struct composer *c, lane_value t)
{
    const double near_end = 0x1.a8279ap-2, far_begin = 0x1.3504f4p+1; /* about tan(pi/8) and tan(3 pi/8) */
    const double half_pi = word_pair_half_pi.high;
    const lane_value zero = word_constant(c, 0), one = word_constant(c, 1);
    const lane_value middle = word_op(c, LANE_LT, word_constant(c, near_end), t);
    const lane_value far = word_op(c, LANE_LT, word_constant(c, far_begin), t);
    struct reduced r = {.base = word_select(c, middle, word_constant(c, half_pi / 2), zero)};
    if (c->ways & COMPOSE_PAIRS) {
        const lane_value p = word_select(c, far, zero, word_select(c, middle, one, zero));
        /* p is 1 or larger than t where the difference is rounded. */
        r.top = word_quick_two_sum(c, word_neg(c, p), t);
        r.bottom = number_of_word(word_fma(c, t, p, one));
        r.bottom.low = word_fma(c, t, p, word_sub(c, one, r.bottom.high));
        r.bottom.has_low = true;
    } else {
        r.top = number_of_word(word_select(c, middle, word_sub(c, t, one), t));
        r.bottom = number_of_word(word_select(c, middle, word_add(c, t, one), one));
    }
    r.top.high = word_select(c, far, word_constant(c, -1), r.top.high);
    r.bottom.high = word_select(c, far, t, r.bottom.high);
    r.base = word_select(c, far, word_constant(c, half_pi), r.base);
    return r;
}

static struct number word_atan(struct composer *c, lane_value t)
{
    const struct reduced r = reduce(c, t);
    const struct number s = number_over(c, r.top, r.bottom);
    const lane_value z = word_mul(c, s.high, s.high), cube = word_mul(c, s.high, z),
                     kernel = word_kernel(c, KERNEL_ATAN, z);
    if (!composer_heeds(c, COMPOSE_CAREFUL) || c->kind != NUMBER_F32)
        return number_of_word(word_add(c, r.base, word_fma(c, cube, kernel, s.high)));
    /* The low words of 0, pi/4 and pi/2 are one share of these numbers. */
    const double high = word_pair_half_pi.high;
    const lane_value share = word_constant(c, high / (double)(float)high - 1);
    if (!(c->ways & COMPOSE_PAIRS)) {
        const lane_value low = word_fma(c, cube, kernel, word_mul(c, r.base, share));
        return number_of_word(word_add(c, r.base, word_add(c, s.high, low)));
    }
    struct number y = word_quick_two_sum(c, r.base, s.high);
    y.low = word_add(c, word_fma(c, r.base, share, y.low), s.low);
    y.low = word_fma(c, cube, kernel, y.low);
    y.loose = true;
    return y;
}

/* -- double words --
 *
 * s is t or 1/t, whichever is at most 1. s is near one of nine corners k/8. The quotient is at most 1/16, and
 * no other value needs more than 53 bits. */

/* Returns atan(q), for |q| <= 1/16. */
static struct number atan_near_zero(struct composer *c, struct number q)
{
    const lane_value z = word_mul(c, q.high, q.high);
    const lane_value cube = word_mul(c, word_mul(c, q.high, z), word_kernel(c, KERNEL_ATAN, z));
    return word_quick_two_sum(c, q.high, word_add(c, number_low(c, q), cube));
}

static struct number double_words_atan(struct composer *c, struct number size)
{
    enum { CORNERS = 9, LOG2_STEPS = 3, LOG2_ENTRIES = 4 };
    const lane_value shifter =
        /* Adding this number rounds. The last bits of the sum then hold the integer. */
        word_constant(c, 0x1.8p52);
    const struct number one = number_integer(c, 1);
    /* Beyond 2^100, the result is pi/2 to 30 digits. */
    const struct number t = number_clamped(c, size, 0, 0x1p100);
    const lane_value large = word_op(c, LANE_LT, one.high, t.high);
    const lane_value s = word_select(c, large, word_div(c, one.high, t.high), t.high);
    const lane_value shifted = word_fma(c, s, word_constant(c, 8), shifter);
    const lane_value eighths = word_sub(c, shifted, shifter);
    const struct number corner = number_of_word(word_mul(c, eighths, word_constant(c, 0.125)));
    const struct number product = number_times(c, t, corner);
    const struct number top =
        number_select(c, large, number_minus(c, one, product), number_minus(c, t, corner));
    const struct number bottom =
        number_select(c, large, number_plus(c, t, corner), number_plus(c, one, product));
    const struct number part = atan_near_zero(c, number_over(c, top, bottom));
    const struct number base =
        word_table(c, mpfr_atan, CORNERS, LOG2_STEPS, LOG2_ENTRIES, word_bitcast(c, shifted));
    const struct number angle = number_plus(c, base, part);
    const struct number half_pi = number_of_pair(c, word_pair_half_pi);
    return number_select(c, large, number_minus(c, half_pi, angle), angle);
}

struct number compose_atan(struct composer *c, struct number whole)
{
    const struct number u = number_plain(c, whole), t = number_abs(c, u);
    const struct number y = c->kind == NUMBER_DOUBLE_WORDS ? double_words_atan(c, t) : word_atan(c, t.high);
    return number_where_tiny(c, whole, whole, number_with_sign_of(c, y, u));
}
