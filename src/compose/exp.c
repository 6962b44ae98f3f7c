/* Writes exp and the functions that depend on it.
 *
 * exp(u) takes n = round(u / step), r = u - n step, and a polynomial of r. Adding a large number rounds, and
 * the last bits of the sum then hold n. The step has two parts.
 *
 * In words the step is ln 2, and exp(u) = 2^n (1 + f), f = expm1(r).
 *
 * In double words the step is ln 2 / 2^k. With n = 2^k e + j, exp(u) = 2^e T (1 + f), where T = 2^(j / 2^k)
 * comes from a table and |r| <= ln 2 / 2^(k + 1). In f, only r itself needs more than 53 bits.
 *
 * Every clamp keeps NaN, and so does r. A NaN in u therefore reaches the result. */
#include "compose.h"
#include "enclosure.h"
#include "extended_fit.h"
#include "reduction.h"

#include <math.h>

/* -- the reduction -- */

static struct multiple nearest_multiple(struct composer *c, lane_value u, struct reduction s, double bias)
{
    return reduction_multiple(c, u, s, (c->kind == NUMBER_F32 ? 0x1.8p23 : 0x1.8p52) + bias);
}

static lane_value word_rest(struct composer *c, lane_value u, lane_value n, struct reduction s)
{
    const lane_value r = word_fma(c, n, word_constant(c, -s.high), u); /* exact */
    return s.low != 0 ? word_fma(c, n, word_constant(c, -s.low), r) : r;
}

/* Returns factor * (u - n step) as a sum of two words. */
static struct number careful_rest(struct composer *c, struct number u, lane_value n, struct reduction s,
                                  quad factor)
{
    struct number r = number_of_word(word_fma(c, n, word_constant(c, -s.high), u.high)); /* exact */
    const lane_value beyond = word_constant(c, -s.low);
    r.low = u.has_low ? word_fma(c, n, beyond, u.low) : word_mul(c, n, beyond);
    r.has_low = true;
    if (factor == 1) return r;
    const double multiplier = (double)factor, high = (double)(float)multiplier;
    struct number y = word_two_product(c, r.high, word_constant(c, high));
    y.low = word_fma(c, r.high, word_constant(c, multiplier - high), y.low);
    if (s.low != 0 || u.has_low) y.low = word_fma(c, r.low, word_constant(c, high), y.low);
    return y;
}

/* -- words -- */

/* The range of exp. Outside of it, f32 results are 0 and infinity. f64 has the same limit on both sides, so
 * that exp(x) and exp(-x) stay reciprocal. */
static const double lowest[2] = {-104.5, -700}, highest[2] = {89.5, 700};

static unsigned index_of(const struct composer *c) { return c->kind == NUMBER_F64; }

/* exp(u) = scale * (1 + fraction), where the scale is a power of two. In f64 the scale is a number. In f32 it
 * is an exponent for scale2. A careful composer keeps a low word of the fraction, because the rounding error
 * of r would be half of the whole error. */
struct exponential {
    struct number fraction;
    lane_value scale;
};

static struct reduction word_step(struct composer *c, quad factor)
{
    enum { SPARE_BITS_F32 = 9, SPARE_BITS_F64 = 11 }; /* bits left free for n */
    const bool is_rough = composer_heeds(c, COMPOSE_ROUGH) && c->kind == NUMBER_F32;
    const unsigned spare = is_rough                ? 0
                           : c->kind == NUMBER_F32 ? (unsigned)SPARE_BITS_F32
                                                   : (unsigned)SPARE_BITS_F64;
    struct reduction s = reduction_of(reduction_ln2() / factor, (int)(word_precision(c) - spare), false);
    /* The factor may be log(2), rounded. */
    if (is_rough || fabs(s.low) < 0x1p-60 * fabs(s.high)) s.low = 0;
    return s;
}

