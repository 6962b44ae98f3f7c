/* Sums, products, quotients and roots of numbers. Double words use published algorithms with error bounds.
 * Source: Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
 * arithmetic", ACM TOMS 44 (2017). */
#include "number.h"

#include <math.h>

static bool has_double_words(const struct composer *c) { return c->kind == NUMBER_DOUBLE_WORDS; }

static lane_value bits64(struct composer *c, uint64_t bits)
{
    return lane_const_bits(c->program, LANE_I64, bits);
}

/* -- making numbers -- */

struct number number_of_word(lane_value high) { return (struct number){.high = high}; }

lane_value number_low(struct composer *c, struct number v) { return v.has_low ? v.low : word_constant(c, 0); }

static bool is_moderate(double value)
{
    return value == 0 || (fabs(value) >= 0x1p-100 && fabs(value) <= 0x1p100);
}

struct word_pair word_pair_of(mpfr_srcptr value)
{
    struct word_pair pair = {mpfr_get_d(value, MPFR_RNDN), 0};
    mpfr_t rest;
    if (!isfinite(pair.high)) return pair;
    mpfr_init2(rest, mpfr_get_prec(value));
    mpfr_sub_d(rest, value, pair.high, MPFR_RNDN);
    pair.low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return pair;
}

const struct word_pair word_pair_half_pi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

struct number number_of_pair(struct composer *c, struct word_pair value)
{
    struct number v = {.high = word_constant(c, value.high), .bounded = is_moderate(value.high)};
    v.has_low = value.low != 0 && has_double_words(c);
    if (v.has_low) v.low = word_constant(c, value.low);
    return v;
}

struct number number_integer(struct composer *c, double value)
{
    return (struct number){.high = word_constant(c, value), .bounded = is_moderate(value)};
}

struct number number_of_mpfr(struct composer *c, mpfr_ptr value)
{
    mpfr_exp_t exponent = 0;
    if (c->ways & COMPOSE_PAIRS) {
        const double whole = mpfr_get_d(value, MPFR_RNDN), high = (double)(float)whole;
        struct number v = number_of_word(word_constant(c, high));
        v.has_low = whole != high;
        if (v.has_low) v.low = word_constant(c, whole - high);
        return v;
    }
    if (!has_double_words(c)) {
        mpfr_prec_round(value, (mpfr_prec_t)word_precision(c), MPFR_RNDN);
        return number_of_word(word_constant(c, mpfr_get_d(value, MPFR_RNDN)));
    }
    if (mpfr_regular_p(value) && (mpfr_get_exp(value) < -900 || mpfr_get_exp(value) > 1000)) {
        exponent = mpfr_get_exp(value);
        mpfr_set_exp(value, 0);
    }
    const struct number v = number_of_pair(c, word_pair_of(value));
    return exponent ? number_scaled(c, v, word_constant(c, (double)exponent)) : v;
}

/* -- exponents -- */

/* Clamps n to the range of scale2. Because the high word is bounded, 2^n beyond that range is infinite or
 * zero as well. */
static lane_value clamped_exponent(struct composer *c, lane_value n)
{
    return word_at_most(c, word_at_least(c, n, -2000), 2000);
}

struct number number_times_2_to(struct composer *c, struct number a, lane_value n)
{
    a.high = word_op(c, LANE_SCALE2, a.high, n);
    if (a.has_low) a.low = word_op(c, LANE_SCALE2, a.low, n);
    return a;
}

struct number number_scaled(struct composer *c, struct number a, lane_value n)
{
    a.exponent = a.has_exponent ? word_add(c, a.exponent, n) : n;
    a.has_exponent = true;
    return a;
}

struct number number_plain(struct composer *c, struct number a)
{
    if (!a.has_exponent) return a;
    a = number_times_2_to(c, a, clamped_exponent(c, a.exponent));
    a.has_exponent = a.bounded = false;
    return a;
}

static struct number times_word(struct composer *c, struct number a, lane_value scale)
{
    a.high = word_mul(c, a.high, scale);
    if (a.has_low) a.low = word_mul(c, a.low, scale);
    return a;
}

