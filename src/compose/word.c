/* Operations on words. A word is one lane of the composer's type. The error-free sums and products come from
 * Dekker (1971) and Knuth, with or without fma. */
#include "extended_fit.h"
#include "float_bits.h"

enum lane_type word_type(const struct composer *c) { return c->kind == NUMBER_F32 ? LANE_F32 : LANE_F64; }
unsigned word_precision(const struct composer *c) { return c->kind == NUMBER_F32 ? 24 : 53; }

lane_value word_constant(struct composer *c, double value)
{
    return lane_const(c->program, word_type(c), value);
}

lane_value word_bits(struct composer *c, uint64_t f32_bits, uint64_t f64_bits)
{
    return c->kind == NUMBER_F32 ? lane_const_bits(c->program, LANE_I32, f32_bits)
                                 : lane_const_bits(c->program, LANE_I64, f64_bits);
}

lane_value word_op(struct composer *c, enum lane_op op, lane_value a, lane_value b)
{
    return lane_binary(c->program, op, a, b);
}

lane_value word_add(struct composer *c, lane_value a, lane_value b) { return word_op(c, LANE_ADD, a, b); }
lane_value word_sub(struct composer *c, lane_value a, lane_value b) { return word_op(c, LANE_SUB, a, b); }
lane_value word_mul(struct composer *c, lane_value a, lane_value b) { return word_op(c, LANE_MUL, a, b); }
lane_value word_div(struct composer *c, lane_value a, lane_value b) { return word_op(c, LANE_DIV, a, b); }
lane_value word_neg(struct composer *c, lane_value a) { return lane_unary(c->program, LANE_NEG, a); }
lane_value word_abs(struct composer *c, lane_value a) { return lane_unary(c->program, LANE_ABS, a); }

lane_value word_round(struct composer *c, lane_value a) { return lane_unary(c->program, LANE_ROUND, a); }
lane_value word_bitcast(struct composer *c, lane_value a) { return lane_unary(c->program, LANE_BITCAST, a); }

lane_value word_fma(struct composer *c, lane_value a, lane_value b, lane_value d)
{
    return lane_fma(c->program, a, b, d);
}

lane_value word_select(struct composer *c, lane_value condition, lane_value a, lane_value b)
{
    return lane_select(c->program, condition, a, b);
}

/* Returns integer - offset. As the last bits of 2^52 or 2^23, the integer needs no conversion. */
lane_value word_of_integer(struct composer *c, lane_value integer, double offset)
{
    const double large = c->kind == NUMBER_F32 ? 0x1p23 : 0x1p52;
    const lane_value exponent = word_bits(c, 0x4b000000, UINT64_C(0x433) << 52);
    const lane_value sum = word_bitcast(c, word_op(c, LANE_OR, integer, exponent));
    return word_sub(c, sum, word_constant(c, large + offset));
}

lane_value word_is_negative(struct composer *c, lane_value a)
{
    return word_op(c, LANE_LT, a, word_constant(c, 0));
}

/* min and max return their second operand if either operand is NaN (lane/ops.def). */
lane_value word_at_most(struct composer *c, lane_value u, double limit)
{
    return word_op(c, LANE_MIN, word_constant(c, limit), u);
}

lane_value word_at_least(struct composer *c, lane_value u, double limit)
{
    return word_op(c, LANE_MAX, word_constant(c, limit), u);
}

lane_value word_polynomial(struct composer *c, const double *coefficient, unsigned terms, lane_value x)
{
    lane_value sum = word_constant(c, coefficient[terms - 1]);
    for (unsigned k = terms - 1; k-- > 0;) sum = word_fma(c, sum, x, word_constant(c, coefficient[k]));
    return sum;
}

/* Intervals for the polynomials that double words interpolate in place of fit/'s polynomials. */
static const struct {
    double begin, end;
    unsigned terms;
} interpolated[KERNEL_COUNT] = {
    [KERNEL_ATANH] = {0, 0.0296, 10},  [KERNEL_LOG1P] = {0, 0.1112, 15},
    [KERNEL_SIN] = {0, 0.6170, 8},     [KERNEL_COS] = {0, 0.6170, 8},
    [KERNEL_ATAN] = {0, 0x1.08p-8, 7}, [KERNEL_ERFINV] = {-1 + 0x1p-40, 0.6402, 24}};

const struct polynomial *word_kernel_polynomial(struct composer *c, enum kernel_function kernel)
{
    const unsigned most = polynomial_most_bits(kernel);
    if (c->kind != NUMBER_DOUBLE_WORDS)
        return polynomial_find(c->cache, kernel, word_type(c), c->bits < most ? c->bits : most);
    struct polynomial *made = arena_alloc(c->program->memory, sizeof *made);
    const unsigned terms = interpolated[kernel].terms;
    made->degree = terms - 1;
    if (!ext_fit(made->coefficient, terms, interpolated[kernel].begin, interpolated[kernel].end,
                 polynomial_kernel, &kernel))
        c->impossible = "a function has no polynomial";
    return made;
}

lane_value word_kernel(struct composer *c, enum kernel_function kernel, lane_value x)
{
    const struct polynomial *p = word_kernel_polynomial(c, kernel);
    return word_polynomial(c, p->coefficient, p->degree + 1, x);
}

struct number word_table(struct composer *c, mpfr_function f, unsigned count, unsigned log2_steps,
                         unsigned log2_entries, lane_value index)
{
    lane_program *p = c->program;
    uint64_t high[1 << EXT_LOG2_MOST_ENTRIES] = {0}, low[1 << EXT_LOG2_MOST_ENTRIES] = {0};
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    for (unsigned k = 0; k < count; k++) {
        mpfr_set_ui_2exp(value, k, -(mpfr_exp_t)log2_steps, MPFR_RNDN);
        f(value, value, MPFR_RNDN);
        const struct word_pair pair = word_pair_of(value);
        high[k] = bits_of_f64(pair.high);
        low[k] = bits_of_f64(pair.low);
    }
    mpfr_clear(value);
    return (struct number){.high = lane_lookup(p, lane_table_add(p, LANE_F64, log2_entries, high), index),
                           .low = lane_lookup(p, lane_table_add(p, LANE_F64, log2_entries, low), index),
                           .has_low = true,
                           .bounded = true};
}

/* -- error-free sums and products -- */

struct number word_quick_two_sum(struct composer *c, lane_value a, lane_value b)
{
    const lane_value s = word_add(c, a, b);
    return (struct number){.high = s, .low = word_sub(c, b, word_sub(c, s, a)), .has_low = true};
}

struct number word_two_sum(struct composer *c, lane_value a, lane_value b)
{
    const lane_value s = word_add(c, a, b), part = word_sub(c, s, a);
    const lane_value lost = word_add(c, word_sub(c, a, word_sub(c, s, part)), word_sub(c, b, part));
    return (struct number){.high = s, .low = lost, .has_low = true};
}

struct number word_two_product(struct composer *c, lane_value a, lane_value b)
{
    const lane_value p = word_mul(c, a, b);
    const lane_value lost = lane_plus_product(c->program, word_neg(c, p), a, b);
    return (struct number){.high = p, .low = lost, .has_low = true};
}