/* Returns exp(factor (u - n step)) - 1. With `keeps_rest` the result has a low word. */
static struct number word_fraction(struct composer *c, struct number u, lane_value n, struct reduction s,
                                   quad factor, bool keeps_rest)
{
    struct number fraction = {0};
    lane_value r;
    if (keeps_rest) {
        fraction = careful_rest(c, u, n, s, factor);
        r = word_add(c, fraction.high, fraction.low);
    } else {
        r = word_rest(c, u.high, n, s);
        if (factor != 1) r = word_mul(c, r, word_constant(c, (double)factor));
    }
    const lane_value rest =
        word_fma(c, word_mul(c, r, r), word_kernel(c, KERNEL_EXPM1, r), keeps_rest ? fraction.low : r);
    if (!keeps_rest) return number_of_word(rest);
    fraction.low = rest;
    return fraction;
}

/* Clamps u, except at limits that the function's argument is known to keep. */
static struct number held(struct composer *c, struct number u, double least, double most)
{
    const struct enclosed *known = c->argument;
    if (!known || !known->defined || c->kind != NUMBER_F32 || u.has_low)
        return number_clamped(c, u, least, most);
    if (known->high > most) u.high = word_at_most(c, u.high, most);
    if (known->low < least) u.high = word_at_least(c, u.high, least);
    return u;
}

/* Returns exp(factor u). In f32, if the scale times `unit` is known to be a normal number, the scale is a
 * number and is made by its bits. `unit` is a power of two, or 0 if this is not known. */
static struct exponential word_exponential(struct composer *c, struct number u, quad factor, double least,
                                           double most, double unit)
{
    const double multiplier = (double)factor;
    const bool is_careful = composer_heeds(c, COMPOSE_CAREFUL) && c->kind == NUMBER_F32;
    if (c->ways & COMPOSE_PAIRS) u = pair_normalized(c, u);
    u = held(c, u, fmin(least / multiplier, most / multiplier), fmax(least / multiplier, most / multiplier));
    const struct reduction s = word_step(c, factor);
    const bool is_normal = c->kind == NUMBER_F32 && unit > 0;
    int power;
    frexp(unit, &power); /* unit is 2^(power - 1) */
    const struct multiple m = nearest_multiple(c, u.high, s, is_normal ? 126 + power : 0);
    const struct number fraction = word_fraction(c, u, m.n, s, factor, is_careful);
    if (is_normal) return (struct exponential){fraction, reduction_power(c, m.bits, 0)};
    if (c->kind == NUMBER_F32) return (struct exponential){fraction, m.n};
    lane_value scale = word_op(c, LANE_SHL, m.bits, word_bits(c, 0, 52));
    scale = word_op(c, LANE_IADD, scale, word_bits(c, 0, UINT64_C(0x3ff) << 52));
    return (struct exponential){fraction, word_bitcast(c, scale)};
}

static struct number exponential_value(struct composer *c, struct exponential e)
{
    if (c->kind == NUMBER_F64) return number_of_word(word_fma(c, e.scale, e.fraction.high, e.scale));
    const struct number f = e.fraction;
    struct number sum = {.high = word_constant(c, 1), .low = f.high};
    if (f.has_low) {
        sum = word_quick_two_sum(c, sum.high, f.high);
        sum.low = word_add(c, sum.low, f.low);
    }
    sum.loose = true;
    if (c->ways & COMPOSE_PAIRS) return number_times_2_to(c, sum, e.scale);
    return number_of_word(word_op(c, LANE_SCALE2, word_add(c, sum.high, sum.low), e.scale));
}

struct number compose_exp_of_multiple(struct composer *c, mpfr_srcptr factor, struct number u)
{
    const unsigned k = index_of(c);
    return exponential_value(c, word_exponential(c, u, quad_of_mpfr(factor), lowest[k], highest[k], 0));
}

/* Coefficients of (expm1(r) - r)/r^2 for |r| <= ln(2)/2, fitted for the error of e^r. The weight is r^2 e^-r,
 * times 6 for r < -0.26. Results there are the smallest in their binade, and their other roundings weigh
 * most. With all roundings, the error of e^r is at most 1.1911 u below 1 and 1.1541 u above, where u = 2^-24.
 * These figures come from all x from 2^-13 to 262 on either side. */
