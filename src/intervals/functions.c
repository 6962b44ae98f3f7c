/* The elementary functions on intervals: interval_<name>, one for each row of functions.def.
 *
 * All except sin, cos, tan, cosh, sech, abs and sign are monotone. The image of an interval is then the
 * interval of the images of its ends. An end is open where the argument's end is open and the function
 * strictly monotone, and wherever MPFR has rounded it. A composed function (sigmoid, softplus, normcdf) uses
 * its argument once, so composing the intervals adds only roundings. */
#include "ball.h"
#include "interval.h"
#include "inverse_erf.h"
#include "monotone.h"

enum {
    LARGEST_ANGLE_EXPONENT = 1 << 14, /* sin(x) needs as many digits of pi as x has before the point */
    LARGE_SOFTPLUS = 1,               /* from here on log(1 + exp(x)) is computed as x + log1p(exp(-x)) */
};

/* One evaluation is enough, because the next number is the other end. */
void monotone_at_point(interval *r, const interval *a, mpfr_function *f)
{
    int inexact = f(r->lo, a->lo, MPFR_RNDD);
    mpfr_set(r->hi, r->lo, MPFR_RNDU);
    if (inexact) mpfr_nextabove(r->hi);
    r->lo_open = r->hi_open = inexact != 0;
    interval_settle(r);
    if (r->state == INTERVAL_DOUBTFUL) interval_undefined(r);
}

/* Evaluates a monotone function that is constant between its steps. Its ends stay closed. */
static void stepping(interval *r, const interval *a, mpfr_function *f)
{
    if (interval_inherit(r, a, NULL)) return;
    f(r->lo, a->lo, MPFR_RNDD);
    f(r->hi, a->hi, MPFR_RNDU);
    interval_settle(r);
}

/* Computes the function at one end of an argument, rounded outwards. */
static void end_of_image(mpfr_ptr end, bool *open, mpfr_srcptr at, bool at_open, bool is_high,
                         enum expr_kind kind, mpfr_function *f)
{
    if (!ball_end(end, open, at, kind, is_high)) *open = f(end, at, is_high ? MPFR_RNDU : MPFR_RNDD);
    *open = *open || (at_open && mpfr_number_p(at));
}

void monotone_rising(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f)
{
    if (interval_inherit(r, a, NULL) || ball_evaluate(r, a, kind)) return;
    if (interval_is_point(a)) {
        monotone_at_point(r, a, f);
        return;
    }
    end_of_image(r->lo, &r->lo_open, a->lo, a->lo_open, false, kind, f);
    end_of_image(r->hi, &r->hi_open, a->hi, a->hi_open, true, kind, f);
    interval_settle(r);
}

void monotone_falling(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f)
{
    if (interval_inherit(r, a, NULL) || ball_evaluate(r, a, kind)) return;
    if (interval_is_point(a)) {
        monotone_at_point(r, a, f);
        return;
    }
    end_of_image(r->lo, &r->lo_open, a->hi, a->hi_open, false, kind, f);
    end_of_image(r->hi, &r->hi_open, a->lo, a->lo_open, true, kind, f);
    interval_settle(r);
}

/* Returns true if all of the argument is in the domain of the function. Otherwise fills in *r. */
static bool is_in_domain(interval *r, const interval *a, enum expr_kind kind)
{
    const struct expr_function *row = &expr_functions[kind];
    const long from = row->domain.from;
    if (interval_inherit(r, a, NULL)) return false;
    if (!row->domain.has_end) return true;
    const bool above = row->domain.is_two_sided;
    const bool outside = mpfr_cmp_si(a->hi, from) < 0 || (above && mpfr_cmp_si(a->lo, -from) > 0);
    const bool partly = mpfr_cmp_si(a->lo, from) < 0 || (above && mpfr_cmp_si(a->hi, -from) > 0);
    if (outside)
        interval_undefined(r);
    else if (partly)
        interval_doubtful(r);
    return !partly;
}

/* Evaluates a function that rises wherever its domain is. */
static void rising(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f)
{
    if (is_in_domain(r, a, kind)) monotone_rising(r, a, kind, f);
}

/* The functions that MPFR has, and those with steps. */
#define MONOTONE(name, call)                                                                                 \
    void interval_##name(interval *r, const interval *a, interval *scratch)                                  \
    {                                                                                                        \
        (void)scratch;                                                                                       \
        call;                                                                                                \
    }
#define OWN(name)
#define BY_MPFR(name) MONOTONE(name, rising(r, a, EXPR_##name, mpfr_##name))

