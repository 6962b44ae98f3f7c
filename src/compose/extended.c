/* Sums, products, quotients and roots of double words with exponents. */
#include "extended.h"

#include <math.h>

lane_value ext_number(struct extender *c, double value) { return lane_const(c->program, LANE_F64, value); }
lane_value ext_op(struct extender *c, enum lane_op op, lane_value a, lane_value b)
{
    return lane_binary(c->program, op, a, b);
}
lane_value ext_plus(struct extender *c, lane_value a, lane_value b) { return ext_op(c, LANE_ADD, a, b); }
lane_value ext_minus(struct extender *c, lane_value a, lane_value b) { return ext_op(c, LANE_SUB, a, b); }
lane_value ext_times(struct extender *c, lane_value a, lane_value b) { return ext_op(c, LANE_MUL, a, b); }
lane_value ext_multiply_add(struct extender *c, lane_value a, lane_value b, lane_value d)
{
    return lane_fma(c->program, a, b, d);
}

lane_value ext_is_below_zero(struct extender *c, lane_value a)
{
    return ext_op(c, LANE_LT, a, ext_number(c, 0));
}

lane_value ext_polynomial(struct extender *c, const double *coefficient, unsigned terms, lane_value x)
{
    lane_value sum = ext_number(c, coefficient[terms - 1]);
    for (unsigned k = terms - 1; k-- > 0;) sum = ext_multiply_add(c, sum, x, ext_number(c, coefficient[k]));
    return sum;
}

/* -- double words -- */

struct extended ext_single(lane_value high) { return (struct extended){.high = high}; }

lane_value ext_low(struct extender *c, struct extended v) { return v.has_low ? v.low : ext_number(c, 0); }

struct extended ext_quick_two_sum(struct extender *c, lane_value a, lane_value b)
{
    const lane_value s = ext_plus(c, a, b);
    return (struct extended){.high = s, .low = ext_minus(c, b, ext_minus(c, s, a)), .has_low = true};
}

struct extended ext_two_sum(struct extender *c, lane_value a, lane_value b)
{
    const lane_value s = ext_plus(c, a, b), part = ext_minus(c, s, a);
    const lane_value lost = ext_plus(c, ext_minus(c, a, ext_minus(c, s, part)), ext_minus(c, b, part));
    return (struct extended){.high = s, .low = lost, .has_low = true};
}

/* The leading 26 bits, which leave 27: their products are exact but for the lowest, whose rounding is below 2^-106.
 * Unlike Veltkamp's splitting, it does not overflow. */
static lane_value leading_half(struct extender *c, lane_value a)
{
    const lane_value mask = lane_const_bits(c->program, LANE_I64, ~UINT64_C(0) << 27);
    const lane_value bits = lane_unary(c->program, LANE_BITCAST, a);
    return lane_unary(c->program, LANE_BITCAST, ext_op(c, LANE_AND, bits, mask));
}

struct extended ext_two_product(struct extender *c, lane_value a, lane_value b)
{
    const lane_value p = ext_times(c, a, b);
    lane_value lost;
    if (c->program->profile.fma) {
        lost = lane_fma(c->program, a, b, lane_unary(c->program, LANE_NEG, p));
    } else {
        const lane_value ah = leading_half(c, a), al = ext_minus(c, a, ah);
        const lane_value bh = leading_half(c, b), bl = ext_minus(c, b, bh);
        lost = ext_minus(c, ext_times(c, ah, bh), p);
        lost = ext_plus(c, ext_plus(c, lost, ext_times(c, ah, bl)), ext_times(c, al, bh));
        lost = ext_plus(c, lost, ext_times(c, al, bl));
    }
    return (struct extended){.high = p, .low = lost, .has_low = true};
}

static bool is_moderate(double value)
{
    return value == 0 || (fabs(value) >= 0x1p-100 && fabs(value) <= 0x1p100);
}

struct ext_pair ext_split(mpfr_srcptr value)
{
    struct ext_pair pair = {mpfr_get_d(value, MPFR_RNDN), 0};
    mpfr_t rest;
    if (!isfinite(pair.high)) return pair;
    mpfr_init2(rest, mpfr_get_prec(value));
    mpfr_sub_d(rest, value, pair.high, MPFR_RNDN);
    pair.low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return pair;
}

struct extended ext_constant(struct extender *c, struct ext_pair value)
{
    struct extended v = {.high = ext_number(c, value.high), .bounded = is_moderate(value.high)};
    v.has_low = value.low != 0;
    if (v.has_low) v.low = ext_number(c, value.low);
    return v;
}

struct extended ext_integer(struct extender *c, double value)
{
    return (struct extended){.high = ext_number(c, value), .bounded = is_moderate(value)};
}

/* -- exponents -- */