static const double rest_of_power[] = {0x1.ffffecp-2, 0x1.55549ep-3, 0x1.55658cp-5, 0x1.12327p-7,
                                       0x1.60eef4p-10};

/* Returns unit * e^(u - n step), as exact as it can be with one rounding at the end. */
static lane_value careful_power(struct composer *c, lane_value u, lane_value n, struct reduction s,
                                lane_value unit)
{
    const unsigned terms = sizeof rest_of_power / sizeof *rest_of_power;
    struct number f = careful_rest(c, number_of_word(u), n, s, 1);
    const lane_value r = word_add(c, f.high, f.low);
    f.low = word_fma(c, word_mul(c, r, r), word_polynomial(c, rest_of_power, terms, r), f.low);
    return word_add(c, unit, word_add(c, f.high, f.low));
}

/* Returns unit * e^(u - n step), as exact as the composer asks. */
static lane_value rough_power(struct composer *c, lane_value u, lane_value n, struct reduction s,
                              lane_value unit)
{
    const lane_value r = word_rest(c, u, n, s);
    const lane_value slope = word_fma(c, word_kernel(c, KERNEL_EXPM1, r), r, word_constant(c, 1));
    return word_fma(c, slope, r, unit);
}

/* Writes e^u 2^k. The power 2^(n + k) is made from the bits of n and k, as last bits of 1.5 * 2^23. u is
 * clamped so that n + k stays between -127, which gives 0, and 128, which gives infinity. If k is NaN, k
 * replaces the 1, so that the result is NaN. */
struct number compose_exp_times_power(struct composer *c, struct number u, lane_value k)
{
    const double most_power = 380, bias = 127, ln2 = 0x1.62e42fefa39efp-1; /* The largest |n| is 380 + 128. */
    k = number_clamped(c, number_of_word(k), -most_power, most_power).high;
    const lane_value log2 = word_constant(c, ln2),
                     unit = word_select(c, word_op(c, LANE_EQ, k, k), word_constant(c, 1), k);
    const lane_value least = word_mul(c, word_sub(c, word_constant(c, -bias), k), log2);
    const lane_value most = word_mul(c, word_sub(c, word_constant(c, bias + 1), k), log2);
    const lane_value within = word_op(c, LANE_MAX, least, word_op(c, LANE_MIN, most, u.high));
    const struct reduction s = word_step(c, 1);
    const struct multiple m = nearest_multiple(c, within, s, 0);
    const lane_value start = word_bitcast(c, word_sub(c, word_constant(c, 0x1.8p23), k));
    const lane_value exponent =
        word_op(c, LANE_ISUB, m.bits, word_op(c, LANE_ISUB, start, word_bits(c, (uint64_t)bias, 0)));
    const lane_value rest = (c->bits ? rough_power : careful_power)(c, within, m.n, s, unit);
    return number_of_word(word_mul(c, rest, reduction_power(c, exponent, 0)));
}

/* Returns scale * fraction + (scale - unit) with the rounding errors of the sums. For a scale of 2^25 or
 * more, the unit's rounding error is left out. */
static struct number careful_expm1(struct composer *c, lane_value scale, struct number fraction,
                                   lane_value unit)
{
    const lane_value whole = word_sub(c, scale, unit);
    const lane_value lost =
        /* The rounding error where the scale is small compared with the unit. */
        word_sub(c, scale, word_add(c, whole, unit));
    const struct number sum = word_quick_two_sum(c, whole, word_mul(c, scale, fraction.high));
    return (struct number){.high = sum.high,
                           .low = word_fma(c, scale, fraction.low, word_add(c, sum.low, lost)),
                           .has_low = true,
                           .loose = true};
}

/* Returns scale * fraction + (scale - 1). There is no cancellation: away from 0 the two terms differ in size
 * or sign, and near 0 the scale is 1. */
