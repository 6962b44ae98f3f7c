/* Writes log and the functions that depend on it.
 *
 * log u = e ln 2 + log m, where u = 2^e m and m is in [sqrt(1/2), sqrt 2). Integer arithmetic on the bits
 * gives e and m. log m = 2 atanh(s) with s = (m - 1) / (m + 1). In double words, the first two terms of atanh
 * have all bits. */
#include "compose.h"
#include "extended_fit.h"

#include <math.h>

/* ln 2 in two parts, by kind. The first part ends in enough zeros for exact multiples by an exponent. */
static const struct word_pair ln2[] = {[NUMBER_DOUBLE_WORDS] = {0x1.62e42fefap-1, 0x1.cf79abc9e3b3ap-40},
                                       [NUMBER_F32] = {0x1.62e4p-1, 0x1.7f7d1cp-20},
                                       [NUMBER_F64] = {0x1.62e42fefa38p-1, 0x1.ef35793c7673p-45}};

/* Returns 2 + 2 z / 3 + z^2 P(z). */
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

/* Returns log((1 + s) / (1 - s)) = 2 s + s z Q(z), where z = s^2 and Q is the kernel. */
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
    lane_value bits; /* in words, an integer with the exponent of 2^exponent and some fraction */
};

/* Splits u. A subnormal's bits have no exponent. With `any_size`, words are scaled and the exponent is
 * corrected. */
static struct mantissa mantissa_of(struct composer *c, struct number u, bool any_size)
{
    enum { SCALE_EXPONENT = 24 };
    const uint64_t root32 = 0x3f3504f3, root64 = 0x3fe6a09e667f3bcd, one32 = 0x3f800000,
                   one64 = UINT64_C(0x3ff) << 52;
    const bool is_f32 = c->kind == NUMBER_F32;
    if (c->kind == NUMBER_DOUBLE_WORDS) /* A subnormal becomes a normal number below 1. */
        u = number_normalized(c, u);
    lane_value offset = word_constant(c, 0);
    if (any_size && is_f32) {
        const lane_value tiny = word_op(c, LANE_LT, u.high, word_constant(c, 0x1p-126));
        const lane_value scaled = word_mul(c, u.high, word_constant(c, 1 << SCALE_EXPONENT));
        u.high = word_select(c, tiny, scaled, u.high);
        offset = word_select(c, tiny, word_constant(c, SCALE_EXPONENT), offset);
    }
    const lane_value moved =
        word_op(c, LANE_IADD, word_bitcast(c, u.high), word_bits(c, one32 - root32, one64 - root64));
    const lane_value biased = word_op(c, LANE_SHR, moved, word_bits(c, 23, 52));
    lane_value e = word_of_integer(c, biased, is_f32 ? 127 : 1023);
    if (any_size && is_f32) e = word_sub(c, e, offset);
    lane_value m = word_op(c, LANE_AND, moved, word_bits(c, 0x7fffff, (UINT64_C(1) << 52) - 1));
    m = word_bitcast(c, word_op(c, LANE_IADD, m, word_bits(c, root32, root64)));
    struct mantissa y = {number_of_word(word_sub(c, m, word_constant(c, 1))), e, moved};
    if (u.has_low) /* |e| is at most 100 */
        y.rest = word_two_sum(c, y.rest.high, word_op(c, LANE_SCALE2, u.low, word_neg(c, e)));
    if (u.has_exponent) y.exponent = word_add(c, y.exponent, u.exponent);
    return y;
}

/* Returns log(1 + f) in f32 words. With S = 2 s = f / (1 + f/2) and z = S^2/4, it is S + S z Q(z)/2. The
 * coefficients include the powers of 2. For a subnormal f, S is f itself. */
static struct number log_of_small(struct composer *c, struct number f)
{
    const struct polynomial *p = word_kernel_polynomial(c, KERNEL_ATANH);
    double scaled[FIT_MAX_TERMS];
    for (unsigned k = 0; k <= p->degree; k++) scaled[k] = ldexp(p->coefficient[k], -(int)(2 * k + 3));
    const lane_value below = word_fma(c, f.high, word_constant(c, 0.5), word_constant(c, 1));
    const struct number s = number_over(c, f, number_of_word(below));
    const lane_value z = word_mul(c, s.high, s.high),
                     sum = word_mul(c, z, word_polynomial(c, scaled, p->degree + 1, z));
    return number_of_word(word_fma(c, s.high, sum, s.high));
}

