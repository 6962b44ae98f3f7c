/* lgamma and its derivatives on intervals. To the right of 0, lgamma falls to its least value near 1.46 and
 * rises, digamma rises, and trigamma falls. To the left, digamma rises between two poles. Elsewhere only
 * points and narrow intervals are evaluated, and others are doubtful. */
#include "gamma.h"

#include "ball.h"
#include "monotone.h"

void ball_of_lgamma(arb_t y, const arb_t x, slong bits)
{
    if (arb_is_positive(x)) {
        arb_lgamma(y, x, bits);
        return;
    }
    arb_rgamma(y, x, bits);
    arb_abs(y, y);
    arb_log(y, y, bits);
    arb_neg(y, y);
}

/* Computes trigamma of x > 0 from the first terms of its series at infinity: the error of 1/x + 1/(2 x^2) is
 * below x^-3. */
static void far_trigamma(arb_t y, const arb_t x, slong bits)
{
    arb_t inverse, square;
    arb_init(inverse);
    arb_init(square);
    arb_inv(inverse, x, bits);
    arb_sqr(square, inverse, bits);
    arb_mul(y, square, inverse, bits);
    arb_add_error(square, y);
    arb_mul_2exp_si(square, square, -1);
    arb_add(y, inverse, square, bits);
    arb_clear(inverse);
    arb_clear(square);
}

static void right_trigamma(arb_t y, const arb_t x, slong bits)
{
    arb_t two;
    arf_t far;
    arf_init(far);
    arf_set_si_2exp_si(far, 1, bits);
    if (arf_cmp(arb_midref(x), far) > 0) {
        far_trigamma(y, x, bits);
    } else {
        arb_init(two);
        arb_set_ui(two, 2);
        arb_hurwitz_zeta(y, two, x, bits);
        arb_clear(two);
    }
    arf_clear(far);
}

/* Uses (pi / sin(pi x))^2 - trigamma(1 - x) to the left of 0. */
void ball_of_trigamma(arb_t y, const arb_t x, slong bits)
{
    if (arb_is_positive(x)) {
        right_trigamma(y, x, bits);
        return;
    }
    arb_t sine, other;
    arb_init(sine);
    arb_init(other);
    arb_sub_ui(other, x, 1, bits);
    arb_neg(other, other);
    right_trigamma(other, other, bits);
    arb_sin_pi(sine, x, bits);
    arb_const_pi(y, bits);
    arb_div(y, y, sine, bits);
    arb_sqr(y, y, bits);
    arb_sub(y, y, other, bits);
    arb_clear(sine);
    arb_clear(other);
}

static bool is_pole(mpfr_srcptr x) { return mpfr_sgn(x) <= 0 && (mpfr_integer_p(x) || mpfr_inf_p(x)); }

int trigamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_nan_p(x))
        mpfr_set_nan(y);
    else if (is_pole(x))
        mpfr_set_inf(y, 1);
    else if (mpfr_inf_p(x))
        mpfr_set_zero(y, 1);
    else
        return by_balls(y, x, rounding, ball_of_trigamma);
    return 0;
}

static int log_of_gamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    int sign;
    return mpfr_lgamma(y, &sign, x, rounding);
}

/* Sets the value at a pole with two equal sides. Returns false if the argument is no pole. */
static bool set_pole(interval *r, const interval *a)
{
    if (!interval_is_point(a) || !is_pole(a->lo)) return false;
    mpfr_set_inf(r->lo, 1);
    mpfr_set_inf(r->hi, 1);
    interval_settle(r);
    return true;
}

static bool is_root_of_lgamma(const interval *a)
{
    return interval_is_point(a) && (!mpfr_cmp_ui(a->lo, 1) || !mpfr_cmp_ui(a->lo, 2));
}

static bool is_between(const interval *a, long low, long high)
{
    return mpfr_cmp_si(a->lo, low) >= 0 && mpfr_cmp_si(a->hi, high) <= 0;
}

/* Returns true if the argument is to the right of 0, or between two poles. */
static bool has_no_pole(const interval *a)
{
    mpfr_t low, high;
    if (mpfr_sgn(a->lo) > 0) return true;
    if (!interval_is_finite(a)) return false;
    mpfr_init2(low, mpfr_get_prec(a->lo));
    mpfr_init2(high, mpfr_get_prec(a->hi));
    mpfr_floor(low, a->lo);
    mpfr_ceil(high, a->hi);
    mpfr_sub(low, high, low, MPFR_RNDN);
    const bool is_short = !mpfr_integer_p(a->lo) && !mpfr_integer_p(a->hi) && !mpfr_cmp_ui(low, 1);
    mpfr_clears(low, high, (mpfr_ptr)NULL);
    return is_short;
}

void interval_lgamma(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL) || set_pole(r, a)) return;
    if (is_root_of_lgamma(a))
        interval_integer(r, 0);
    else if (interval_is_point(a) || mpfr_cmp_ui(a->lo, 2) >= 0)
        monotone_rising(r, a, EXPR_lgamma, log_of_gamma);
    else if (is_between(a, 0, 1))
        monotone_falling(r, a, EXPR_lgamma, log_of_gamma);
    else if (!ball_evaluate(r, a, EXPR_lgamma))
        interval_doubtful(r);
}

void interval_digamma(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL)) return;
    if (interval_is_point(a) && is_pole(a->lo))
        monotone_at_point(r, a, mpfr_digamma);
    else if (interval_is_point(a) || has_no_pole(a))
        monotone_rising(r, a, EXPR_digamma, mpfr_digamma);
    else
        interval_doubtful(r);
}

void interval_trigamma(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL) || set_pole(r, a)) return;
    if (interval_is_point(a) || mpfr_sgn(a->lo) > 0)
        monotone_falling(r, a, EXPR_trigamma, trigamma);
    else if (!ball_evaluate(r, a, EXPR_trigamma))
        interval_doubtful(r);
}
