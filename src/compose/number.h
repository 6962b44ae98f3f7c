/* The values of a composed formula. A number is a word, which is an f32 or f64 in a lane. In double words, a
 * number is the unevaluated sum of two f64, which may have an exponent of its own. An operation on numbers
 * suits the composer's kind. On words it is one operation. On double words it is about 20, which keep about
 * 100 of 106 bits. */
#ifndef ACTGEN_NUMBER_H
#define ACTGEN_NUMBER_H

#include "expr.h"
#include "lane.h"
#include "polynomial.h"

#include <mpfr.h>

/* The default kind is double words. */
enum number_kind { NUMBER_DOUBLE_WORDS, NUMBER_F32, NUMBER_F64 };

/* (high + low) * 2^exponent, where |low| is at most about ulp(high)/2. The exponent is an integral f64. Words
 * have no exponent. They have no low word except in two words of f32. */
struct number {
    lane_value high, low, exponent;
    bool has_low, has_exponent;
    bool loose; /* f32 words: |low| may be a sizable part of |high| */
    /* `high` is 0, or |high| is between 2^-100 and 2^100. Always true with an exponent. */
    bool bounded;
};

/* The ways of writing that a composer can be asked for, as bits of a set. */
enum composer_way {
    /* Words: computes x/10 instead of 0.1*x, so that x/10 - 0.3 is zero at 3. */
    COMPOSE_QUOTIENTS = 1 << 0,
    /* Words: also fuses products with rounded constants, which moves their zeros by the rounding error. */
    COMPOSE_FUSED = 1 << 1,
    /* f32: numbers may have a low word, of which a few bits are right (pairs.c). Needs fma. */
    COMPOSE_PAIRS = 1 << 2,
    /* f32: expm1 stays correct until it overflows, and log down to subnormals. This costs a few more
     * operations. Double words: exponents stay right, if not exact, where exp leaves all formats by far.
     * exp(x) can then be multiplied by exp(-x^2). */
    COMPOSE_FAR = 1 << 3,
    /* f32: exp, expm1 and atan keep the rounding errors of their sums, for four more operations. So do sin,
     * cos and tan by quarter turns, for ten, and logarithms by tables. */
    COMPOSE_CAREFUL = 1 << 4,
    /* f32: exp and expm1 use ln 2 as one word, which moves e^u by u 2^-26 of itself (without fma 2^-24). */
    COMPOSE_ROUGH = 1 << 5,
    /* f32: sin and cos are reduced by halves or quarters of a turn (turn_parts.c). They are then right for
     * inputs of a limited size, see turns_to. */
    COMPOSE_HALF_TURNS = 1 << 6,
    COMPOSE_QUARTER_TURNS = 1 << 7,
    /* f32: log and log1p look up in tables (log_table.h). Needs fma. */
    COMPOSE_TABLES = 1 << 8
};

struct composer {
    lane_program *program;
    enum number_kind kind;
    unsigned bits;     /* words: the relative accuracy of the polynomials */
    unsigned ways;     /* a set of enum composer_way */
    unsigned heeds;    /* the ways of functions that were written: they make a difference there */
    unsigned log_bits; /* COMPOSE_TABLES: log2 of the entries of a table */
    bool has_roots;    /* COMPOSE_TABLES: a square root costs nothing beside other operations */
    bool of_f64;       /* f64 words: the input is an f64, and may be subnormal */
    bool flushes;      /* f32: log may take subnormal numbers for 0, which then replaces COMPOSE_FAR */
    /* Words: the input's least and largest value, or NULL if they are not known. A min or max that this range
     * decides needs no operation. */
    const float *range;
    /* The size of inputs up to which sin and cos are right. 0: no limit. */
    double turns_to;
    /* The interval of the argument of the function that is being written. NULL if not known. Clamps that the
     * interval makes unnecessary are left out. */
    const struct enclosed *argument;
    struct polynomial_cache *cache; /* the polynomials made so far, for words */
    /* Double words: the segments of erfc and normcdf, made at the first use. Several composers may share
     * them. */
    struct segments **tails;
    struct number input;         /* the value of EXPR_INPUT 0, in f64 words an f32 number */
    const struct number *others; /* the values of EXPR_INPUT 1 and so on, where a formula has those */
    /* The reason why a function has no form in this kind. NULL if every function has one. */
    const char *impossible;
};

