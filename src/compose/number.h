/* What a composed formula computes with. A number is a word, which is an f32 or f64 in a lane; or, in double
 * words, the unevaluated sum of two f64, which may have an exponent of its own. Operations on numbers do what
 * the composer's kind needs: on words one operation, on double words some 20, which keep some 100 bits of
 * 106. */
#ifndef ACTGEN_NUMBER_H
#define ACTGEN_NUMBER_H

#include "expr.h"
#include "lane.h"
#include "polynomial.h"

#include <mpfr.h>

/* Double words are what a composer has of which nothing else is said. */
enum number_kind { NUMBER_DOUBLE_WORDS, NUMBER_F32, NUMBER_F64 };

/* (high + low) * 2^exponent, |low| <= ulp(high)/2 or about it; `low` and `exponent` may be absent, and are
 * for words. The exponent is an integral f64. */
struct number {
    lane_value high, low, exponent;
    bool has_low, has_exponent;
    bool loose;   /* of f32 words: |low| may be a part of |high| */
    bool bounded; /* high is 0 or of a size between 2^-100 and 2^100; always true with an exponent */
};

struct composer {
    lane_program *program;
    enum number_kind kind;
    unsigned bits;  /* of words: relative accuracy of the polynomials */
    bool quotients; /* of words: x/10 instead of 0.1*x, so that x/10 - 0.3 is zero at 3 */
    /* f32: expm1 holds up to where it overflows, and log down to the subnormals, for some operations more.
     * Double words: exponents are right, if not exact, where exp leaves all formats by far: exp(x) may meet
     * exp(-x^2). */
    bool far;
    /* of words: the input's least and largest value, if they are known; choices that they decide are not made
     */
    const float *range;
    bool fuses;   /* of words: products with rounded constants too, whose zeros move by as much */
    bool careful; /* f32: exp and expm1 keep what their sums would lose, for four operations more */
    bool
        pairs; /* f32: numbers may have a low word, of which a few bits are right (pairs.c); with fma alone */
    bool rough; /* f32: exp and expm1 take ln 2 as one word, which moves e^u by u 2^-26 of itself (without fma
                   2^-24) */
    const struct enclosed *argument; /* where that of the function lies which is being written, if it is
                                        known: clamps need not be made */
    struct polynomial_cache *cache;  /* for words */
    /* For double words, of erfc and normcdf: made when first asked for; may be shared by several composers.
     */
    struct segments **tails;
    struct number input; /* EXPR_INPUT 0; of f64 words: an f32 number */
    bool has_far, has_careful,
        has_rough;          /* set where `far`, `careful` and `rough` make a difference to f32 */
    const char *impossible; /* set where a function has no form in this kind: why */
};

/* -- words: lanes of the composer's type -- */

enum lane_type word_type(const struct composer *c);
unsigned word_precision(const struct composer *c); /* bits of its fraction, the first included */
lane_value word_constant(struct composer *c, double value);
/* An integer of the type's width. */
lane_value word_bits(struct composer *c, uint64_t f32_bits, uint64_t f64_bits);
lane_value word_op(struct composer *c, enum lane_op op, lane_value a, lane_value b);
lane_value word_add(struct composer *c, lane_value a, lane_value b);
lane_value word_sub(struct composer *c, lane_value a, lane_value b);
lane_value word_mul(struct composer *c, lane_value a, lane_value b);
lane_value word_div(struct composer *c, lane_value a, lane_value b);
lane_value word_neg(struct composer *c, lane_value a);
lane_value word_abs(struct composer *c, lane_value a);
/* To the nearest integer, ties to even. */
lane_value word_round(struct composer *c, lane_value a);
/* The bits as an integer, and back. */
lane_value word_bitcast(struct composer *c, lane_value a);
/* integer - offset, 0 <= integer < 2^23. */
lane_value word_of_integer(struct composer *c, lane_value integer, double offset);
/* a b + d; two roundings without fma. */
lane_value word_fma(struct composer *c, lane_value a, lane_value b, lane_value d);
lane_value word_select(struct composer *c, lane_value condition, lane_value a, lane_value b);
/* Whether a < 0. */
lane_value word_is_negative(struct composer *c, lane_value a);
/* min(limit, u) and max(limit, u) that keep a NaN in u. */
lane_value word_at_most(struct composer *c, lane_value u, double limit);
lane_value word_at_least(struct composer *c, lane_value u, double limit);
/* sum of coefficient[k] x^k; `x` may be anything but a lookup's index. */
lane_value word_polynomial(struct composer *c, const double *coefficient, unsigned terms, lane_value x);
/* A kernel of fit/ by a polynomial to the composer's bits; in double words to 53 bits, and all but those of
 * exp and erf. */
const struct polynomial *word_kernel_polynomial(struct composer *c, enum kernel_function kernel);
lane_value word_kernel(struct composer *c, enum kernel_function kernel, lane_value x);

/* -- error-free sums and products of words -- */

