/* Numbers of about 100 bits: the sum of two doubles, where the second is at most half a unit of the first's
 * last place.
 *
 * An operation's error is at most PAIR_ERROR times the sum of its operands' sizes. For products and quotients
 * it is at most PAIR_ERROR times the result's size. Both hold as long as nothing leaves the range of doubles.
 * Underflow adds at most PAIR_TINY. */
#ifndef ACTGEN_PAIR_H
#define ACTGEN_PAIR_H

#include <math.h>

#define PAIR_ERROR 0x1p-98 /* eight times the proven error of these algorithms */
#define PAIR_TINY  0x1p-1000

struct pair {
    double high, low;
};

static inline struct pair pair_of(double high) { return (struct pair){high, 0}; }

static inline struct pair pair_sum(double a, double b) /* exact */
{
    const double sum = a + b, part = sum - a;
    return (struct pair){sum, (a - (sum - part)) + (b - part)};
}

static inline struct pair pair_quick_sum(double a, double b) /* exact if |a| >= |b| or a is 0 */
{
    const double sum = a + b;
    return (struct pair){sum, b - (sum - a)};
}

static inline struct pair pair_product(double a, double b) /* exact */
{
    const double product = a * b;
    return (struct pair){product, fma(a, b, -product)};
}

static inline struct pair pair_add(struct pair a, struct pair b)
{
    struct pair high = pair_sum(a.high, b.high), low = pair_sum(a.low, b.low);
    high = pair_quick_sum(high.high, high.low + low.high);
    return pair_quick_sum(high.high, high.low + low.low);
}

static inline struct pair pair_neg(struct pair a) { return (struct pair){-a.high, -a.low}; }

static inline struct pair pair_mul(struct pair a, struct pair b)
{
    const struct pair high = pair_product(a.high, b.high);
    return pair_quick_sum(high.high, fma(a.high, b.low, fma(a.low, b.high, high.low)));
}

static inline struct pair pair_div(struct pair a, struct pair b)
{
    const double first = a.high / b.high;
    const struct pair rest = pair_add(a, pair_neg(pair_mul(b, pair_of(first))));
    const double second = rest.high / b.high;
    const struct pair last = pair_add(rest, pair_neg(pair_mul(b, pair_of(second))));
    return pair_add(pair_quick_sum(first, second), pair_of(last.high / b.high));
}

static inline struct pair pair_scale(struct pair a, int exponent)
{
    return (struct pair){ldexp(a.high, exponent), ldexp(a.low, exponent)};
}

#endif