struct number number_normalized(struct composer *c, struct number a)
{
    if (a.has_exponent || a.bounded) return a;
    lane_value biased = word_op(c, LANE_AND, word_bitcast(c, a.high), bits64(c, UINT64_C(2047) << 52));
    /* 2^(1023 - biased) must be a normal number. For a subnormal it is 2^1023. */
    biased = word_op(c, LANE_IMIN, biased, bits64(c, UINT64_C(2045) << 52));
    const lane_value inverse =
        word_bitcast(c, word_op(c, LANE_ISUB, bits64(c, UINT64_C(2046) << 52), biased));
    a = times_word(c, a, inverse);
    a.exponent = word_of_integer(c, word_op(c, LANE_SHR, biased, bits64(c, 52)), 1023);
    a.has_exponent = a.bounded = true;
    return a;
}

struct number number_clamped(struct composer *c, struct number u, double least, double most)
{
    if (u.has_low) {
        const lane_value low = word_constant(c, least), high = word_constant(c, most);
        const lane_value inside =
            word_op(c, LANE_MAND, word_op(c, LANE_LT, low, u.high), word_op(c, LANE_LT, u.high, high));
        u.low = word_select(c, inside, u.low, word_constant(c, 0));
    }
    u.high = has_double_words(c) ? word_at_most(c, word_at_least(c, u.high, least), most)
                                 : word_at_least(c, word_at_most(c, u.high, most), least);
    return u;
}

struct number number_where_tiny(struct composer *c, struct number u, struct number a, struct number b)
{
    if (!u.has_exponent) return b;
    return number_select(c, word_op(c, LANE_LT, u.exponent, word_constant(c, -64)), a, b);
}

/* Gives both numbers an exponent if one of them has one. */
static void match_exponents(struct composer *c, struct number *a, struct number *b)
{
    if (a->has_exponent) *b = number_normalized(c, *b);
    if (b->has_exponent) *a = number_normalized(c, *a);
}

/* Scales both numbers to the larger of their exponents, and sets *exponent. */
static void align(struct composer *c, struct number *a, struct number *b, lane_value *exponent)
{
    struct number *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        *both[i] = number_normalized(c, *both[i]);
        if (!both[i]->has_exponent) both[i]->exponent = word_constant(c, 0);
    }
    *exponent = word_op(c, LANE_MAX, a->exponent, b->exponent);
    for (int i = 0; i < 2; i++) {
        struct number *v = both[i];
        const lane_value n = word_sub(c, v->exponent, *exponent);
        *v = number_times_2_to(c, *v, word_at_least(c, n, -2000));
        v->has_exponent = false;
    }
}

/* -- arithmetic -- */

struct number number_neg(struct composer *c, struct number a)
{
    a.high = word_neg(c, a.high);
    if (a.has_low) a.low = word_neg(c, a.low);
    return a;
}

struct number number_abs(struct composer *c, struct number a)
{
    if (a.has_low) {
        const lane_value minus = word_neg(c, a.low);
        a.low = word_select(c, word_is_negative(c, a.high), minus, a.low);
    }
    a.high = word_abs(c, a.high);
    return a;
}

/* Adds by AccurateDWPlusDW or DWPlusFP. */
static struct number add_words(struct composer *c, struct number a, struct number b)
{
    struct number s = word_two_sum(c, a.high, b.high);
    if (!a.has_low && !b.has_low) return s;
    if (a.has_low && b.has_low) {
        const struct number t = word_two_sum(c, a.low, b.low);
        s = word_quick_two_sum(c, s.high, word_add(c, s.low, t.high));
        return word_quick_two_sum(c, s.high, word_add(c, t.low, s.low));
    }
    return word_quick_two_sum(c, s.high, word_add(c, s.low, a.has_low ? a.low : b.low));
}

struct number number_plus(struct composer *c, struct number a, struct number b)
{
    if (c->ways & COMPOSE_PAIRS) return pair_plus(c, a, b, false);
    if (!has_double_words(c)) return number_of_word(word_add(c, a.high, b.high));
    if (!a.has_exponent && !b.has_exponent) return add_words(c, a, b);
    lane_value exponent;
    align(c, &a, &b, &exponent);
    struct number s = add_words(c, a, b);
    s.exponent = exponent;
    s.has_exponent = s.bounded = true;
    return s;
}