#define FUNCTION(name, nature, parity, at_zero, domain, monotony, low, high, tail, value, ...) value(name)
#include "functions.def"
#undef FUNCTION
MONOTONE(floor, stepping(r, a, mpfr_rint_floor))
MONOTONE(round, stepping(r, a, mpfr_rint_roundeven))
MONOTONE(ceil, stepping(r, a, mpfr_rint_ceil))
MONOTONE(trunc, stepping(r, a, mpfr_rint_trunc))
#undef MONOTONE

/* Computes floor(log2 x) of x >= 0. */
static int exponent_of_size(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_regular_p(x)) return mpfr_set_si(out, mpfr_get_exp(x) - 1, rounding);
    if (mpfr_zero_p(x))
        mpfr_set_inf(out, -1);
    else
        mpfr_set(out, x, rounding);
    return 0;
}

void interval_exponent(interval *r, const interval *a, interval *scratch)
{
    interval_abs(&scratch[0], a, scratch);
    stepping(r, &scratch[0], exponent_of_size);
}

/* Computes expm1 of a large negative number at the precisions that are meant for ties. Only the side of -1
 * and the distance from it matter there. A sixteenth of the digits of e^x tells them. Returns false if this
 * does not apply. */
static bool expm1_beside_tie(interval *r, const interval *a)
{
    enum { LARGEST = -64, LEAST_BITS = 8193, SHARE = 16 };
    const mpfr_prec_t bits = mpfr_get_prec(r->lo);
    if (bits < LEAST_BITS || !interval_is_point(a) || !(mpfr_cmp_si(a->lo, LARGEST) < 0)) return false;
    mpfr_t power;
    mpfr_init2(power, bits / SHARE);
    r->lo_open = r->hi_open = mpfr_exp(power, a->lo, MPFR_RNDD) != 0;
    mpfr_sub_ui(r->lo, power, 1, MPFR_RNDD);
    if (r->hi_open) mpfr_nextabove(power);
    mpfr_sub_ui(r->hi, power, 1, MPFR_RNDU);
    mpfr_clear(power);
    return true;
}

void interval_expm1(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL) || expm1_beside_tie(r, a)) return;
    monotone_rising(r, a, EXPR_expm1, mpfr_expm1);
}

void interval_cosh(interval *r, const interval *a, interval *scratch)
{
    interval_abs(&scratch[0], a, NULL);
    monotone_rising(r, &scratch[0], EXPR_cosh, mpfr_cosh);
}

void interval_sech(interval *r, const interval *a, interval *scratch)
{
    interval_abs(&scratch[0], a, NULL);
    monotone_falling(r, &scratch[0], EXPR_sech, mpfr_sech);
}

void interval_acos(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (is_in_domain(r, a, EXPR_acos)) monotone_falling(r, a, EXPR_acos, mpfr_acos);
}

/* Divides 1 by sqrt, because mpfr_rec_sqrt would give +infinity at -0. */
void interval_rsqrt(interval *r, const interval *a, interval *scratch)
{
    interval_sqrt(&scratch[0], a, NULL);
    interval_integer(&scratch[1], 1);
    interval_div(r, &scratch[1], &scratch[0]);
}

/* Keeps erf or erfc of finite numbers strictly between the limits, which only infinities reach. */
static void settle_bell(interval *r, const interval *a, enum expr_kind kind)
{
    if (r->state == INTERVAL_DEFINED && mpfr_number_p(a->lo) && mpfr_number_p(a->hi)) ball_cut(r, kind);
}

void interval_erf(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    monotone_rising(r, a, EXPR_erf, mpfr_erf);
    settle_bell(r, a, EXPR_erf);
}

void interval_erfc(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    monotone_falling(r, a, EXPR_erfc, mpfr_erfc);
    settle_bell(r, a, EXPR_erfc);
}

enum { LOST = 10 };

/* Computes exp(x^2) erfc(x) for large x by its series (1 - t + 3 t^2 - 15 t^3 ...)/(x sqrt(pi)) in
 * t = 1/(2 x^2). */
