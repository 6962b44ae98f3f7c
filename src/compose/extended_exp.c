/* exp and what is made of it.
 *
 * exp(u) = 2^e T (1 + f): n = round(u 2^k / ln 2) = 2^k e + j, T = 2^(j / 2^k) from a table, f = expm1 of the rest r,
 * |r| <= ln 2 / 2^(k + 1). In f only r itself needs more than 53 bits. */
#include "extended_fit.h"
#include "float_bits.h"

enum { MOST_ENTRIES = 1 << EXT_LOG2_MOST_ENTRIES, TERMS_SMALL_TABLE = 7, TERMS_LARGE_TABLE = 5 };

static const double shifter = 0x1.8p52; /* adding it rounds to an integer, which the last bits then hold */
static const double farthest = 8192;    /* beyond it exp is 0 or infinity, whatever it is multiplied by */

/* As large as is cheap; elsewhere as large as is useful. */
static unsigned log2_entries(const struct extender *c)
{
    return c->program->profile.lookup_f64 >= 16 ? 4 : 7;
}

/* (expm1(r) - r) / r^2 */
static bool rest_of_expm1(void *context, mpfr_t y, mpfr_srcptr r)
{
    (void)context;
    mpfr_t exact;
    if (mpfr_zero_p(r)) return mpfr_set_d(y, 0.5, MPFR_RNDN) == 0;
    mpfr_init2(exact, 2 * EXT_FIT_BITS);
    mpfr_expm1(exact, r, MPFR_RNDN);
    mpfr_sub(exact, exact, r, MPFR_RNDN);
    mpfr_div(exact, exact, r, MPFR_RNDN);
    mpfr_div(y, exact, r, MPFR_RNDN);
    mpfr_clear(exact);
    return true;
}

/* 2^(j / entries), and what its rounding lost. */
static void power_table(uint64_t *high, uint64_t *low, unsigned entries)
{
    mpfr_t power;
    mpfr_init2(power, EXT_FIT_BITS);
    for (unsigned j = 0; j < entries; j++) {
        mpfr_set_ui(power, j, MPFR_RNDN);
        mpfr_div_ui(power, power, entries, MPFR_RNDN);
        mpfr_exp2(power, power, MPFR_RNDN);
        const double rounded = mpfr_get_d(power, MPFR_RNDN);
        mpfr_sub_d(power, power, rounded, MPFR_RNDN);
        high[j] = bits_of_f64(rounded);
        low[j] = bits_of_f64(mpfr_get_d(power, MPFR_RNDN));
    }
    mpfr_clear(power);
}

struct step { /* ln 2 / entries: its leading bits, whose multiples are exact, and the rest; its inverse */
    double high, low, inverse;
};

static struct step step_of(unsigned entries)
{
    struct step s;
    mpfr_t ln2, leading;
    mpfr_init2(ln2, EXT_FIT_BITS);
    mpfr_init2(leading, 32);
    mpfr_const_log2(ln2, MPFR_RNDN);
    mpfr_div_ui(ln2, ln2, entries, MPFR_RNDN);
    mpfr_set(leading, ln2, MPFR_RNDZ);
    s.high = mpfr_get_d(leading, MPFR_RNDN);
    mpfr_sub(leading, ln2, leading, MPFR_RNDN);
    mpfr_t rest;
    mpfr_init2(rest, EXT_FIT_BITS);
    mpfr_sub_d(rest, ln2, s.high, MPFR_RNDN);
    s.low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_ui_div(rest, 1, ln2, MPFR_RNDN);
    s.inverse = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clears(ln2, leading, rest, (mpfr_ptr)0);
    return s;
}

struct
    power { /* (base + change) * 2^exponent; base is 1 and change as exact as the argument where that is small */
    lane_value base, exponent;
    struct extended change;
};

static struct extended reduced(struct extender *c, struct extended u, struct step s, lane_value n)
{
    const lane_value t = ext_minus(c, u.high, ext_times(c, n, ext_number(c, s.high))); /* exact */
    const lane_value w = ext_times(c, n, ext_number(c, s.low));
    const lane_value high = ext_minus(c, t, w);
    lane_value low = ext_minus(c, ext_minus(c, t, high), w);
    if (u.has_low) { /* exp(high + low) is exp(high) (1 + low) */
        low = ext_plus(c, low, u.low);
        low = ext_multiply_add(c, low, high, low);
    }
    return (struct extended){.high = high, .low = low, .has_low = true};
}

