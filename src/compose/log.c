/* Writes log and the functions that depend on it.
 *
 * log u = e ln 2 + log m, where u = 2^e m and m is in [sqrt(1/2), sqrt 2). Integer arithmetic on the bits
 * gives e and m. log m = 2 atanh(s) with s = (m - 1) / (m + 1). In double words, the first two terms of atanh
 * have all bits. */
#include "compose.h"
#include "extended_fit.h"
#include "float_bits.h"
#include "log_table.h"

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

enum { SCALE_EXPONENT = 24, SCALE_EXPONENT_F64 = 54 };

/* Returns whether a word u is below the normal numbers: subnormal, zero or negative. */
static lane_value is_tiny_argument(struct composer *c, lane_value u)
{
    return word_op(c, LANE_LT, u, word_constant(c, c->kind == NUMBER_F32 ? 0x1p-126 : 0x1p-1022));
}

static bool takes_tiny_for_zero(const struct composer *c) { return c->flushes && c->kind == NUMBER_F32; }

/* Returns whether log must be right for subnormal numbers. */
static bool heeds_subnormal(struct composer *c)
{
    if (c->kind == NUMBER_F64) return c->of_f64;
    return !takes_tiny_for_zero(c) && composer_heeds(c, COMPOSE_FAR);
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
    const uint64_t root32 = 0x3f3504f3, root64 = 0x3fe6a09e667f3bcd, one32 = 0x3f800000,
                   one64 = UINT64_C(0x3ff) << 52;
    const bool is_f32 = c->kind == NUMBER_F32;
    if (c->kind == NUMBER_DOUBLE_WORDS) /* A subnormal becomes a normal number below 1. */
        u = number_normalized(c, u);
    lane_value offset = word_constant(c, 0);
    const bool is_scaled = any_size && c->kind != NUMBER_DOUBLE_WORDS;
    const double scale_exponent = is_f32 ? SCALE_EXPONENT : SCALE_EXPONENT_F64;
    if (is_scaled) {
        const lane_value tiny = is_tiny_argument(c, u.high);
        const lane_value scaled =
            word_mul(c, u.high, word_constant(c, is_f32 ? 1 << SCALE_EXPONENT : 0x1p54));
        u.high = word_select(c, tiny, scaled, u.high);
        offset = word_select(c, tiny, word_constant(c, scale_exponent), offset);
    }
    const lane_value moved =
        word_op(c, LANE_IADD, word_bitcast(c, u.high), word_bits(c, one32 - root32, one64 - root64));
    const lane_value biased = word_op(c, LANE_SHR, moved, word_bits(c, 23, 52));
    lane_value e = word_of_integer(c, biased, is_f32 ? 127 : 1023);
    if (is_scaled) e = word_sub(c, e, offset);
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

/* Returns `y` where u > 0 (or no tiny number, which may count as 0), -infinity where u
 * is 0, and NaN elsewhere. */
static struct number where_positive(struct composer *c, struct number u, struct number y)
{
    const bool takes_tiny = takes_tiny_for_zero(c);
    const lane_value zero = word_constant(c, 0);
    const lane_value positive = takes_tiny ? word_op(c, LANE_LE, word_constant(c, 0x1p-126), u.high)
                                           : word_op(c, LANE_LT, zero, u.high);
    const lane_value is_zero =
        takes_tiny ? word_op(c, LANE_LE, zero, u.high) : word_op(c, LANE_EQ, u.high, zero);
    const lane_value other =
        word_select(c, is_zero, word_constant(c, -(double)INFINITY), word_constant(c, (double)NAN));
    y.high = word_select(c, positive, y.high, other);
    if (y.has_low) y.low = word_select(c, positive, y.low, zero);
    return y;
}

/* -- by tables, in f32 words -- */

/* u = 2^exponent significand, with a significand in [1, 2). The exponent is -inf for zeros and inf for inf,
 * and for negative numbers one of the two is NaN. The logarithm then needs no choice. */
struct split {
    lane_value exponent, significand;
    double step; /* The exponent counts in steps of this power of two. */
    /* The significand's rounding error, which is to be added. */
    lane_value lost;
    bool has_lost;
};

/* Bits that have the significand of u as their last 23 bits, and above them its exponent plus a bias. */
struct biased_bits {
    lane_value bits;
    /* It is negative, and counts in steps. With it, the exponent is -inf for zeros, inf for inf, and NaN for
     * negative numbers and NaN. */
    lane_value bias;
};

/* The exponent with its bias becomes a number as the last bits of 1.5 2^23 steps. */
static lane_value bias_of(struct composer *c, double step, unsigned bias)
{
    return word_constant(c, -step * (0x1.8p23 + bias));
}

enum { BIAS = 127 };

/* Scales subnormal numbers. Adds a root to the bias, in such steps that a finite root changes nothing. Roots
 * are below 2^64. The root's operations are few, but they need a divider. */
static struct biased_bits bits_by_root(struct composer *c, lane_value u, double step, bool any_size)
{
    const lane_value zero = word_constant(c, 0);
    lane_value scaled = word_add(c, u, zero); /* It is +0 for -0. */
    lane_value bias = bias_of(c, step, BIAS);
    if (any_size) {
        const lane_value tiny = is_tiny_argument(c, u);
        scaled = word_select(c, tiny, word_fma(c, u, word_constant(c, 1 << SCALE_EXPONENT), zero), u);
        bias = word_select(c, tiny, bias_of(c, step, BIAS + SCALE_EXPONENT), bias);
    }
    const lane_value bits = word_bitcast(c, scaled);
    /* The bits less those of the exponent 1: -inf for 0, and above the bias for positive numbers. */
    const lane_value sized =
        takes_tiny_for_zero(c) ? word_op(c, LANE_AND, bits, word_bits(c, 0xff800000, 0)) : bits;
    const lane_value less = word_bitcast(c, word_op(c, LANE_ISUB, sized, word_bits(c, 0x00800000, 0)));
    bias = word_add(c, lane_unary(c->program, LANE_SQRT, u), word_op(c, LANE_MIN, less, bias));
    return (struct biased_bits){bits, bias};
}

/* Scales subnormal numbers, and adds to the exponent's bits of the others instead. Adds u to the bias, in
 * such steps that a finite u changes nothing. */
static struct biased_bits bits_by_choices(struct composer *c, lane_value u, double step, bool any_size)
{
    const lane_value zero = word_constant(c, 0);
    struct biased_bits y = {word_bitcast(c, u), bias_of(c, step, BIAS)};
    if (any_size) {
        const lane_value scaled = word_mul(c, u, word_constant(c, 1 << SCALE_EXPONENT));
        const lane_value moved = word_op(c, LANE_IADD, y.bits, word_bits(c, SCALE_EXPONENT << 23, 0));
        y.bits = word_select(c, is_tiny_argument(c, u), word_bitcast(c, scaled), moved);
        y.bias = bias_of(c, step, BIAS + SCALE_EXPONENT);
    }
    const lane_value is_zero = takes_tiny_for_zero(c) ? is_tiny_argument(c, u) : word_op(c, LANE_EQ, u, zero);
    const lane_value is_negative = word_op(c, LANE_LT, u, zero);
    const lane_value known = word_select(c, is_negative, word_constant(c, (double)NAN), u);
    const lane_value start = word_select(c, is_zero, word_constant(c, -(double)INFINITY), y.bias);
    y.bias = word_fma(c, known, word_constant(c, 0x1p-126), start);
    return y;
}

/* Splits u by its bits. With `any_size`, u may be subnormal. */
static struct split split_of_bits(struct composer *c, lane_value u, bool any_size)
{
    const double step = c->has_roots ? 0x1p68 : 0x1p8;
    const uint64_t start = bits_of_f32((float)(0x1.8p23 * step));
    const struct biased_bits y =
        c->has_roots ? bits_by_root(c, u, step, any_size) : bits_by_choices(c, u, step, any_size);
    const lane_value biased = word_op(c, LANE_SHR, y.bits, word_bits(c, 23, 0));
    const lane_value e = word_bitcast(c, word_op(c, LANE_OR, biased, word_bits(c, start, 0)));
    const lane_value fraction = word_op(c, LANE_AND, y.bits, word_bits(c, 0x7fffff, 0));
    const lane_value m = word_op(c, LANE_OR, fraction, word_bits(c, 0x3f800000, 0));
    const lane_value exponent = word_add(c, e, y.bias);
    return (struct split){.exponent = exponent, .significand = word_bitcast(c, m), .step = step};
}

static struct split split_of(struct composer *c, lane_value u, bool any_size)
{
    lane_program *p = c->program;
    if (!p->profile.splits) return split_of_bits(c, u, any_size);
    return (struct split){.exponent = lane_unary(p, LANE_EXPONENT, u),
                          .significand = lane_unary(p, LANE_SIGNIFICAND, u),
                          .step = 1};
}

enum log_column { LOG_RECIPROCAL, LOG_HIGH, LOG_LOW };

static lane_value look_up(struct composer *c, const struct log_table *t, enum log_column column, lane_value j)
{
    uint64_t bits[1 << LOG_TABLE_MOST_BITS];
    for (unsigned k = 0; k < 1u << t->bits; k++) {
        const double entry = column == LOG_RECIPROCAL ? t->reciprocal[k]
                             : column == LOG_HIGH     ? t->log[k].high
                                                      : t->log[k].low;
        bits[k] = bits_of_f32((float)entry);
    }
    return lane_lookup(c->program, lane_table_add(c->program, LANE_F32, t->bits, bits), j);
}

/* Returns factor (log1p(r) - r) / r^2. */
static lane_value rest_of_log1p(struct composer *c, const struct log_table *t, lane_value r)
{
    const struct polynomial *p =
        word_kernel_polynomial(c, (enum kernel_function)(KERNEL_LOG_BY_8 + (t->bits - LOG_TABLE_LEAST_BITS)));
    double scaled[FIT_MAX_TERMS];
    for (unsigned k = 0; k <= p->degree; k++) scaled[k] = p->coefficient[k] * t->factor;
    return word_polynomial(c, scaled, p->degree + 1, r);
}

/* Returns m c - 1, for the reciprocal c. With care, the low word has what adding m's rounding error lost. */
static struct number rest_of(struct composer *c, struct split u, lane_value reciprocal)
{
    const lane_value r = word_fma(c, u.significand, reciprocal, word_constant(c, -1));
    if (!u.has_lost) return number_of_word(r);
    if (c->ways & COMPOSE_CAREFUL) return word_quick_two_sum(c, r, word_mul(c, u.lost, reciprocal));
    return number_of_word(word_fma(c, u.lost, reciprocal, r));
}

/* Returns factor * log(u). With care, the parts of the sum keep their low words, and the largest part is
 * exact. Only r and the two last sums are rounded. */
static lane_value log_by_table(struct composer *c, mpfr_srcptr factor, struct split u)
{
    const bool careful = composer_heeds(c, COMPOSE_CAREFUL);
    struct log_table t;
    log_table_make(&t, c->log_bits, factor, careful);
    const lane_value j = word_op(c, LANE_SHR, word_bitcast(c, u.significand), word_bits(c, 23 - t.bits, 0));
    const struct number rest = rest_of(c, u, look_up(c, &t, LOG_RECIPROCAL, j));
    const lane_value high =
        word_fma(c, u.exponent, word_constant(c, t.ln2.high / u.step), look_up(c, &t, LOG_HIGH, j));
    const lane_value r = rest.high, beyond = rest_of_log1p(c, &t, r), one = word_constant(c, t.factor);
    if (!careful) return word_fma(c, word_fma(c, beyond, r, one), r, high);
    lane_value low = look_up(c, &t, LOG_LOW, j);
    if (t.ln2.low != 0) low = word_fma(c, u.exponent, word_constant(c, t.ln2.low / u.step), low);
    if (rest.has_low) low = word_fma(c, rest.low, one, low);
    low = word_fma(c, word_mul(c, r, r), beyond, low);
    return word_add(c, high, t.factor == 1 ? word_add(c, r, low) : word_fma(c, r, one, low));
}

/* Returns log(u). In words, +inf and NaN give u itself. */
static struct number log_of(struct composer *c, struct number u, bool any_size)
{
    const struct number y = where_positive(c, u, log_of_mantissa(c, mantissa_of(c, u, any_size), false));
    if (c->kind == NUMBER_DOUBLE_WORDS) return y;
    return number_select(c, word_op(c, LANE_LT, u.high, word_constant(c, (double)INFINITY)), y, u);
}

struct number compose_log_times(struct composer *c, mpfr_srcptr factor, struct number u)
{
    const bool any_size = !c->program->profile.splits && heeds_subnormal(c);
    return number_of_word(log_by_table(c, factor, split_of(c, u.high, any_size)));
}

/* Returns log(u). Subnormal f32 arguments are normal in f64. In f32 they need some more operations. Formulas
 * with larger arguments do without these operations, and measuring the plan shows whether this is enough. */
struct number compose_log(struct composer *c, struct number u)
{
    if (composer_heeds(c, COMPOSE_TABLES)) return compose_log_times(c, NULL, u);
    return log_of(c, u, heeds_subnormal(c));
}

/* Returns a 2^-exponent by integer arithmetic on the bits of a number with this exponent. The result is 0 for
 * the largest exponents. */
static lane_value divided_by_power(struct composer *c, lane_value a, lane_value bits)
{
    const bool is_f32 = c->kind == NUMBER_F32;
    const uint64_t exponent32 = 0x7f800000, exponent64 = UINT64_C(0x7ff) << 52, twice32 = UINT64_C(254) << 23,
                   twice64 = UINT64_C(2046) << 52; /* twice the bias */
    const lane_value power = word_op(c, LANE_AND, bits, word_bits(c, exponent32, exponent64));
    const lane_value finite = word_at_most(c, word_bitcast(c, power), is_f32 ? 0x1p127 : 0x1p1023);
    const lane_value inverse = word_op(c, LANE_ISUB, word_bits(c, twice32, twice64), word_bitcast(c, finite));
    return word_mul(c, a, word_bitcast(c, inverse));
}

/* 1 + u, or half of it where u is a sum of two halves, and its rounding error. */
struct one_more {
    lane_value argument; /* u or u/2 */
    lane_value sum, lost;
    bool is_half;
};

static struct one_more one_more_than(struct composer *c, lane_value argument, bool is_half)
{
    const lane_value one = word_constant(c, is_half ? 0.5 : 1), sum = word_add(c, argument, one);
    const lane_value lost = word_sub(c, argument, word_sub(c, sum, one));
    return (struct one_more){argument, sum, lost, is_half};
}

/* Returns log1p(u) in f32 words, as log(v) with v = 1 + u, and with the rounding error of v. Infinity has the
 * error NaN, which the limit 1 takes away. */
static struct number log1p_by_table(struct composer *c, struct one_more v)
{
    struct split parts = split_of(c, v.sum, false);
    if (v.is_half) parts.exponent = word_add(c, parts.exponent, word_constant(c, parts.step));
    const lane_value lost = word_op(c, LANE_MIN, v.lost, word_constant(c, 1));
    parts.lost = divided_by_power(c, lost, word_bitcast(c, v.sum));
    parts.has_lost = true;
    return number_of_word(log_by_table(c, NULL, parts));
}

/* Returns log1p(u) in words. The sum v = 1 + u = 2^e m is rounded. Its rounding error u - (v - 1) corrects m,
 * so that m has all bits of u if the exponent is 0. No subnormal number is 1 + u. */
static struct number log1p_of_word(struct composer *c, struct one_more v)
{
    struct mantissa m = mantissa_of(c, number_of_word(v.sum), false);
    if (v.is_half) m.exponent = word_add(c, m.exponent, word_constant(c, 1));
    m.rest = number_plus(c, m.rest, number_of_word(divided_by_power(c, v.lost, m.bits)));
    const struct number y =
        where_positive(c, number_of_word(v.sum), log_of_mantissa(c, m, c->kind == NUMBER_F32));
    const lane_value is_finite = word_op(c, LANE_LT, v.argument, word_constant(c, (double)INFINITY));
    return number_select(c, is_finite, y, number_of_word(v.argument));
}

static struct number log1p_of(struct composer *c, struct one_more v)
{
    return composer_heeds(c, COMPOSE_TABLES) ? log1p_by_table(c, v) : log1p_of_word(c, v);
}

/* Half of the sum is a float where the sum may be too large for one. */
struct number compose_log1p_of_sum(struct composer *c, lane_value a, lane_value b)
{
    const lane_value half = word_constant(c, 0.5), sum = word_fma(c, a, half, word_mul(c, b, half));
    return log1p_of(c, one_more_than(c, sum, true));
}

/* Returns log1p(u). If 1 + u has exponent 0, its fraction is u with all its bits. */
struct number compose_log1p(struct composer *c, struct number u)
{
    if (c->kind != NUMBER_DOUBLE_WORDS) return log1p_of(c, one_more_than(c, u.high, false));
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
