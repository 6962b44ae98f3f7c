/* Writes erf, erfc and normcdf as a Gaussian times a factor that varies slowly.
 *
 * In words, erfc(a) for a >= 0 is exp(-a^2) times the scaled erfcx(a), which is a polynomial of (a - 2) / (a
 * + 2). The result is accurate in relative terms in the whole tail. Rounding a^2 costs a^2 units of the last
 * place. f64 has these bits to spare for f32 results. In double words, segments give the factor. */
#include "compose.h"
#include "extended_fit.h"
#include "reference.h"

/* sqrt(700). There exp(-a^2) reaches the clamp of exp in words. Sums with other exponentials of the same
 * square, as in gelu's derivative, then keep their sign far out. */
static const double largest_argument = 26.4575;

static struct number word_tail(struct composer *c, lane_value magnitude)
{
    if (c->ways & COMPOSE_PAIRS) c->impossible = "erfc has no form in two words of f32";
    const lane_value a = word_at_most(c, magnitude, largest_argument), two = word_constant(c, 2);
    const lane_value x = word_div(c, word_sub(c, a, two), word_add(c, a, two));
    const struct number bell = compose_exp(c, number_of_word(word_neg(c, word_mul(c, a, a))));
    return number_of_word(word_mul(c, bell.high, word_kernel(c, KERNEL_ERFCX, x)));
}

/* -- double words -- */

enum { TERMS_ERF = 11, TAIL_BITS = 124 /* erfc is slow with more bits */ };

/* Computes the scaled complements E and M: erfc(t) = exp(-t^2) E(t), normcdf(-t) = exp(-t^2 / 2) M(t). */
static bool scaled_value(void *context, mpfr_t y, mpfr_srcptr t)
{
    const bool normal = *(const bool *)context;
    mpfr_t root, square;
    mpfr_inits2(TAIL_BITS, root, square, (mpfr_ptr)0);
    mpfr_sqr(square, t, MPFR_RNDN);
    if (normal) mpfr_div_2ui(square, square, 1, MPFR_RNDN);
    mpfr_sqrt(root, square, MPFR_RNDN);
    mpfr_exp(square, square, MPFR_RNDN);
    mpfr_erfc(root, root, MPFR_RNDN);
    mpfr_mul(y, root, square, MPFR_RNDN);
    if (normal) mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    mpfr_clears(root, square, (mpfr_ptr)0);
    return true;
}

/* Returns the polynomials of E or M, in the program's arena. */
static const struct segments *tail_segments(struct composer *c, bool normal)
{
    struct segments **known = &c->tails[normal];
    if (*known) return *known;
    arena *memory = c->program->memory;
    struct ext_function function = {scaled_value, &normal};
    struct segments *s = arena_alloc(memory, sizeof *s);
    const bool small = c->program->profile.lookup_f64 >= 16;
    const struct segments_goal_exact goal = {.value = ext_quad_value,
                                             .context = &function,
                                             .end = normal ? 39.5 : 28,
                                             .log2_entries = small ? 4 : EXT_LOG2_MOST_ENTRIES,
                                             .variable = VARIABLE_EXACT,
                                             .interpolates = true,
                                             .low_words = 1};
    if (!segments_fit_exact(s, &goal, small ? 2 : 5, small ? 15 : 8, memory))
        c->impossible = "erfc has no polynomials";
    return *known = s;
}

/* Returns the slow factor beyond the segments: 1 - z + 3 z^2 - 15 z^3 ..., divided by t sqrt(2 pi) for
 * normcdf or t sqrt(pi) for erfc. z is 1/t^2 for normcdf and half of that for erfc. The ninth term is below
 * 2^-60 there. */
static struct number far_tail(struct composer *c, struct number t, bool normal)
{
    static const double coefficient[] = {1, -1, 3, -15, 105, -945, 10395, -135135, 2027025};
    enum { TERMS = sizeof coefficient / sizeof *coefficient };
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    mpfr_const_pi(value, MPFR_RNDN);
    if (normal) mpfr_mul_2ui(value, value, 1, MPFR_RNDN);
    mpfr_rec_sqrt(value, value, MPFR_RNDN);
    const struct number root = number_of_mpfr(c, value);
    mpfr_clear(value);
    const lane_value half = word_constant(c, normal ? 1 : 0.5), one = word_constant(c, 1),
                     r = word_div(c, one, t.high), z = word_mul(c, word_mul(c, r, r), half);
    const lane_value fall = word_mul(c, z, word_polynomial(c, coefficient + 1, TERMS - 1, z));
    struct number y = number_times(c, number_over(c, root, t), word_quick_two_sum(c, one, fall));
    /* This holds as far as f32 reaches. An exponent of y would be lost next to the exponent of exp(-t^2). */
    y.bounded = true;
    return y;
}