static struct number word_expm1(struct composer *c, struct number u, double most)
{
    /* From here on an f32 needs 2^128. Half of the result is computed and then doubled. */
    const double largest = 88.02;
    const bool halved = c->kind == NUMBER_F32 && most > largest;
    const double one = halved ? 0.5 : 1;
    const lane_value unit = word_constant(c, one);
    const struct exponential e = word_exponential(c, u, 1, -40, most, one);
    const lane_value scale = e.scale;
    const struct number f = e.fraction;
    lane_value y;
    if (f.has_low) {
        const struct number sum = careful_expm1(c, scale, f, unit);
        if (c->ways & COMPOSE_PAIRS) return halved ? number_doubled(c, sum) : sum;
        y = word_add(c, sum.high, sum.low);
    } else if (c->program->profile.fma || !halved) {
        y = word_fma(c, scale, f.high, word_sub(c, scale, unit));
    } else { /* 0 minus 0 keeps the sign of a product that vanished. */
        y = word_sub(c, word_mul(c, scale, f.high), word_sub(c, unit, scale));
    }
    return number_of_word(halved ? word_add(c, y, y) : y);
}

/* -- double words -- */

enum { TERMS_SMALL_TABLE = 7, TERMS_LARGE_TABLE = 5 };

/* Beyond this argument, exp is 0 or infinity, whatever number multiplies it. */
static const double farthest = 8192;

/* exp(u) = 2^exponent base exp(rest), rest = u - n step. */
struct reduced {
    struct reduction step;
    unsigned terms; /* terms of the rest's polynomial in f64 */
    struct number base;
    lane_value n, exponent;
};

/* Reduces u by a table. The table is as large as is cheap, or, without permutes, as large as is useful. */
static struct reduced reduced_by_table(struct composer *c, lane_value u)
{
    lane_program *p = c->program;
    const unsigned log2 = p->profile.lookup_f64 >= 16 ? 4 : 7, entries = 1u << log2;
    enum { LEADING_BITS = 32 }; /* of the step, because n is below 2^21 up to the farthest argument */
    struct reduced y = {.step = reduction_of(reduction_ln2() / entries, LEADING_BITS, true),
                        .terms = log2 == 4 ? TERMS_SMALL_TABLE : TERMS_LARGE_TABLE};
    const struct multiple m = nearest_multiple(c, u, y.step, 0);
    const lane_value whole = word_op(c, LANE_AND, m.bits, word_bits(c, 0, ~UINT64_C(0) << log2));
    const lane_value multiple = word_sub(c, word_bitcast(c, whole), word_constant(c, 0x1.8p52));
    y.n = m.n;
    y.base = word_table(c, mpfr_exp2, entries, log2, log2, m.bits);
    y.exponent = word_mul(c, multiple, word_constant(c, 1.0 / entries));
    return y;
}

/* Returns (expm1(r) - r) / r^2. */
static lane_value rest_of_expm1(struct composer *c, struct reduction s, unsigned terms, lane_value r)
{
    enum kernel_function kernel = KERNEL_EXPM1;
    double coefficient[EXT_MOST_TERMS];
    if (!ext_fit(coefficient, terms, -0.51 * s.high, 0.51 * s.high, polynomial_kernel, &kernel))
        c->impossible = "exp has no polynomial";
    return word_polynomial(c, coefficient, terms, r);
}

struct word_power word_exp(struct composer *c, struct number u, bool exact_base)
{
    const struct reduced e = reduced_by_table(c, u.high);
    lane_value r = word_rest(c, u.high, e.n, e.step);
    if (u.has_low) r = word_add(c, r, u.low);
    const lane_value square = word_mul(c, r, r);
    const lane_value f = word_fma(c, square, rest_of_expm1(c, e.step, e.terms - 1, r), r);
    const lane_value change =
        exact_base ? word_fma(c, e.base.high, f, e.base.low) : word_mul(c, e.base.high, f);
    return (struct word_power){e.base.high, change, e.exponent};
}