struct number number_minus(struct composer *c, struct number a, struct number b)
{
    if (c->ways & COMPOSE_PAIRS) return pair_plus(c, a, number_neg(c, b), false);
    if (!has_double_words(c)) return number_of_word(word_sub(c, a.high, b.high));
    return number_plus(c, a, number_neg(c, b));
}

static void add_exponents(struct composer *c, struct number *out, struct number a, struct number b,
                          bool minus)
{
    out->has_exponent = a.has_exponent || b.has_exponent;
    out->bounded = out->has_exponent || (a.bounded && b.bounded);
    if (a.has_exponent && b.has_exponent)
        out->exponent = word_op(c, minus ? LANE_SUB : LANE_ADD, a.exponent, b.exponent);
    else if (b.has_exponent && minus)
        out->exponent = word_neg(c, b.exponent);
    else
        out->exponent = a.has_exponent ? a.exponent : b.exponent;
}

struct number number_times(struct composer *c, struct number a, struct number b)
{
    if (c->ways & COMPOSE_PAIRS) return pair_times(c, a, b);
    if (!has_double_words(c)) return number_of_word(word_mul(c, a.high, b.high));
    match_exponents(c, &a, &b);
    struct number p = word_two_product(c, a.high, b.high);
    lane_value low = p.low;
    if (!c->program->profile.fma && !(a.bounded && b.bounded)) { /* An underflowing part counts as 0. */
        const lane_value size = word_abs(c, p.high);
        const lane_value sound = word_op(c, LANE_LT, word_constant(c, 0x1p-960), size);
        low = word_select(c, sound, low, word_constant(c, 0));
    }
    if (a.has_low) low = word_fma(c, a.low, b.high, low);
    if (b.has_low) low = word_fma(c, a.high, b.low, low);
    if (a.has_low || b.has_low) p = word_quick_two_sum(c, p.high, low);
    add_exponents(c, &p, a, b, false);
    return p;
}

/* Divides the high parts, and divides the remainder once more. */
struct number number_over(struct composer *c, struct number a, struct number b)
{
    if (c->ways & COMPOSE_PAIRS) return pair_over(c, a, b);
    if (!has_double_words(c)) return number_of_word(word_div(c, a.high, b.high));
    match_exponents(c, &a, &b);
    const lane_value q = word_div(c, a.high, b.high);
    const struct number p = word_two_product(c, q, b.high);
    lane_value rest = word_sub(c, word_sub(c, a.high, p.high), p.low);
    if (b.has_low) rest = word_fma(c, word_neg(c, q), b.low, rest);
    if (a.has_low) rest = word_add(c, rest, a.low);
    struct number y = word_quick_two_sum(c, q, word_div(c, rest, b.high));
    add_exponents(c, &y, a, b, true);
    return y;
}

/* Multiplies a number below 2^-900 by 2^128, so that f64 holds the rounding error of its root's square.
 * Returns the factor by which the root is then to be multiplied. */
static lane_value scale_for_root(struct composer *c, struct number *a)
{
    const lane_value one = word_constant(c, 1);
    const lane_value is_tiny = word_op(c, LANE_LT, a->high, word_constant(c, 0x1p-900));
    *a = times_word(c, *a, word_select(c, is_tiny, word_constant(c, 0x1p128), one));
    return word_select(c, is_tiny, word_constant(c, 0x1p-64), one);
}

/* Returns the square root of high + low. */
static struct number root_of_words(struct composer *c, struct number a)
{
    const lane_value root = lane_unary(c->program, LANE_SQRT, a.high), zero = word_constant(c, 0);
    const struct number square = word_two_product(c, root, root);
    lane_value rest = word_sub(c, word_sub(c, a.high, square.high), square.low);
    if (a.has_low) rest = word_add(c, rest, a.low);
    rest = word_div(c, rest, word_add(c, root, root));
    rest = word_select(c, word_op(c, LANE_LT, zero, root), rest, zero);
    return word_quick_two_sum(c, root, rest);
}