static struct number double_words_tail(struct composer *c, struct number t, bool normal)
{
    const struct segments *s = tail_segments(c, normal);
    if (t.has_low || c->ways & COMPOSE_FAR) /* The clamp keeps the square of t finite. */
        t = number_clamped(c, t, -1, c->ways & COMPOSE_FAR ? 0x1p400 : 1024);
    struct number exponent = number_neg(c, number_times(c, t, t)), near = t;
    if (normal) exponent = number_times_power(c, exponent, 0.5); /* exact, except where exp is 1 */
    const lane_value end = word_constant(c, s->limit);
    near.high = word_op(c, LANE_MIN, end, t.high);
    if (t.has_low) near.low = word_select(c, word_op(c, LANE_LT, t.high, end), t.low, word_constant(c, 0));
    struct number slow = ext_segments_value(c, s, near);
    if (c->ways & COMPOSE_FAR)
        slow = number_select(c, word_op(c, LANE_LT, end, t.high), far_tail(c, t, normal), slow);
    return number_times(c, compose_exp(c, exponent), slow);
}

/* -- the functions -- */

/* Returns erfc(t) or, if `normal`, normcdf(-t), for t >= 0. Words have only erfc. */
static struct number tail_of(struct composer *c, struct number t, bool normal)
{
    return c->kind == NUMBER_DOUBLE_WORDS ? double_words_tail(c, t, normal) : word_tail(c, t.high);
}

static struct number whole_minus(struct composer *c, double whole, struct number tail)
{
    struct number y = number_minus(c, number_integer(c, whole), number_plain(c, tail));
    y.bounded = c->kind == NUMBER_DOUBLE_WORDS;
    return y;
}

struct number compose_erfc(struct composer *c, struct number u)
{
    u = number_plain(c, u);
    const struct number tail = tail_of(c, number_abs(c, u), false);
    return number_select(c, word_is_negative(c, u.high), whole_minus(c, 2, tail), tail);
}

bool compose_is_of_normcdf(const expr *argument)
{
    if (argument->kind != EXPR_MUL || !expr_is_constant(argument->operand[0])) return false;
    mpfr_t square;
    mpfr_init2(square, COMPOSE_CONSTANT_BITS);
    reference_constant(square, argument->operand[0], COMPOSE_CONSTANT_BITS - 8);
    const bool negative = mpfr_sgn(square) < 0;
    mpfr_sqr(square, square, MPFR_RNDN);
    mpfr_sub_d(square, square, 0.5, MPFR_RNDN);
    const bool is_half = mpfr_zero_p(square) || mpfr_get_exp(square) < -(COMPOSE_CONSTANT_BITS - 16);
    mpfr_clear(square);
    return negative && is_half;
}

/* Returns normcdf(u). In words it is half of erfc(-u / sqrt 2). */
struct number compose_normcdf(struct composer *c, struct number u)
{
    if (c->kind != NUMBER_DOUBLE_WORDS) {
        const double minus_root_half = -0x1.6a09e667f3bcdp-1; /* -1 / sqrt 2 */
        const lane_value scaled = word_mul(c, u.high, word_constant(c, minus_root_half));
        const lane_value half = word_constant(c, 0.5);
        return number_of_word(word_mul(c, half, compose_erfc(c, number_of_word(scaled)).high));
    }
    u = number_plain(c, u);
    const struct number tail = tail_of(c, number_abs(c, u), true);
    return number_select(c, word_is_negative(c, u.high), tail, whole_minus(c, 1, tail));
}

/* Returns erf(u) / u for small z = u^2. In double words the constant term has all bits and is also stored in
 * *slope. */
static struct number ratio_near_zero(struct composer *c, lane_value z, struct number *slope)
{
    enum kernel_function kernel = KERNEL_ERF;
    quad exact[EXT_MOST_TERMS];
    double coefficient[EXT_MOST_TERMS];
    if (c->kind != NUMBER_DOUBLE_WORDS) return number_of_word(word_kernel(c, kernel, z));
    if (!ext_interpolate(exact, TERMS_ERF, 0, 0.26, polynomial_kernel, &kernel))
        c->impossible = "erf has no polynomial";
    for (unsigned k = 0; k < TERMS_ERF; k++) coefficient[k] = (double)exact[k];
    *slope = number_of_pair(c, (struct word_pair){coefficient[0], (double)(exact[0] - coefficient[0])});
    const lane_value rise = word_mul(c, z, word_polynomial(c, coefficient + 1, TERMS_ERF - 1, z));
    struct number ratio = word_quick_two_sum(c, slope->high, rise);
    ratio.low = word_add(c, ratio.low, number_low(c, *slope));
    ratio.bounded = true;
    return ratio;
}

/* Returns erf(u): near 0 u times a polynomial of u^2, and otherwise 1 - erfc(|u|) with the sign of u. */
struct number compose_erf(struct composer *c, struct number whole)
{
    const double end = c->kind == NUMBER_DOUBLE_WORDS ? 0.5 : 1;
    const struct number u = number_plain(c, whole), a = number_abs(c, u);
    const lane_value z = word_at_most(c, number_times(c, u, u).high, end * end);
    struct number slope = {0};
    const struct number inner = number_times(c, u, ratio_near_zero(c, z, &slope));
    const struct number outer = number_with_sign_of(c, whole_minus(c, 1, tail_of(c, a, false)), u);
    const struct number y =
        number_select(c, word_op(c, LANE_LT, a.high, word_constant(c, end)), inner, outer);
    return whole.has_exponent ? number_where_tiny(c, whole, number_times(c, whole, slope), y) : y;
}