/* 2^n for n beyond what the operation takes is infinite or zero as well: high is bounded. */
static lane_value clamped_exponent(struct extender *c, lane_value n)
{
    n = ext_op(c, LANE_MAX, ext_number(c, -2000), n);
    return ext_op(c, LANE_MIN, ext_number(c, 2000), n);
}

struct extended ext_scaled(struct extender *c, struct extended a, lane_value n)
{
    a.exponent = a.has_exponent ? ext_plus(c, a.exponent, n) : n;
    a.has_exponent = true;
    return a;
}

struct extended ext_plain(struct extender *c, struct extended a)
{
    if (!a.has_exponent) return a;
    const lane_value n = clamped_exponent(c, a.exponent);
    a.high = ext_op(c, LANE_SCALE2, a.high, n);
    if (a.has_low) a.low = ext_op(c, LANE_SCALE2, a.low, n);
    a.has_exponent = a.bounded = false;
    return a;
}

struct extended ext_normalized(struct extender *c, struct extended a)
{
    lane_program *p = c->program;
    if (a.has_exponent || a.bounded) return a;
    const uint64_t one = 1023;
    lane_value biased = ext_op(c, LANE_AND, lane_unary(p, LANE_BITCAST, a.high),
                               lane_const_bits(p, LANE_I64, UINT64_C(2047) << 52));
    /* 2^(1023 - biased) must be a normal number; a subnormal's is 2^1023 */
    biased = ext_op(c, LANE_IMIN, biased, lane_const_bits(p, LANE_I64, UINT64_C(2045) << 52));
    const lane_value inverse = lane_unary(
        p, LANE_BITCAST, ext_op(c, LANE_ISUB, lane_const_bits(p, LANE_I64, 2 * one << 52), biased));
    const lane_value field = ext_op(c, LANE_SHR, biased, lane_const_bits(p, LANE_I64, 52));
    const lane_value number = lane_unary(
        p, LANE_BITCAST, ext_op(c, LANE_OR, field, lane_const_bits(p, LANE_I64, UINT64_C(0x433) << 52)));
    a.high = ext_times(c, a.high, inverse);
    if (a.has_low) a.low = ext_times(c, a.low, inverse);
    a.exponent = ext_minus(c, number, ext_number(c, 0x1p52 + (double)one));
    a.has_exponent = a.bounded = true;
    return a;
}

struct extended ext_clamped(struct extender *c, struct extended u, double least, double most)
{
    lane_program *p = c->program;
    const lane_value low = ext_number(c, least), high = ext_number(c, most);
    if (u.has_low) {
        const lane_value inside =
            ext_op(c, LANE_MAND, ext_op(c, LANE_LT, low, u.high), ext_op(c, LANE_LT, u.high, high));
        u.low = lane_select(p, inside, u.low, ext_number(c, 0));
    }
    u.high = ext_op(c, LANE_MIN, high, ext_op(c, LANE_MAX, low, u.high));
    return u;
}

struct extended ext_where_tiny(struct extender *c, struct extended u, struct extended a, struct extended b)
{
    if (!u.has_exponent) return b;
    return ext_select(c, ext_op(c, LANE_LT, u.exponent, ext_number(c, -64)), a, b);
}

/* Both with the larger of their exponents, which is put into *exponent. */
static void align(struct extender *c, struct extended *a, struct extended *b, lane_value *exponent)
{
    struct extended *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        *both[i] = ext_normalized(c, *both[i]);
        if (!both[i]->has_exponent) both[i]->exponent = ext_number(c, 0);
    }
    *exponent = ext_op(c, LANE_MAX, a->exponent, b->exponent);
    for (int i = 0; i < 2; i++) {
        struct extended *v = both[i];
        lane_value n = ext_minus(c, v->exponent, *exponent);
        n = ext_op(c, LANE_MAX, ext_number(c, -2000), n);
        v->high = ext_op(c, LANE_SCALE2, v->high, n);
        if (v->has_low) v->low = ext_op(c, LANE_SCALE2, v->low, n);
        v->has_exponent = false;
    }
}

/* -- arithmetic -- */

struct extended ext_neg(struct extender *c, struct extended a)
{
    a.high = lane_unary(c->program, LANE_NEG, a.high);
    if (a.has_low) a.low = lane_unary(c->program, LANE_NEG, a.low);
    return a;
}

struct extended ext_abs(struct extender *c, struct extended a)
{
    if (a.has_low) {
        const lane_value minus = lane_unary(c->program, LANE_NEG, a.low);
        a.low = lane_select(c->program, ext_is_below_zero(c, a.high), minus, a.low);
    }
    a.high = lane_unary(c->program, LANE_ABS, a.high);
    return a;
}