static struct number log_of_mantissa(struct composer *c, struct mantissa m, bool is_small)
{
    const struct number two = number_integer(c, 2);
    const struct number log =
        is_small ? log_of_small(c, m.rest)
                 : log_of_ratio(c, number_over(c, m.rest, number_plus(c, two, m.rest)), KERNEL_ATANH);
    const lane_value high = word_constant(c, ln2[c->kind].high), low = word_constant(c, ln2[c->kind].low);
    if (c->kind != NUMBER_DOUBLE_WORDS)
        return number_of_word(word_fma(c, m.exponent, high, word_fma(c, m.exponent, low, log.high)));
    const struct number whole =
        word_quick_two_sum(c, word_mul(c, m.exponent, high), word_mul(c, m.exponent, low));
    return number_plus(c, whole, log);
}

/* Returns `y` where u > 0, -infinity where u is 0, and NaN elsewhere. */
static struct number where_positive(struct composer *c, struct number u, struct number y)
{
    const lane_value zero = word_constant(c, 0), positive = word_op(c, LANE_LT, zero, u.high);
    const lane_value other = word_select(c, word_op(c, LANE_EQ, u.high, zero),
                                         word_constant(c, -(double)INFINITY), word_constant(c, (double)NAN));
    y.high = word_select(c, positive, y.high, other);
    if (y.has_low) y.low = word_select(c, positive, y.low, zero);
    return y;
}

/* Returns log(u). In words, +inf and NaN give u itself. */
static struct number log_of(struct composer *c, struct number u, bool any_size)
{
    const struct number y = where_positive(c, u, log_of_mantissa(c, mantissa_of(c, u, any_size), false));
    if (c->kind == NUMBER_DOUBLE_WORDS) return y;
    return number_select(c, word_op(c, LANE_LT, u.high, word_constant(c, (double)INFINITY)), y, u);
}

/* Returns log(u). Subnormal f32 arguments are normal in f64. In f32 they need some more operations. Formulas
 * with larger arguments do without these operations, and measuring the plan shows whether this is enough. */
struct number compose_log(struct composer *c, struct number u)
{
    return log_of(c, u, composer_heeds(c, COMPOSE_FAR));
}

/* Returns a 2^-exponent by integer arithmetic on the bits of 2^exponent. The result is 0 for the largest
 * exponents. */
static lane_value divided_by_power(struct composer *c, lane_value a, struct mantissa m)
{
    const bool is_f32 = c->kind == NUMBER_F32;
    const uint64_t exponent32 = 0x7f800000, exponent64 = UINT64_C(0x7ff) << 52, twice32 = UINT64_C(254) << 23,
                   twice64 = UINT64_C(2046) << 52; /* twice the bias */
    const lane_value power = word_op(c, LANE_AND, m.bits, word_bits(c, exponent32, exponent64));
    const lane_value finite = word_at_most(c, word_bitcast(c, power), is_f32 ? 0x1p127 : 0x1p1023);
    const lane_value inverse = word_op(c, LANE_ISUB, word_bits(c, twice32, twice64), word_bitcast(c, finite));
    return word_mul(c, a, word_bitcast(c, inverse));
}

/* Returns log1p(u) in words. The sum v = 1 + u = 2^e m is rounded. Its rounding error u - (v - 1) corrects m,
 * so that m has all bits of u if the exponent is 0. No subnormal number is 1 + u. */
static struct number log1p_of_word(struct composer *c, struct number u)
{
    const lane_value one = word_constant(c, 1), v = word_add(c, u.high, one);
    const lane_value lost = word_sub(c, u.high, word_sub(c, v, one));
    struct mantissa m = mantissa_of(c, number_of_word(v), false);
    m.rest = number_plus(c, m.rest, number_of_word(divided_by_power(c, lost, m)));
    const struct number y =
        where_positive(c, number_of_word(v), log_of_mantissa(c, m, c->kind == NUMBER_F32));
    return number_select(c, word_op(c, LANE_LT, u.high, word_constant(c, (double)INFINITY)), y, u);
}

/* Returns log1p(u). If 1 + u has exponent 0, its fraction is u with all its bits. */
struct number compose_log1p(struct composer *c, struct number u)
{
    if (c->kind != NUMBER_DOUBLE_WORDS) return log1p_of_word(c, u);
    const struct number v = number_plus(c, number_integer(c, 1), u), plain = number_plain(c, u);
    struct mantissa m = mantissa_of(c, v, false);
    const lane_value near = word_op(c, LANE_EQ, m.exponent, word_constant(c, 0));
    m.rest = number_select(c, near, plain, m.rest);
    return number_where_tiny(c, u, u, where_positive(c, v, log_of_mantissa(c, m, false)));
}

/* Returns max(u, 0) + log1p(w), w = exp(-|u|). The logarithm is log((1 + s) / (1 - s)) with s = w / (2 +
 * w). */
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
