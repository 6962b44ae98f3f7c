/* Two words of f32. Each operation keeps its rounding error to first order. A result within an ulp then takes
 * half as many operations as in f64 lanes. A low word is some units of the high word's last place. Loose
 * numbers may have larger low words, and are normalized before they are multiplied. */
#include "number.h"

#include <math.h>

struct number pair_normalized(struct composer *c, struct number a)
{
    return a.loose ? word_quick_two_sum(c, a.high, a.low) : a;
}

static lane_value negated(struct composer *c, lane_value a) { return word_neg(c, a); }

struct number pair_plus(struct composer *c, struct number a, struct number b, bool a_is_larger)
{
    struct number s = a_is_larger ? word_quick_two_sum(c, a.high, b.high) : word_two_sum(c, a.high, b.high);
    if (a.has_low) s.low = word_add(c, s.low, a.low);
    if (b.has_low) s.low = word_add(c, s.low, b.low);
    s.loose = a.loose || b.loose;
    return s;
}

/* Adds a's low word times b's high word, b's low word times a's high word, and `low` if it is not NULL. */
static lane_value cross_terms(struct composer *c, struct number a, struct number b, const lane_value *low)
{
    lane_value sum = low ? *low : 0;
    bool any = low;
    const struct number of[2][2] = {{a, b}, {b, a}};
    for (int k = 0; k < 2; k++) {
        if (!of[k][0].has_low) continue;
        sum = any ? word_fma(c, of[k][0].low, of[k][1].high, sum) : word_mul(c, of[k][0].low, of[k][1].high);
        any = true;
    }
    return sum;
}

struct number pair_times(struct composer *c, struct number a, struct number b)
{
    a = pair_normalized(c, a), b = pair_normalized(c, b);
    struct number p = word_two_product(c, a.high, b.high);
    p.low = cross_terms(c, a, b, &p.low);
    return p;
}

lane_value pair_product_rounded(struct composer *c, struct number a, struct number b)
{
    a = pair_normalized(c, a), b = pair_normalized(c, b);
    if (!a.has_low && !b.has_low) return word_mul(c, a.high, b.high);
    return word_fma(c, a.high, b.high, cross_terms(c, a, b, NULL));
}

/* Divides. The low word is the remainder of the high words' quotient, multiplied by 1/b again. */
struct number pair_over(struct composer *c, struct number a, struct number b)
{
    a = pair_normalized(c, a), b = pair_normalized(c, b);
    const lane_value inverse = word_div(c, word_constant(c, 1), b.high), q = word_mul(c, a.high, inverse);
    lane_value rest = word_fma(c, negated(c, q), b.high, a.high);
    if (b.has_low) rest = word_fma(c, negated(c, q), b.low, rest);
    if (a.has_low) rest = word_add(c, rest, a.low);
    return (struct number){.high = q, .low = word_mul(c, rest, inverse), .has_low = true};
}

struct number pair_sqrt(struct composer *c, struct number a)
{
    a = pair_normalized(c, a);
    const lane_value root = lane_unary(c->program, LANE_SQRT, a.high);
    lane_value rest = word_fma(c, negated(c, root), root, a.high);
    if (a.has_low) rest = word_add(c, rest, a.low);
    const lane_value inverse = word_div(c, word_constant(c, 1), root);
    rest = word_mul(c, word_mul(c, rest, word_constant(c, 0.5)), inverse);
    return (struct number){.high = root, .low = rest, .has_low = true};
}

/* Returns the largest power of two that divides the value. */
static double largest_unit(double value)
{
    int exponent;
    long long whole = (long long)ldexp(frexp(fabs(value), &exponent), 53);
    return ldexp((double)(whole & -whole), exponent - 53);
}

/* Returns the least power of two that is not less than the value. */
static double power_above(double value)
{
    int exponent;
    return frexp(value, &exponent) == 0.5 ? value : ldexp(1, exponent);
}

/* Returns 1/q if it is an f32 number, and 0 otherwise. */
static double inverse_of(mpq_srcptr q)
{
    mpq_t inverse;
    mpq_init(inverse);
    mpq_inv(inverse, q);
    const double value = mpq_get_d(inverse);
    const bool is_float = mpz_popcount(mpq_denref(inverse)) == 1 && value == (double)(float)value;
    mpq_clear(inverse);
    return is_float ? value : 0;
}

bool pair_of_held_line(struct number *out, struct composer *c, const struct held_line *l, lane_value x)
{
    /* The low word's share of the high word, where the high word is not 0. */
    static const double least = 0x1p-60;
    const double inverse = inverse_of(l->slope), low = (double)(float)l->low, high = (double)(float)l->high;
    if (!c->program->profile.fma || inverse == 0) return false;
    const double ends[2] = {(low + l->root) / inverse, (high + l->root) / inverse};
    const double size = power_above(fmax(fabs(ends[0]), fabs(ends[1])));
    const bool is_positive = fmin(ends[0], ends[1]) >= 0;
    const double shifter = is_positive ? size : 3 * size;
    const double step = (is_positive ? size : 2 * size) * 0x1p-23 * largest_unit(inverse);
    if (!(fmax(fabs(low), fabs(high)) <= 0x1p24 * step) || fmod(l->root, step) != 0) return false;
    const lane_value m = word_constant(c, (double)(float)(1 / inverse));
    const lane_value shifted =
        word_fma(c, x, m, word_constant(c, (double)(float)(l->root / inverse + shifter)));
    const lane_value line = word_sub(c, shifted, word_constant(c, shifter));
    const lane_value opposite = word_fma(c, line, word_constant(c, -inverse), word_constant(c, l->root));
    const lane_value rest = word_add(c, x, opposite);
    *out = (struct number){.high = line, .has_low = true};
    out->low = is_positive ? word_fma(c, rest, m, word_op(c, LANE_MIN, word_constant(c, least), line))
                           : word_fma(c, line, word_constant(c, least), word_mul(c, rest, m));
    return true;
}