static void mpfr_far_scaled_erfc(mpfr_ptr out, mpfr_srcptr x)
{
    const mpfr_prec_t bits = mpfr_get_prec(out);
    mpfr_t term, t;
    mpfr_inits2(bits, term, t, (mpfr_ptr)NULL);
    mpfr_sqr(t, x, MPFR_RNDN);
    mpfr_ui_div(t, 1, t, MPFR_RNDN);
    mpfr_div_2ui(t, t, 1, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(out, 1, MPFR_RNDN);
    for (unsigned long n = 1; mpfr_get_exp(term) > -bits; n++) {
        mpfr_mul(term, term, t, MPFR_RNDN);
        mpfr_mul_si(term, term, -(long)(2 * n - 1), MPFR_RNDN);
        mpfr_add(out, out, term, MPFR_RNDN);
    }
    mpfr_const_pi(t, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_mul(t, t, x, MPFR_RNDN);
    mpfr_div(out, out, t, MPFR_RNDN);
    mpfr_clears(term, t, (mpfr_ptr)NULL);
}

/* Computes exp(x^2) erfc(x). At most the last LOST bits of the result are wrong. */
static void mpfr_scaled_erfc(mpfr_ptr out, mpfr_srcptr x)
{
    enum { FAR = 20 }; /* the binary exponent from which the series has all bits long before it diverges */
    if (mpfr_sgn(x) > 0 && mpfr_get_exp(x) > FAR) {
        mpfr_far_scaled_erfc(out, x);
        return;
    }
    mpfr_t square, bell;
    mpfr_init2(square, 2 * mpfr_get_prec(x));
    mpfr_init2(bell, mpfr_get_prec(out));
    mpfr_sqr(square, x, MPFR_RNDN); /* exact */
    mpfr_exp(out, square, MPFR_RNDN);
    mpfr_erfc(bell, x, MPFR_RNDN);
    mpfr_mul(out, out, bell, MPFR_RNDN);
    mpfr_clears(square, bell, (mpfr_ptr)NULL);
}

/* Computes 1 less a number below half an ulp of 1, for x > 0, and 1 plus such a number for x < 0. */
static int beside_one(mpfr_ptr out, int sign, mpfr_rnd_t rounding)
{
    mpfr_set_ui(out, 1, MPFR_RNDN);
    if (rounding == (sign > 0 ? MPFR_RNDD : MPFR_RNDU)) {
        (sign > 0 ? mpfr_nextbelow : mpfr_nextabove)(out);
        return -sign;
    }
    return sign;
}

/* Computes a number beyond the range of exponents. */
static int overflow(mpfr_ptr out, mpfr_rnd_t rounding)
{
    mpfr_set_inf(out, 1);
    if (rounding != MPFR_RNDD) return 1;
    mpfr_nextbelow(out);
    return -1;
}

/* Computes exp(x^2) erfc(x) as MPFR computes functions, to an end of an interval. */
static int mpfr_erfcx(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    enum { GUARD = 32 };
    const mpfr_prec_t wanted = mpfr_get_prec(out);
    const int sign = mpfr_nan_p(x) ? 0 : mpfr_sgn(x);
    if (!mpfr_regular_p(x))
        return sign < 0 ? mpfr_abs(out, x, rounding) : mpfr_set_ui(out, mpfr_inf_p(x) ? 0 : 1, rounding);
    if (mpfr_get_exp(x) < -wanted - 2) return beside_one(out, sign, rounding);
    mpfr_t value;
    mpfr_init2(value, wanted + GUARD);
    mpfr_scaled_erfc(value, x);
    while (mpfr_number_p(value) &&
           !mpfr_can_round(value, mpfr_get_prec(value) - LOST, MPFR_RNDN, rounding, wanted)) {
        mpfr_set_prec(value, 2 * mpfr_get_prec(value));
        mpfr_scaled_erfc(value, x);
    }
    const int inexact = mpfr_number_p(value) ? mpfr_set(out, value, rounding) : overflow(out, rounding);
    mpfr_clear(value);
    return inexact ? inexact : 1; /* no binary fraction except 0 has a binary fraction as its value */
}

void interval_erfcx(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    monotone_falling(r, a, EXPR_erfcx, mpfr_erfcx);
}

void interval_erfinv(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    rising(r, a, EXPR_erfinv, inverse_erf);
}

/* Uses erfc(-x / sqrt(2)) / 2. */
void interval_normcdf(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL)) return;
    interval_integer(&scratch[0], 2);
    interval_sqrt(&scratch[1], &scratch[0], NULL);
    interval_div(&scratch[0], a, &scratch[1]);
    interval_neg(&scratch[1], &scratch[0]);
    interval_erfc(r, &scratch[1], &scratch[0]);
    mpfr_div_2ui(r->lo, r->lo, 1, MPFR_RNDD);
    mpfr_div_2ui(r->hi, r->hi, 1, MPFR_RNDU);
}

/* Uses 1 / (1 + exp(-x)), in which nothing cancels for x of either sign. */
void interval_sigmoid(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL)) return;
    interval_neg(&scratch[0], a);
    interval_exp(&scratch[1], &scratch[0], NULL);
    interval_integer(&scratch[0], 1);
    interval_add(&scratch[2], &scratch[0], &scratch[1]);
    interval_div(r, &scratch[0], &scratch[2]);
}

/* Uses log1p(exp(x)). For large x, exp(x) would leave MPFR's range. There it uses x + log1p(exp(-x)), which
 * also shows that the value is above x. */
