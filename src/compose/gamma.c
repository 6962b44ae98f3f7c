/* Writes the logarithm of gamma and its derivatives, in words.
 *
 * With w >= 1/2 and d = w - 1/2, log gamma(w) is d (log w - 1) + (log(2 pi) - 1)/2 + L/(d + 1) by Stirling,
 * digamma(w) is log w - D/(d + 1), and trigamma(w) is T/(d + 1). L, D and T are smooth functions of (w - 3/2)
 * / (w + 1/2) up to infinity. An x below 1/2 is reflected to w = 1 - x, so that d is |x - 1/2|. */
#include "compose.h"

#include <float.h>

static const double pi = 0x1.921fb54442d18p+1, pi_squared = 0x1.3bd3cc9be45dep+3;

struct reflected {
    lane_value distance; /* d */
    lane_value inverse;  /* 1/(d + 1) */
    lane_value mapped;   /* 1 - 2/(d + 1), which is (w - 3/2)/(w + 1/2) */
    lane_value is_left;  /* x < 1/2 */
    lane_value rest;     /* x less the nearest integer, exact */
};

static bool has_two_words(struct composer *c)
{
    if (c->kind != NUMBER_DOUBLE_WORDS && !(c->ways & COMPOSE_PAIRS)) return false;
    c->impossible = "gamma has no form in two words";
    return true;
}

static struct reflected reflect(struct composer *c, lane_value x)
{
    const lane_value half = word_constant(c, 0.5), one = word_constant(c, 1);
    struct reflected r;
    r.distance = word_abs(c, word_sub(c, x, half));
    r.inverse = word_div(c, one, word_add(c, r.distance, one));
    r.mapped = word_fma(c, r.inverse, word_constant(c, -2), one);
    r.is_left = word_op(c, LANE_LT, x, half);
    r.rest = word_sub(c, x, word_round(c, x));
    return r;
}

/* Returns sin(pi r)/pi for |r| <= 1/2. */
static lane_value sine_over_pi(struct composer *c, lane_value r)
{
    const lane_value z = word_mul(c, word_mul(c, r, r), word_constant(c, pi_squared));
    return word_fma(c, word_mul(c, r, z), word_kernel(c, KERNEL_HALF_TURN, z), r);
}

static lane_value log_of_right(struct composer *c, const struct reflected *r)
{
    return compose_log(c, number_of_word(word_add(c, r->distance, word_constant(c, 0.5)))).high;
}

static lane_value kernel_part(struct composer *c, const struct reflected *r, enum kernel_function kernel)
{
    return word_mul(c, r->inverse, word_kernel(c, kernel, r->mapped));
}

/* Returns log |gamma(x)|, with log(pi/|sin(pi x)|) - log gamma(1 - x) on the left. At 1 and 2 it is
 * exactly 0. */
struct number compose_lgamma(struct composer *c, struct number whole)
{
    const double constant = 0x1.acfe390c97d69p-2; /* (log(2 pi) - 1)/2 */
    if (has_two_words(c)) return whole;
    const lane_value x = whole.high, one = word_constant(c, 1);
    const struct reflected r = reflect(c, x);
    const lane_value slope = word_sub(c, log_of_right(c, &r), one);
    const lane_value small = word_add(c, word_constant(c, constant), kernel_part(c, &r, KERNEL_LGAMMA));
    const lane_value right = word_fma(c, r.distance, slope, small);
    const struct number sine = number_of_word(word_abs(c, sine_over_pi(c, r.rest)));
    const lane_value held = word_at_most(c, right, c->kind == NUMBER_F32 ? (double)FLT_MAX : DBL_MAX);
    const lane_value left = word_neg(c, word_add(c, compose_log(c, sine).high, held));
    const lane_value roots = word_mul(c, word_sub(c, x, one), word_sub(c, x, word_constant(c, 2)));
    const lane_value zero = word_constant(c, 0), is_root = word_op(c, LANE_EQ, roots, zero);
    return number_of_word(word_select(c, is_root, zero, word_select(c, r.is_left, left, right)));
}

/* Returns digamma(x), less pi cot(pi x) on the left. The cosine is a sine of the rest to a half. A pole
 * below 0 has the value 0/0, because it has two sides. */
struct number compose_digamma(struct composer *c, struct number whole)
{
    if (has_two_words(c)) return whole;
    const lane_value zero = word_constant(c, 0);
    const struct reflected r = reflect(c, whole.high);
    const lane_value right = word_sub(c, log_of_right(c, &r), kernel_part(c, &r, KERNEL_DIGAMMA));
    const lane_value beside = word_sub(c, word_constant(c, 0.5), word_abs(c, r.rest));
    const lane_value cosine = word_mul(c, sine_over_pi(c, beside), word_constant(c, pi));
    const lane_value is_pole =
        word_op(c, LANE_MAND, word_op(c, LANE_EQ, r.rest, zero), word_is_negative(c, whole.high));
    const lane_value cot = word_div(c, word_select(c, is_pole, zero, cosine), sine_over_pi(c, r.rest));
    return number_of_word(word_select(c, r.is_left, word_sub(c, right, cot), right));
}

/* Returns trigamma(x), with (pi/sin(pi x))^2 - trigamma(1 - x) on the left. */
struct number compose_trigamma(struct composer *c, struct number whole)
{
    if (has_two_words(c)) return whole;
    const struct reflected r = reflect(c, whole.high);
    const lane_value right = kernel_part(c, &r, KERNEL_TRIGAMMA);
    const lane_value inverse = word_div(c, word_constant(c, 1), sine_over_pi(c, r.rest));
    const lane_value left = word_sub(c, word_mul(c, inverse, inverse), right);
    return number_of_word(word_select(c, r.is_left, left, right));
}
