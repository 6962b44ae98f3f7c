/* Writes the inverse of erf. erfinv(x) / x is a smooth function of w = -log(1 - x^2), which grows as sqrt(w)
 * towards the ends. A polynomial of (w - 8) / (w + 8) follows it for all w. Where that has too few bits, the
 * rest x - erf(y) improves the value y. */
#include "compose.h"

#include <math.h>

/* The argument below which the rest is a difference of erf. Beyond, it is one of erfc. */
static const double half = 0.5;

/* Returns erfinv(a) as a word, for a >= 0. `left` is 1 - a. In f64, w is below 36.1 except at 1. */
static lane_value word_value(struct composer *c, struct number a, struct number left)
{
    const double middle = 8, end = 36.5;
    const struct number product = number_times(c, left, number_plus(c, number_integer(c, 1), a));
    const lane_value w = word_at_most(c, word_neg(c, compose_log(c, product).high), end);
    const lane_value x =
        word_div(c, word_sub(c, w, word_constant(c, middle)), word_add(c, w, word_constant(c, middle)));
    return word_mul(c, a.high, word_kernel(c, KERNEL_ERFINV, x));
}

/* Returns y + u + y u^2, where u is the rest divided by erf'(y). The error of y is below 2^-30, and leaves
 * 2^-85. */
static struct number improved(struct composer *c, struct number a, struct number left, lane_value y)
{
    const struct number at = number_of_word(y);
    const struct number inner = number_minus(c, a, number_plain(c, compose_erf(c, at)));
    const struct number outer = number_minus(c, number_plain(c, compose_erfc(c, at)), left);
    const lane_value is_inner = word_op(c, LANE_LT, a.high, word_constant(c, half));
    const lane_value rest = number_select(c, is_inner, inner, outer).high;
    const double half_root_pi = 0x1.c5bf891b4ef6bp-1;
    const struct number steep = number_plain(c, compose_exp(c, number_of_word(word_mul(c, y, y))));
    const lane_value u = word_mul(c, word_mul(c, rest, word_constant(c, half_root_pi)), steep.high);
    struct number sum = word_quick_two_sum(c, y, word_fma(c, word_mul(c, y, u), u, u));
    sum.bounded = true;
    return sum;
}

struct number compose_erfinv(struct composer *c, struct number whole)
{
    if (c->ways & COMPOSE_PAIRS) c->impossible = "erfinv has no form in two words of f32";
    const struct number u = number_plain(c, whole), a = number_abs(c, u), one = number_integer(c, 1);
    const struct number left = number_minus(c, one, a);
    const lane_value y = word_value(c, a, left);
    struct number size = number_of_word(y), slope = {0};
    const bool is_wide = c->kind == NUMBER_DOUBLE_WORDS;
    if (is_wide) {
        mpfr_t root;
        mpfr_init2(root, COMPOSE_CONSTANT_BITS);
        mpfr_const_pi(root, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        mpfr_div_2ui(root, root, 1, MPFR_RNDN);
        slope = number_of_mpfr(c, root);
        mpfr_clear(root);
    }
    if (is_wide || c->bits > polynomial_most_bits(KERNEL_ERFINV)) size = improved(c, a, left, y);
    const lane_value is_end = word_op(c, LANE_EQ, left.high, word_constant(c, 0));
    size = number_select(c, is_end, number_of_word(word_constant(c, (double)INFINITY)), size);
    const struct number y_of_sign = number_with_sign_of(c, size, u);
    return whole.has_exponent ? number_where_tiny(c, whole, number_times(c, whole, slope), y_of_sign)
                              : y_of_sign;
}