struct number word_two_sum(struct composer *c, lane_value a, lane_value b);
/* |a| >= |b| or a is a multiple of b's last place. */
struct number word_quick_two_sum(struct composer *c, lane_value a, lane_value b);
struct number word_two_product(struct composer *c, lane_value a, lane_value b);

/* -- two words of f32 -- */

/* With what the words lose, to first order. `a_is_larger`: |a| >= |b|, certainly. */
struct number pair_plus(struct composer *c, struct number a, struct number b, bool a_is_larger);
/* Not loose: the high word is the sum rounded. */
struct number pair_normalized(struct composer *c, struct number a);
struct number pair_times(struct composer *c, struct number a, struct number b);
struct number pair_over(struct composer *c, struct number a, struct number b);
struct number pair_sqrt(struct composer *c, struct number a);
/* slope (x + root), of an x that is between `low` and `high`, which may be rounded outwards beyond f32. */
struct held_line {
    mpq_srcptr slope;
    double root, low, high;
};
/* The high word is the line to steps of one size, from which the low one is known without a rounding but its
 * own; it is not quite 0 where it is nothing, so that the product with an infinity is one. False without fma,
 * or where 1/slope, or the line's ends, have too many bits. */
bool pair_of_held_line(struct number *out, struct composer *c, const struct held_line *l, lane_value x);
/* a b, rounded once. */
lane_value pair_product_rounded(struct composer *c, struct number a, struct number b);

/* -- making numbers -- */

struct number number_of_word(lane_value high);
struct number number_integer(struct composer *c, double value);
struct word_pair { /* a number to 106 bits */
    double high, low;
};
struct word_pair word_pair_of(mpfr_srcptr value);
extern const struct word_pair word_pair_half_pi;
struct number number_of_pair(struct composer *c, struct word_pair value);
/* The value rounded once to the kind; one that f64 does not hold has an exponent in double words. Changes
 * `value`. */
struct number number_of_mpfr(struct composer *c, mpfr_ptr value);
/* Multiplies `product`, of COMPOSE_CONSTANT_BITS, by the value of a constant expression. */
void constant_multiply(mpfr_ptr product, const expr *e);
/* The product of constant expressions, rounded once. */
struct number number_of_constants(struct composer *c, const expr *const *list, unsigned count);

/* f(k / 2^log2_steps), k < count, in double words, k being the last bits of `index`. */
typedef int (*mpfr_function)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding);
struct number word_table(struct composer *c, mpfr_function f, unsigned count, unsigned log2_steps,
                         unsigned log2_entries, lane_value index);

/* -- arithmetic -- */

struct number number_neg(struct composer *c, struct number a);
struct number number_abs(struct composer *c, struct number a);
struct number number_plus(struct composer *c, struct number a, struct number b);
struct number number_minus(struct composer *c, struct number a, struct number b);
struct number number_times(struct composer *c, struct number a, struct number b);
struct number number_over(struct composer *c, struct number a, struct number b);
struct number number_sqrt(struct composer *c, struct number a);
/* The product with a power of two within f64, where nothing is lost. */
struct number number_times_power(struct composer *c, struct number a, double power);
struct number number_doubled(struct composer *c, struct number a);
struct number number_select(struct composer *c, lane_value condition, struct number a, struct number b);
/* `size`, but negative where u is. */
struct number number_with_sign_of(struct composer *c, struct number size, struct number u);
/* LANE_MIN or LANE_MAX: the second where one is NaN. */
struct number number_choice(struct composer *c, enum lane_op op, struct number a, struct number b);
/* a < b, a <= b, a == b by LANE_LT, LANE_LE, LANE_EQ. */
lane_value number_compare(struct composer *c, enum lane_op op, struct number a, struct number b);
/* Clamps a value without exponent to the limits. Keeps NaN. */
struct number number_clamped(struct composer *c, struct number u, double least, double most);
/* `low` of a value without is 0. */
lane_value number_low(struct composer *c, struct number v);

/* -- exponents -- */

/* Both words times 2^n, where scale2 takes n. */
struct number number_times_2_to(struct composer *c, struct number a, lane_value n);
/* Returns the value times 2^n, n an integral f64 of some thousands; in its exponent. */
struct number number_scaled(struct composer *c, struct number a, lane_value n);
/* `a` where u has an exponent that makes it smaller than 2^-60, else `b`. */
struct number number_where_tiny(struct composer *c, struct number u, struct number a, struct number b);
/* Without an exponent: infinite or zero beyond f64. */
struct number number_plain(struct composer *c, struct number a);
/* With one, whose high part is bounded. Infinities and NaN become anything. */
struct number number_normalized(struct composer *c, struct number a);

/* -- results -- */

/* One word, rounded once (twice where it is subnormal). */
lane_value number_rounded(struct composer *c, struct number v);
/* One f64, rounded to odd: the last bit is 1 wherever something was left out, so that rounding it to f32
 * rounds the value itself (Boldo, Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms
 * using rounding to odd", IEEE TC 57 (2008)). `v` has no exponent. */
lane_value number_odd(struct composer *c, struct number v);

#endif