void interval_softplus(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL)) return;
    bool large = mpfr_cmp_si(a->lo, LARGE_SOFTPLUS) >= 0;
    if (large)
        interval_neg(&scratch[0], a);
    else
        interval_copy(&scratch[0], a);
    interval_exp(&scratch[1], &scratch[0], NULL);
    if (large) {
        interval_log1p(&scratch[0], &scratch[1], NULL);
        interval_add(r, a, &scratch[0]);
    } else
        interval_log1p(r, &scratch[1], NULL);
}

static void whole_wave(interval *r)
{
    mpfr_set_si(r->lo, -1, MPFR_RNDD);
    mpfr_set_si(r->hi, 1, MPFR_RNDU);
}

/* Evaluates an interval shorter than 1. The signs of the derivative at both ends tell whether a crest or a
 * trough is inside. */
static void wave(interval *r, const interval *a, mpfr_function *f, int derivative_lo, int derivative_hi)
{
    bool rises = derivative_lo > 0, rises_after = derivative_hi > 0;
    if (rises == rises_after) {
        f(r->lo, rises ? a->lo : a->hi, MPFR_RNDD);
        f(r->hi, rises ? a->hi : a->lo, MPFR_RNDU);
        return;
    }
    mpfr_rnd_t outward = rises ? MPFR_RNDD : MPFR_RNDU;
    f(r->lo, a->lo, outward);
    f(r->hi, a->hi, outward);
    if (rises) { /* a crest; the lower end is the smaller value of both ends */
        mpfr_min(r->lo, r->lo, r->hi, MPFR_RNDD);
        mpfr_set_si(r->hi, 1, MPFR_RNDU);
    } else {
        mpfr_max(r->hi, r->lo, r->hi, MPFR_RNDU);
        mpfr_set_si(r->lo, -1, MPFR_RNDD);
    }
}

/* Evaluates sin or cos. `derivative` times `sign` is the derivative of `f`. */
static void periodic(interval *r, const interval *a, interval *scratch, mpfr_function *f,
                     mpfr_function *derivative, int sign)
{
    if (interval_inherit(r, a, NULL)) return;
    if (interval_is_infinite(a)) {
        interval_undefined(r);
        return;
    }
    bool finite = mpfr_number_p(a->lo) && mpfr_number_p(a->hi);
    mpfr_srcptr far = mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi;
    if (!finite || (mpfr_regular_p(far) && mpfr_get_exp(far) > LARGEST_ANGLE_EXPONENT)) {
        whole_wave(r);
        return;
    }
    if (interval_is_point(a)) {
        monotone_at_point(r, a, f);
        return;
    }
    mpfr_sub(scratch[0].lo, a->hi, a->lo, MPFR_RNDU);
    if (mpfr_cmp_ui(scratch[0].lo, 1) > 0) {
        whole_wave(r);
        return;
    }
    derivative(scratch[0].lo, a->lo, MPFR_RNDN);
    derivative(scratch[0].hi, a->hi, MPFR_RNDN);
    wave(r, a, f, sign * mpfr_sgn(scratch[0].lo), sign * mpfr_sgn(scratch[0].hi));
    interval_settle(r);
}

void interval_sin(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL) || ball_evaluate(r, a, EXPR_sin)) return;
    periodic(r, a, scratch, mpfr_sin, mpfr_cos, 1);
}
void interval_cos(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL) || ball_evaluate(r, a, EXPR_cos)) return;
    periodic(r, a, scratch, mpfr_cos, mpfr_sin, -1);
}

/* Computes tan of a wide interval as sine over cosine, which widens it little away from poles. */
void interval_tan(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL) || ball_evaluate(r, a, EXPR_tan)) return;
    interval_sin(&scratch[1], a, scratch); /* both use the first scratch interval */
    interval_cos(&scratch[2], a, scratch);
    interval_div(r, &scratch[1], &scratch[2]);
}

void interval_abs(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL)) return;
    bool low_is_far = mpfr_cmpabs(a->lo, a->hi) > 0;
    mpfr_abs(r->hi, low_is_far ? a->lo : a->hi, MPFR_RNDU);
    if (mpfr_sgn(a->lo) < 0 && mpfr_sgn(a->hi) > 0)
        mpfr_set_zero(r->lo, 1);
    else
        mpfr_abs(r->lo, low_is_far ? a->hi : a->lo, MPFR_RNDD);
    r->hi_open = low_is_far ? a->lo_open : a->hi_open && (a->lo_open || mpfr_cmpabs(a->lo, a->hi) != 0);
    interval_settle(r);
}

void interval_sign(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL)) return;
    mpfr_set_si(r->lo, mpfr_sgn(a->lo), MPFR_RNDD);
    mpfr_set_si(r->hi, mpfr_sgn(a->hi), MPFR_RNDU);
}