/* Clamps u to [least, most] first. */
static struct power power_of(struct extender *c, struct extended u, double least, double most)
{
    lane_program *p = c->program;
    const unsigned log2 = log2_entries(c), entries = 1u << log2;
    const unsigned terms = log2 == 4 ? TERMS_SMALL_TABLE : TERMS_LARGE_TABLE;
    const struct step s = step_of(entries);
    uint64_t high[MOST_ENTRIES], low[MOST_ENTRIES];
    double coefficient[EXT_MOST_TERMS];
    power_table(high, low, entries);
    if (!ext_fit(coefficient, terms, -0.51 * s.high, 0.51 * s.high, rest_of_expm1, NULL))
        c->impossible = "exp has no polynomial";
    u = ext_clamped(c, ext_plain(c, u), least, most);
    const lane_value shift = ext_number(c, shifter);
    const lane_value shifted = ext_multiply_add(c, u.high, ext_number(c, s.inverse), shift);
    const lane_value bits = lane_unary(p, LANE_BITCAST, shifted);
    const lane_value r_multiple = ext_minus(c, shifted, shift);
    const struct extended r = reduced(c, u, s, r_multiple);
    const lane_value square = ext_times(c, r.high, r.high);
    const lane_value rest = ext_multiply_add(c, square, ext_polynomial(c, coefficient, terms, r.high), r.low);
    const struct extended f = ext_quick_two_sum(c, r.high, rest);
    const lane_value base = lane_lookup(p, lane_table_add(p, LANE_F64, log2, high), bits);
    const lane_value base_low = lane_lookup(p, lane_table_add(p, LANE_F64, log2, low), bits);
    struct extended change = ext_two_product(c, base, f.high);
    change.low = ext_multiply_add(c, base, f.low, change.low);
    change.low = ext_plus(c, change.low, ext_multiply_add(c, base_low, f.high, base_low));
    lane_value e = ext_op(c, LANE_AND, bits, lane_const_bits(p, LANE_I64, ~UINT64_C(0) << log2));
    e = ext_minus(c, lane_unary(p, LANE_BITCAST, e), shift);
    return (struct power){base, ext_times(c, e, ext_number(c, 1.0 / entries)), change};
}

struct ext_power ext_plain_exp(struct extender *c, struct extended u, bool exact_base)
{
    lane_program *p = c->program;
    const unsigned log2 = log2_entries(c), entries = 1u << log2;
    const unsigned terms = log2 == 4 ? TERMS_SMALL_TABLE - 1 : TERMS_LARGE_TABLE - 1;
    const struct step s = step_of(entries);
    uint64_t high[MOST_ENTRIES], low[MOST_ENTRIES];
    double coefficient[EXT_MOST_TERMS];
    power_table(high, low, entries);
    if (!ext_fit(coefficient, terms, -0.51 * s.high, 0.51 * s.high, rest_of_expm1, NULL))
        c->impossible = "exp has no polynomial";
    const lane_value shift = ext_number(c, shifter);
    const lane_value shifted = ext_multiply_add(c, u.high, ext_number(c, s.inverse), shift);
    const lane_value bits = lane_unary(p, LANE_BITCAST, shifted), n = ext_minus(c, shifted, shift);
    lane_value r = ext_multiply_add(c, n, ext_number(c, -s.high), u.high); /* exact */
    r = ext_multiply_add(c, n, ext_number(c, -s.low), r);
    if (u.has_low) r = ext_plus(c, r, u.low);
    const lane_value square = ext_times(c, r, r);
    const lane_value f = ext_multiply_add(c, square, ext_polynomial(c, coefficient, terms, r), r);
    const lane_value base = lane_lookup(p, lane_table_add(p, LANE_F64, log2, high), bits);
    lane_value e = ext_op(c, LANE_AND, bits, lane_const_bits(p, LANE_I64, ~UINT64_C(0) << log2));
    e = ext_minus(c, lane_unary(p, LANE_BITCAST, e), shift);
    lane_value change = ext_times(c, base, f);
    if (exact_base) {
        const lane_value rest = lane_lookup(p, lane_table_add(p, LANE_F64, log2, low), bits);
        change = ext_multiply_add(c, base, f, rest);
    }
    return (struct ext_power){base, change, ext_times(c, e, ext_number(c, 1.0 / entries))};
}

/* Takes whole turns of ln 2 out of a u beyond the farthest: what it is multiplied by may reach as far. To the 53 bits of
 * u, and the same for -u, so that exp(u) exp(-u) is 1. */