/* (base + change) * 2^exponent. For a small argument, the base is 1 and the change is as exact as the
 * argument. */
struct power {
    lane_value base, exponent;
    struct number change;
};

static struct number exact_rest(struct composer *c, struct number u, struct reduction s, lane_value n)
{
    const lane_value t = word_sub(c, u.high, word_mul(c, n, word_constant(c, s.high))); /* exact */
    const lane_value w = word_mul(c, n, word_constant(c, s.low));
    const lane_value high = word_sub(c, t, w);
    lane_value low = word_sub(c, word_sub(c, t, high), w);
    if (u.has_low) { /* exp(high + low) is exp(high) (1 + low). */
        low = word_add(c, low, u.low);
        low = word_fma(c, low, high, low);
    }
    return (struct number){.high = high, .low = low, .has_low = true};
}

/* Clamps u to [least, most] and returns exp(u) as a power. */
static struct power exp_as_power(struct composer *c, struct number u, double least, double most)
{
    u = number_clamped(c, number_plain(c, u), least, most);
    const struct reduced e = reduced_by_table(c, u.high);
    const struct number r = exact_rest(c, u, e.step, e.n);
    const lane_value square = word_mul(c, r.high, r.high);
    const lane_value rest = word_fma(c, square, rest_of_expm1(c, e.step, e.terms, r.high), r.low);
    const struct number f = word_quick_two_sum(c, r.high, rest);
    struct number change = word_two_product(c, e.base.high, f.high);
    change.low = word_fma(c, e.base.high, f.low, change.low);
    change.low = word_add(c, change.low, word_fma(c, e.base.low, f.high, e.base.low));
    return (struct power){e.base.high, e.exponent, change};
}

/* Removes whole multiples of ln 2 from a u beyond the farthest argument, because the number that multiplies
 * exp(u) may be as far from 1. The result has the 53 bits of u and is the same for -u, so that exp(u) exp(-u)
 * is 1. */
static struct number without_turns(struct composer *c, struct number u, lane_value *turns)
{
    const double inverse_ln2 = 0x1.71547652b82fep0, ln2 = 0x1.62e42fefa39efp-1;
    /* The decaying factor wins: the square in erfc(t) ends at 2^800. */
    u = number_clamped(c, u, -0x1p1000, 0x1p700);
    const lane_value zero = word_constant(c, 0);
    const lane_value far = word_op(c, LANE_LT, word_constant(c, farthest), word_abs(c, u.high));
    const lane_value t = word_mul(c, u.high, word_constant(c, inverse_ln2)), n = word_round(c, t);
    const lane_value rest = word_mul(c, word_sub(c, t, n), word_constant(c, ln2));
    *turns = word_select(c, far, n, zero);
    u.high = word_select(c, far, rest, u.high);
    if (u.has_low) u.low = word_select(c, far, zero, u.low);
    return u;
}

static struct number exp_of_double_words(struct composer *c, struct number u)
{
    lane_value turns = 0;
    if (c->ways & COMPOSE_FAR) u = without_turns(c, number_plain(c, u), &turns);
    const struct power y = exp_as_power(c, u, -farthest, farthest);
    struct number m = word_quick_two_sum(c, y.base, y.change.high);
    m.low = word_add(c, m.low, y.change.low);
    m.exponent = y.exponent;
    /* The rest's exponent is 0, 1 or -1, and would be lost next to the turns. */
    if (c->ways & COMPOSE_FAR) {
        const lane_value zero = word_constant(c, 0), near = word_op(c, LANE_EQ, turns, zero);
        m = number_times_2_to(c, m, word_select(c, near, zero, y.exponent));
        m.exponent = word_select(c, near, y.exponent, turns);
    }
    m.has_exponent = m.bounded = true;
    return m;
}

