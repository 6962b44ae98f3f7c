/* log and what is made of it.
 *
 * log u = e ln 2 + log m, u = 2^e m, m in [sqrt(1/2), sqrt 2), by integer arithmetic on the bits;
 * log m = 2 atanh(s), s = (m - 1) / (m + 1), of which the first two terms have all bits of double words. */
#include "compose.h"
#include "extended_fit.h"

#include <math.h>

/* ln 2 in two parts: the first ends in enough zeros for its multiples by an exponent to be exact. By kind. */
static const struct word_pair ln2[] = {[NUMBER_DOUBLE_WORDS] = {0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40},
                                       [NUMBER_F32] = {0x1.62e4p-1, 0x1.7f7d1cp-20},
                                       [NUMBER_F64] = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45}};

/* 2 + 2 z / 3 + z^2 P(z) */
static struct number even_part(struct composer *c, struct number z, enum kernel_function kernel)
{
    const struct polynomial *p = word_kernel_polynomial(c, kernel);
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    mpfr_set_ui(value, 2, MPFR_RNDN);
    mpfr_div_ui(value, value, 3, MPFR_RNDN);
    const struct number third = number_of_mpfr(c, value);
    mpfr_clear(value);
    const lane_value tail = word_polynomial(c, p->coefficient + 1, p->degree, z.high);
    struct number w = word_quick_two_sum(c, third.high, word_mul(c, tail, z.high));
    w.low = word_add(c, w.low, third.low);
    w = number_times(c, w, z);
    struct number sum = word_quick_two_sum(c, word_constant(c, 2), w.high);
    sum.low = word_add(c, sum.low, w.low);
    sum.bounded = true;
    return sum;
}

/* log((1 + s) / (1 - s)) = 2 s + s z Q(z), z = s^2, Q the kernel. */
static struct number log_of_ratio(struct composer *c, struct number s, enum kernel_function kernel)
{
    const struct number plain = number_plain(c, s), z = number_times(c, plain, plain);
    if (c->kind == NUMBER_DOUBLE_WORDS) return number_times(c, s, even_part(c, z, kernel));
    const lane_value sum = word_fma(c, z.high, word_kernel(c, kernel, z.high), word_constant(c, 2));
    return number_times(c, s, number_of_word(sum));
}

struct mantissa { /* u = 2^exponent (1 + rest) */
    struct number rest;
    lane_value exponent;
};

static struct mantissa mantissa_of(struct composer *c, struct number u)
{
    const uint64_t root32 = 0x3f3504f3, root64 = 0x3fe6a09e667f3bcd, one32 = 0x3f800000,
                   one64 = UINT64_C(0x3ff) << 52;
    const bool is_f32 = c->kind == NUMBER_F32;
    if (c->kind == NUMBER_DOUBLE_WORDS)
        u = number_normalized(c, u); /* a subnormal's high part is below 1, and normal */
    const lane_value moved =
        word_op(c, LANE_IADD, word_bitcast(c, u.high), word_bits(c, one32 - root32, one64 - root64));
    const lane_value biased = word_op(c, LANE_SHR, moved, word_bits(c, 23, 52));
    const lane_value e = word_of_integer(c, biased, is_f32 ? 127 : 1023);
    lane_value m = word_op(c, LANE_AND, moved, word_bits(c, 0x7fffff, (UINT64_C(1) << 52) - 1));
    m = word_bitcast(c, word_op(c, LANE_IADD, m, word_bits(c, root32, root64)));
    struct mantissa y = {number_of_word(word_sub(c, m, word_constant(c, 1))), e};
    if (u.has_low) /* |e| is at most 100 */
        y.rest = word_two_sum(c, y.rest.high, word_op(c, LANE_SCALE2, u.low, word_neg(c, e)));
    if (u.has_exponent) y.exponent = word_add(c, y.exponent, u.exponent);
    return y;
}