/* AccurateDWPlusDW, DWPlusFP. */
static struct extended add_words(struct extender *c, struct extended a, struct extended b)
{
    struct extended s = ext_two_sum(c, a.high, b.high);
    if (!a.has_low && !b.has_low) return s;
    if (a.has_low && b.has_low) {
        const struct extended t = ext_two_sum(c, a.low, b.low);
        s = ext_quick_two_sum(c, s.high, ext_plus(c, s.low, t.high));
        return ext_quick_two_sum(c, s.high, ext_plus(c, t.low, s.low));
    }
    return ext_quick_two_sum(c, s.high, ext_plus(c, s.low, a.has_low ? a.low : b.low));
}

struct extended ext_add(struct extender *c, struct extended a, struct extended b)
{
    if (!a.has_exponent && !b.has_exponent) return add_words(c, a, b);
    lane_value exponent;
    align(c, &a, &b, &exponent);
    struct extended s = add_words(c, a, b);
    s.exponent = exponent;
    s.has_exponent = s.bounded = true;
    return s;
}

struct extended ext_sub(struct extender *c, struct extended a, struct extended b)
{
    return ext_add(c, a, ext_neg(c, b));
}

static void add_exponents(struct extender *c, struct extended *out, struct extended a, struct extended b,
                          bool minus)
{
    out->has_exponent = a.has_exponent || b.has_exponent;
    out->bounded = out->has_exponent || (a.bounded && b.bounded);
    if (a.has_exponent && b.has_exponent)
        out->exponent = ext_op(c, minus ? LANE_SUB : LANE_ADD, a.exponent, b.exponent);
    else if (b.has_exponent && minus)
        out->exponent = lane_unary(c->program, LANE_NEG, b.exponent);
    else
        out->exponent = a.has_exponent ? a.exponent : b.exponent;
}

struct extended ext_mul(struct extender *c, struct extended a, struct extended b)
{
    if (a.has_exponent) b = ext_normalized(c, b);
    if (b.has_exponent) a = ext_normalized(c, a);
    struct extended p = ext_two_product(c, a.high, b.high);
    lane_value low = p.low;
    if (!c->program->profile.fma && !(a.bounded && b.bounded)) { /* what underflows is nothing */
        const lane_value size = lane_unary(c->program, LANE_ABS, p.high);
        const lane_value sound = ext_op(c, LANE_LT, ext_number(c, 0x1p-960), size);
        low = lane_select(c->program, sound, low, ext_number(c, 0));
    }
    if (a.has_low) low = ext_multiply_add(c, a.low, b.high, low);
    if (b.has_low) low = ext_multiply_add(c, a.high, b.low, low);
    if (a.has_low || b.has_low) p = ext_quick_two_sum(c, p.high, low);
    add_exponents(c, &p, a, b, false);
    return p;
}

/* The quotient of the high parts, and what is left over divided once more. */
struct extended ext_div(struct extender *c, struct extended a, struct extended b)
{
    if (a.has_exponent) b = ext_normalized(c, b);
    if (b.has_exponent) a = ext_normalized(c, a);
    const lane_value q = ext_op(c, LANE_DIV, a.high, b.high);
    const struct extended p = ext_two_product(c, q, b.high);
    lane_value rest = ext_minus(c, ext_minus(c, a.high, p.high), p.low);
    if (b.has_low) rest = ext_multiply_add(c, lane_unary(c->program, LANE_NEG, q), b.low, rest);
    if (a.has_low) rest = ext_plus(c, rest, a.low);
    struct extended y = ext_quick_two_sum(c, q, ext_op(c, LANE_DIV, rest, b.high));
    add_exponents(c, &y, a, b, true);
    return y;
}

/* An odd exponent leaves one with the number. */
struct extended ext_sqrt(struct extender *c, struct extended a)
{
    lane_program *p = c->program;
    lane_value half = 0;
    if (a.has_exponent) {
        half = lane_unary(p, LANE_ROUND, ext_times(c, a.exponent, ext_number(c, 0.5)));
        const lane_value odd = ext_minus(c, a.exponent, ext_plus(c, half, half));
        a.high = ext_op(c, LANE_SCALE2, a.high, odd);
        if (a.has_low) a.low = ext_op(c, LANE_SCALE2, a.low, odd);
    }
    const lane_value root = lane_unary(p, LANE_SQRT, a.high), zero = ext_number(c, 0);
    const struct extended square = ext_two_product(c, root, root);
    lane_value rest = ext_minus(c, ext_minus(c, a.high, square.high), square.low);
    if (a.has_low) rest = ext_plus(c, rest, a.low);
    rest = ext_op(c, LANE_DIV, rest, ext_plus(c, root, root));
    rest = lane_select(p, ext_op(c, LANE_LT, zero, root), rest, zero);
    struct extended y = ext_quick_two_sum(c, root, rest);
    y.exponent = half;
    y.has_exponent = a.has_exponent;
    y.bounded = a.bounded || a.has_exponent;
    return y;
}