/* Returns whether a function is to be written in this way. Notes that the way makes a difference there. */
static inline bool composer_heeds(struct composer *c, enum composer_way way)
{
    c->heeds |= way;
    return c->ways & way;
}

/* -- words: lanes of the composer's type -- */

enum lane_type word_type(const struct composer *c);
/* Returns the number of bits in the significand, the leading bit included. */
unsigned word_precision(const struct composer *c);
lane_value word_constant(struct composer *c, double value);
/* Returns an integer of the type's width. */
lane_value word_bits(struct composer *c, uint64_t f32_bits, uint64_t f64_bits);
lane_value word_op(struct composer *c, enum lane_op op, lane_value a, lane_value b);
lane_value word_add(struct composer *c, lane_value a, lane_value b);
lane_value word_sub(struct composer *c, lane_value a, lane_value b);
lane_value word_mul(struct composer *c, lane_value a, lane_value b);
lane_value word_div(struct composer *c, lane_value a, lane_value b);
lane_value word_neg(struct composer *c, lane_value a);
lane_value word_abs(struct composer *c, lane_value a);
/* Rounds to the nearest integer, ties to even. */
lane_value word_round(struct composer *c, lane_value a);
/* Returns the bits as an integer, or the reverse. */
lane_value word_bitcast(struct composer *c, lane_value a);
/* Returns integer - offset, for 0 <= integer < 2^23. */
lane_value word_of_integer(struct composer *c, lane_value integer, double offset);
/* Returns a b + d. Without fma it is rounded twice. */
lane_value word_fma(struct composer *c, lane_value a, lane_value b, lane_value d);
lane_value word_select(struct composer *c, lane_value condition, lane_value a, lane_value b);
/* Returns whether a < 0. */
lane_value word_is_negative(struct composer *c, lane_value a);
/* Return min(limit, u) and max(limit, u), and keep a NaN in u. */
lane_value word_at_most(struct composer *c, lane_value u, double limit);
lane_value word_at_least(struct composer *c, lane_value u, double limit);
/* Returns the sum of coefficient[k] x^k. `x` must not be a lookup's index. */
lane_value word_polynomial(struct composer *c, const double *coefficient, unsigned terms, lane_value x);
/* Returns a polynomial for a kernel of fit/, accurate to the composer's bits. Double words have all kernels
 * except those of exp and erf, with 53 bits. */
const struct polynomial *word_kernel_polynomial(struct composer *c, enum kernel_function kernel);
lane_value word_kernel(struct composer *c, enum kernel_function kernel, lane_value x);

/* -- error-free sums and products of words -- */

struct number word_two_sum(struct composer *c, lane_value a, lane_value b);
/* Needs |a| >= |b|, or an a that is a multiple of b's last place. */
struct number word_quick_two_sum(struct composer *c, lane_value a, lane_value b);
struct number word_two_product(struct composer *c, lane_value a, lane_value b);

/* -- two words of f32 -- */

/* Returns a + b with the rounding errors of the words, to first order. `a_is_larger` promises that |a| >=
 * |b|. */