static struct number log_of_mantissa(struct composer *c, struct mantissa m)
{
    const struct number s = number_over(c, m.rest, number_plus(c, number_integer(c, 2), m.rest));
    const struct number log = log_of_ratio(c, s, KERNEL_ATANH);
    const lane_value high = word_constant(c, ln2[c->kind].high), low = word_constant(c, ln2[c->kind].low);
    if (c->kind != NUMBER_DOUBLE_WORDS)
        return number_of_word(word_fma(c, m.exponent, high, word_fma(c, m.exponent, low, log.high)));
    const struct number whole =
        word_quick_two_sum(c, word_mul(c, m.exponent, high), word_mul(c, m.exponent, low));
    return number_plus(c, whole, log);
}

/* `y` where u > 0, else -infinity at 0 and NaN. */
static struct number where_positive(struct composer *c, struct number u, struct number y)
{
    const lane_value zero = word_constant(c, 0), positive = word_op(c, LANE_LT, zero, u.high);
    const lane_value other = word_select(c, word_op(c, LANE_EQ, u.high, zero),
                                         word_constant(c, -(double)INFINITY), word_constant(c, (double)NAN));
    y.high = word_select(c, positive, y.high, other);
    if (y.has_low) y.low = word_select(c, positive, y.low, zero);
    return y;
}

/* Words are u itself for +inf and NaN. Subnormal f32 arguments are normal in f64; in f32 the plan is measured. */
struct number compose_log(struct composer *c, struct number u)
{
    const struct number y = where_positive(c, u, log_of_mantissa(c, mantissa_of(c, u)));
    if (c->kind == NUMBER_DOUBLE_WORDS) return y;
    return number_select(c, word_op(c, LANE_LT, u.high, word_constant(c, (double)INFINITY)), y, u);
}

/* log(v) + (u - (v - 1)) / v with v = 1 + u rounded: the second term is what the rounding lost. */
static struct number log1p_of_word(struct composer *c, lane_value u)
{
    const lane_value one = word_constant(c, 1), v = word_add(c, u, one);
    const lane_value lost = word_div(c, word_sub(c, u, word_sub(c, v, one)), v);
    const lane_value inside = word_op(c, LANE_MAND, word_op(c, LANE_LT, word_constant(c, 0), v),
                                      word_op(c, LANE_LT, u, word_constant(c, (double)INFINITY)));
    const lane_value log = compose_log(c, number_of_word(v)).high;
    return number_of_word(word_select(c, inside, word_add(c, log, lost), log));
}

/* Where 1 + u has exponent 0 its fraction is u with all its bits. */
struct number compose_log1p(struct composer *c, struct number u)
{
    if (c->kind != NUMBER_DOUBLE_WORDS) return log1p_of_word(c, u.high);
    const struct number v = number_plus(c, number_integer(c, 1), u), plain = number_plain(c, u);
    struct mantissa m = mantissa_of(c, v);
    const lane_value near = word_op(c, LANE_EQ, m.exponent, word_constant(c, 0));
    m.rest = number_select(c, near, plain, m.rest);
    return number_where_tiny(c, u, u, where_positive(c, v, log_of_mantissa(c, m)));
}

/* max(u, 0) + log1p(w), w = exp(-|u|), which is log((1 + s) / (1 - s)) with s = w / (2 + w). */
struct number compose_softplus(struct composer *c, struct number u)
{
    const struct number w = compose_exp(c, number_neg(c, number_abs(c, u)));
    struct number below = number_plus(c, number_integer(c, 2), number_plain(c, w));
    below.bounded = true;
    const struct number log = log_of_ratio(c, number_over(c, w, below), KERNEL_LOG1P);
    if (c->kind != NUMBER_DOUBLE_WORDS)
        return number_plus(c, number_of_word(word_at_least(c, u.high, 0)), log);
    const struct number above = number_plus(c, number_plain(c, u), number_plain(c, log));
    return number_select(c, word_is_negative(c, u.high), log, above);
}