struct extended ext_select(struct extender *c, lane_value condition, struct extended a, struct extended b)
{
    lane_program *p = c->program;
    if (a.has_exponent) b = ext_normalized(c, b);
    if (b.has_exponent) a = ext_normalized(c, a);
    struct extended y = {.high = lane_select(p, condition, a.high, b.high),
                         .has_low = a.has_low || b.has_low,
                         .has_exponent = a.has_exponent || b.has_exponent};
    const lane_value zero = ext_number(c, 0);
    y.bounded = y.has_exponent || (a.bounded && b.bounded);
    if (y.has_low) y.low = lane_select(p, condition, ext_low(c, a), ext_low(c, b));
    if (y.has_exponent)
        y.exponent =
            lane_select(p, condition, a.has_exponent ? a.exponent : zero, b.has_exponent ? b.exponent : zero);
    return y;
}

lane_value ext_compare(struct extender *c, enum lane_op op, struct extended a, struct extended b)
{
    const bool simple = !a.has_low && !b.has_low && !a.has_exponent && !b.has_exponent;
    return simple ? ext_op(c, op, a.high, b.high) : ext_op(c, op, ext_sub(c, a, b).high, ext_number(c, 0));
}

lane_value extended_rounded(struct extender *c, struct extended v)
{
    const lane_value y = v.has_low ? ext_plus(c, v.high, v.low) : v.high;
    return v.has_exponent ? ext_op(c, LANE_SCALE2, y, clamped_exponent(c, v.exponent)) : y;
}

/* What is below the high part or above it lies between the number of the former's bits and the one before or after: one of
 * the two is odd. */
lane_value extended_odd(struct extender *c, struct extended v)
{
    lane_program *p = c->program;
    if (!v.has_low) return v.high;
    v = ext_quick_two_sum(c, v.high, v.low);
    const lane_value bits = lane_unary(p, LANE_BITCAST, v.high), one = lane_const_bits(p, LANE_I64, 1);
    const lane_value signs = ext_op(c, LANE_XOR, bits, lane_unary(p, LANE_BITCAST, v.low));
    const lane_value towards_zero = ext_op(c, LANE_SHR, signs, lane_const_bits(p, LANE_I64, 63));
    const lane_value odd = ext_op(c, LANE_OR, ext_op(c, LANE_ISUB, bits, towards_zero), one);
    const lane_value exact = ext_op(c, LANE_EQ, v.low, ext_number(c, 0));
    return lane_select(p, exact, v.high, lane_unary(p, LANE_BITCAST, odd));
}

struct extended extended_abs(struct extender *c, struct extended u) { return ext_abs(c, u); }
struct extended extended_sqrt(struct extender *c, struct extended u) { return ext_sqrt(c, u); }

struct extended extended_sign(struct extender *c, struct extended u)
{
    lane_program *p = c->program;
    const lane_value zero = ext_number(c, 0);
    const lane_value y = lane_select(p, ext_is_below_zero(c, u.high), ext_number(c, -1), u.high);
    struct extended s = ext_single(lane_select(p, ext_op(c, LANE_LT, zero, u.high), ext_number(c, 1), y));
    s.bounded = true;
    return s;
}

/* The low part matters where the high one is whole. */
struct extended extended_floor(struct extender *c, struct extended u)
{
    const struct extended a = ext_plain(c, u);
    const lane_value high = lane_floor(c->program, a.high);
    if (!a.has_low) return ext_single(high);
    const lane_value low = lane_select(c->program, ext_op(c, LANE_EQ, high, a.high),
                                       lane_floor(c->program, a.low), ext_number(c, 0));
    return ext_quick_two_sum(c, high, low);
}

/* Rounds to an integer, also where the high word lies in the middle of two. */
struct extended extended_round(struct extender *c, struct extended u)
{
    lane_program *p = c->program;
    const struct extended a = ext_plain(c, u);
    const lane_value high = lane_unary(p, LANE_ROUND, a.high), zero = ext_number(c, 0);
    if (!a.has_low) return ext_single(high);
    const lane_value rest = ext_minus(c, a.high, high), step = ext_plus(c, rest, rest);
    const lane_value is_half = ext_op(c, LANE_EQ, lane_unary(p, LANE_ABS, step), ext_number(c, 1));
    const lane_value beyond = ext_op(c, LANE_LT, zero, ext_times(c, step, a.low));
    lane_value low = lane_select(p, ext_op(c, LANE_MAND, is_half, beyond), step, zero);
    low = lane_select(p, ext_op(c, LANE_EQ, rest, zero), lane_unary(p, LANE_ROUND, a.low), low);
    return ext_quick_two_sum(c, high, low);
}