struct number pair_plus(struct composer *c, struct number a, struct number b, bool a_is_larger);
/* Returns `a` in a form that is not loose: the high word is the rounded sum. */
struct number pair_normalized(struct composer *c, struct number a);
struct number pair_times(struct composer *c, struct number a, struct number b);
struct number pair_over(struct composer *c, struct number a, struct number b);
struct number pair_sqrt(struct composer *c, struct number a);
/* slope (x + root), for an x between `low` and `high`. These limits may be rounded outwards beyond f32. */
struct held_line {
    mpq_srcptr slope;
    double root, low, high;
};
/* Computes a line in two words. The high word is the line rounded to steps of one size. The low word then has
 * only its own rounding error. A low word that would be 0 is made tiny, so that its product with an infinity
 * is infinite. Returns false without fma, or if 1/slope or the line's ends have too many bits. */
bool pair_of_held_line(struct number *out, struct composer *c, const struct held_line *l, lane_value x);
/* Returns a b, rounded once. */
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
/* Returns the value, rounded once to the kind. In double words, a value outside of f64's range has an
 * exponent. Changes `value`. */
struct number number_of_mpfr(struct composer *c, mpfr_ptr value);
/* Multiplies `product`, of COMPOSE_CONSTANT_BITS, by the value of a constant expression. */
void constant_multiply(mpfr_ptr product, const expr *e);
/* Returns whether rounding the constant to a word changes it, as far as the constant's form tells. */
bool constant_is_rounded(const struct composer *c, const expr *e);
/* Returns whether the number is not a float, but its numerator and denominator are. Multiplying x by the
 * numerator and dividing by the denominator then rounds x like the exact product. */
bool constant_is_quotient(const struct composer *c, const expr *e);
/* Returns the product of constant expressions, rounded once. */
struct number number_of_constants(struct composer *c, const expr *const *list, unsigned count);

/* Returns f(k / 2^log2_steps) in double words, for k < count. k is in the last bits of `index`. */
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
/* Returns the product with a power of two within f64, which loses nothing. */
struct number number_times_power(struct composer *c, struct number a, double power);
struct number number_doubled(struct composer *c, struct number a);
struct number number_select(struct composer *c, lane_value condition, struct number a, struct number b);
/* Returns `size`, negated where u is negative. */
struct number number_with_sign_of(struct composer *c, struct number size, struct number u);
/* Applies LANE_MIN or LANE_MAX. Returns the second operand where either is NaN. */
struct number number_choice(struct composer *c, enum lane_op op, struct number a, struct number b);
/* Compares by LANE_LT, LANE_LE or LANE_EQ: a < b, a <= b, a == b. */
lane_value number_compare(struct composer *c, enum lane_op op, struct number a, struct number b);
/* Clamps a value without an exponent to the limits. Keeps NaN. */
struct number number_clamped(struct composer *c, struct number u, double least, double most);
/* Returns the low word, or 0 if there is none. */
lane_value number_low(struct composer *c, struct number v);

/* -- exponents -- */

/* Multiplies both words by 2^n, for an n that scale2 takes. */
struct number number_times_2_to(struct composer *c, struct number a, lane_value n);
/* Returns the value times 2^n, where the exponent takes n. n is an integral f64 of up to some thousands. */
struct number number_scaled(struct composer *c, struct number a, lane_value n);
/* Returns `a` where u has an exponent that makes it smaller than 2^-60, and `b` elsewhere. */
struct number number_where_tiny(struct composer *c, struct number u, struct number a, struct number b);
/* Returns the value without an exponent. Outside of f64 it becomes infinite or zero. */
struct number number_plain(struct composer *c, struct number a);
/* Returns the value with an exponent and a bounded high word. Infinities and NaN become arbitrary values. */
struct number number_normalized(struct composer *c, struct number a);

/* -- results -- */

/* Returns one word, rounded once (twice if it is subnormal). */
lane_value number_rounded(struct composer *c, struct number v);
/* Returns one f64, rounded to odd: the last bit is 1 wherever something was left out. Rounding this f64 to
 * f32 then rounds the value itself. `v` has no exponent. Source: Boldo, Melquiond, "Emulation of FMA and
 * correctly rounded sums: proved algorithms using rounding to odd", IEEE TC 57 (2008). */
lane_value number_odd(struct composer *c, struct number v);

#endif