static struct extended without_turns(struct extender *c, struct extended u, lane_value *turns)
{
    const double inverse_ln2 = 0x1.71547652b82fep0, ln2 = 0x1.62e42fefa39efp-1;
    lane_program *p = c->program;
    u = ext_clamped(c, u, -0x1p1000, 0x1p700); /* what dies out wins: the square in erfc(t) ends at 2^800 */
    const lane_value size = lane_unary(p, LANE_ABS, u.high), zero = ext_number(c, 0);
    const lane_value far = ext_op(c, LANE_LT, ext_number(c, farthest), size);
    const lane_value t = ext_times(c, u.high, ext_number(c, inverse_ln2)), n = lane_unary(p, LANE_ROUND, t);
    const lane_value rest = ext_times(c, ext_minus(c, t, n), ext_number(c, ln2));
    *turns = lane_select(p, far, n, zero);
    u.high = lane_select(p, far, rest, u.high);
    if (u.has_low) u.low = lane_select(p, far, zero, u.low);
    return u;
}

struct extended extended_exp(struct extender *c, struct extended u)
{
    lane_value turns = 0;
    if (c->far) u = without_turns(c, ext_plain(c, u), &turns);
    const struct power y = power_of(c, u, -farthest, farthest);
    struct extended m = ext_quick_two_sum(c, y.base, y.change.high);
    m.low = ext_plus(c, m.low, y.change.low);
    m.exponent = y.exponent;
    if (c->far) { /* beside the turns the rest's exponent would be lost: it is 0, 1 or -1 */
        const lane_value near = ext_op(c, LANE_EQ, turns, ext_number(c, 0));
        m.exponent = lane_select(c->program, near, y.exponent, turns);
        const lane_value n = lane_select(c->program, near, ext_number(c, 0), y.exponent);
        m.high = ext_op(c, LANE_SCALE2, m.high, n);
        m.low = ext_op(c, LANE_SCALE2, m.low, n);
    }
    m.has_exponent = m.bounded = true;
    return m;
}

/* (2^e base - 1) + 2^e change, where 2^e is a number. */
static struct extended expm1_within(struct extender *c, struct extended u, double most)
{
    const struct power y = power_of(c, u, -90, most);
    const lane_value base = ext_op(c, LANE_SCALE2, y.base, y.exponent);
    struct extended change = y.change;
    change.high = ext_op(c, LANE_SCALE2, change.high, y.exponent);
    change.low = ext_op(c, LANE_SCALE2, change.low, y.exponent);
    return ext_add(c, ext_two_sum(c, base, ext_number(c, -1)), change);
}

/* Where it is large, 2^-e is what the 1 has become. */
struct extended extended_expm1(struct extender *c, struct extended u)
{
    const struct power y = power_of(c, u, -90, farthest);
    const lane_value zero = ext_number(c, 0), exponent = ext_op(c, LANE_MAX, zero, y.exponent);
    const lane_value scale = ext_minus(c, y.exponent, exponent);
    lane_value one = ext_op(c, LANE_MAX, ext_number(c, -200), lane_unary(c->program, LANE_NEG, exponent));
    one = ext_op(c, LANE_SCALE2, ext_number(c, -1), one);
    struct extended change = y.change;
    change.high = ext_op(c, LANE_SCALE2, change.high, scale);
    change.low = ext_op(c, LANE_SCALE2, change.low, scale);
    const struct extended base = ext_two_sum(c, ext_op(c, LANE_SCALE2, y.base, scale), one);
    struct extended sum = ext_scaled(c, ext_add(c, base, change), exponent);
    sum.bounded = true;
    return ext_where_tiny(c, u, u, sum);
}

struct extended extended_sigmoid(struct extender *c, struct extended u)
{
    const struct extended one = ext_integer(c, 1);
    return ext_div(c, one, ext_add(c, one, extended_exp(c, ext_neg(c, u))));
}

/* t / (t + 2) with t = expm1(2u); beyond |2u| = 85 it is 1 to 36 digits. */
struct extended extended_tanh(struct extender *c, struct extended whole)
{
    struct extended u = ext_plain(c, whole);
    u.high = ext_plus(c, u.high, u.high);
    if (u.has_low) u.low = ext_plus(c, u.low, u.low);
    const struct extended t = expm1_within(c, u, 85);
    return ext_where_tiny(c, whole, whole, ext_div(c, t, ext_add(c, t, ext_integer(c, 2))));
}