/* Returns (2^e base - 1) + 2^e change, where 2^e is a number. */
static struct number expm1_within(struct composer *c, struct number u, double most)
{
    const struct power y = exp_as_power(c, u, -90, most);
    const lane_value base = word_op(c, LANE_SCALE2, y.base, y.exponent);
    const struct number change = number_times_2_to(c, y.change, y.exponent);
    return number_plus(c, word_two_sum(c, base, word_constant(c, -1)), change);
}

/* Returns expm1(u). For a large u, the scaled 1 is 2^-e. */
static struct number expm1_of_double_words(struct composer *c, struct number u)
{
    const struct power y = exp_as_power(c, u, -90, farthest);
    const lane_value exponent = word_op(c, LANE_MAX, word_constant(c, 0), y.exponent);
    const lane_value scale = word_sub(c, y.exponent, exponent);
    lane_value one = word_op(c, LANE_MAX, word_constant(c, -200), word_neg(c, exponent));
    one = word_op(c, LANE_SCALE2, word_constant(c, -1), one);
    const struct number change = number_times_2_to(c, y.change, scale);
    const struct number base = word_two_sum(c, word_op(c, LANE_SCALE2, y.base, scale), one);
    struct number sum = number_scaled(c, number_plus(c, base, change), exponent);
    sum.bounded = true;
    return number_where_tiny(c, u, u, sum);
}

/* -- the functions -- */

struct number compose_exp(struct composer *c, struct number u)
{
    if (c->kind == NUMBER_DOUBLE_WORDS) return exp_of_double_words(c, u);
    const unsigned k = index_of(c);
    return exponential_value(c, word_exponential(c, u, 1, lowest[k], highest[k], 0));
}

struct number compose_expm1(struct composer *c, struct number u)
{
    if (c->kind == NUMBER_DOUBLE_WORDS) return expm1_of_double_words(c, u);
    if (c->kind == NUMBER_F64) return word_expm1(c, u, highest[1]);
    return word_expm1(c, u, composer_heeds(c, COMPOSE_FAR) ? 89 : 88.02);
}

struct logistic_exponential compose_logistic_exponential(struct composer *c, struct number u)
{
    const struct exponential e = word_exponential(c, u, 1, lowest[1], highest[1], 0);
    const lane_value beyond = word_sub(c, e.scale, word_constant(c, 1));
    return (struct logistic_exponential){exponential_value(c, e),
                                         number_of_word(word_fma(c, e.scale, e.fraction.high, beyond))};
}

struct number compose_sigmoid(struct composer *c, struct number u)
{
    const struct number one = number_integer(c, 1);
    return number_over(c, one, number_plus(c, one, compose_exp(c, number_neg(c, u))));
}

/* Returns t / (t + 2) with t = expm1(2u). The quotient is 1 to 17 digits beyond |2u| = 40, and to 36 digits
 * beyond 85. */
struct number compose_tanh(struct composer *c, struct number u)
{
    const struct number twice = number_doubled(c, number_plain(c, u));
    const struct number t =
        c->kind == NUMBER_DOUBLE_WORDS ? expm1_within(c, twice, 85) : word_expm1(c, twice, 40);
    return number_where_tiny(c, u, u, number_over(c, t, number_plus(c, t, number_integer(c, 2))));
}

/* Returns number tanh(u) in words, as t / (t/number + 2/number) with t = expm1(2u). The number so needs no
 * product of its own, and no rounding of a product. */
struct number compose_tanh_times(struct composer *c, mpq_srcptr number, struct number u)
{
    mpfr_t inverse;
    mpfr_init2(inverse, COMPOSE_CONSTANT_BITS);
    mpfr_set_q(inverse, number, MPFR_RNDN);
    mpfr_ui_div(inverse, 1, inverse, MPFR_RNDN);
    const struct number unit = number_of_mpfr(c, inverse), t = word_expm1(c, number_doubled(c, u), 40);
    mpfr_clear(inverse);
    return number_over(c, t, number_of_word(word_fma(c, t.high, unit.high, number_doubled(c, unit).high)));
}
