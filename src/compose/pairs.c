/* Two words of f32: what an operation loses is kept to first order, which makes a result within an ulp of half as many operations
 * as f64 lanes take. Low words are some units of the high one's last place,
 * but for loose numbers, which are normalized before they are multiplied. */
#include "number.h"

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

/* a's low word times b's high one and b's times a's, and `low`, if there is one. */
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

/* What the quotient of the high words leaves over, times 1/b again. */
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