/* Returns the square root. An odd exponent leaves a factor of 2 with the number. */
struct number number_sqrt(struct composer *c, struct number a)
{
    if (c->ways & COMPOSE_PAIRS) return pair_sqrt(c, a);
    if (!has_double_words(c)) return number_of_word(lane_unary(c->program, LANE_SQRT, a.high));
    if (a.has_exponent) {
        const lane_value half = word_round(c, word_mul(c, a.exponent, word_constant(c, 0.5)));
        const lane_value odd = word_sub(c, a.exponent, word_add(c, half, half));
        struct number y = root_of_words(c, number_times_2_to(c, a, odd));
        y.exponent = half;
        y.has_exponent = y.bounded = true;
        return y;
    }
    const lane_value scale = a.bounded ? 0 : scale_for_root(c, &a);
    struct number y = root_of_words(c, a);
    y.bounded = a.bounded;
    return a.bounded ? y : times_word(c, y, scale);
}

struct number number_times_power(struct composer *c, struct number a, double power)
{
    return times_word(c, a, word_constant(c, power));
}

struct number number_doubled(struct composer *c, struct number a)
{
    a.high = word_add(c, a.high, a.high);
    if (a.has_low) a.low = word_add(c, a.low, a.low);
    return a;
}

struct number number_select(struct composer *c, lane_value condition, struct number a, struct number b)
{
    match_exponents(c, &a, &b);
    struct number y = {.high = word_select(c, condition, a.high, b.high),
                       .has_low = a.has_low || b.has_low,
                       .has_exponent = a.has_exponent || b.has_exponent,
                       .loose = a.loose || b.loose};
    const lane_value zero = word_constant(c, 0);
    y.bounded = y.has_exponent || (a.bounded && b.bounded);
    if (y.has_low) y.low = word_select(c, condition, number_low(c, a), number_low(c, b));
    if (y.has_exponent)
        y.exponent =
            word_select(c, condition, a.has_exponent ? a.exponent : zero, b.has_exponent ? b.exponent : zero);
    return y;
}

lane_value number_compare(struct composer *c, enum lane_op op, struct number a, struct number b)
{
    const bool simple = !a.has_low && !b.has_low && !a.has_exponent && !b.has_exponent;
    return simple                    ? word_op(c, op, a.high, b.high)
           : c->ways & COMPOSE_PAIRS ? word_op(c, op, number_rounded(c, a), number_rounded(c, b))
                                     : word_op(c, op, number_minus(c, a, b).high, word_constant(c, 0));
}

struct number number_with_sign_of(struct composer *c, struct number size, struct number u)
{
    return number_select(c, word_is_negative(c, u.high), number_neg(c, size), size);
}

struct number number_choice(struct composer *c, enum lane_op op, struct number a, struct number b)
{
    if (!has_double_words(c) && !a.has_low && !b.has_low)
        return number_of_word(word_op(c, op, a.high, b.high));
    const bool least = op == LANE_MIN;
    return number_select(c, number_compare(c, LANE_LT, least ? a : b, least ? b : a), a, b);
}

/* -- results -- */

lane_value number_rounded(struct composer *c, struct number v)
{
    const lane_value y = v.has_low ? word_add(c, v.high, v.low) : v.high;
    return v.has_exponent ? word_op(c, LANE_SCALE2, y, clamped_exponent(c, v.exponent)) : y;
}

/* Rounds to odd. A value that is not the high word lies between that number and the next one above or below.
 * One of the two has an odd last bit. */
lane_value number_odd(struct composer *c, struct number v)
{
    if (!v.has_low) return v.high;
    v = word_quick_two_sum(c, v.high, v.low);
    const lane_value bits = word_bitcast(c, v.high);
    const lane_value signs = word_op(c, LANE_XOR, bits, word_bitcast(c, v.low));
    const lane_value towards_zero = word_op(c, LANE_SHR, signs, bits64(c, 63));
    const lane_value odd = word_op(c, LANE_OR, word_op(c, LANE_ISUB, bits, towards_zero), bits64(c, 1));
    const lane_value exact = word_op(c, LANE_EQ, v.low, word_constant(c, 0));
    return word_select(c, exact, v.high, word_bitcast(c, odd));
}
