/* The elementary functions on intervals: interval_<name>, one for each row of functions.def.
 *
 * All except sin, cos, tan, cosh, abs and sign are monotone. The image of an interval is then the interval of
 * the images of its ends. An end is open where the argument's end is open and the function strictly monotone,
 * and wherever MPFR has rounded it. A composed function (sigmoid, softplus, normcdf) uses its argument once,
 * so composing the intervals adds only roundings. */
#include "error_function.h"
#include "interval.h"

#include <math.h>

typedef int mpfr_function(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

enum {
    NARROW = -40,                     /* exponent of the width of a narrow interval */
    LARGEST_ANGLE_EXPONENT = 1 << 14, /* sin(x) needs as many digits of pi as x has before the point */
    LARGE_SOFTPLUS = 1,               /* from here on log(1 + exp(x)) is computed as x + log1p(exp(-x)) */
};

/* Evaluates a function at a point. One evaluation is enough, because the next number is the other end. */
static void at_point(interval *r, const interval *a, mpfr_function *f)
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

static void increasing(interval *r, const interval *a, mpfr_function *f)
{
    if (interval_inherit(r, a, NULL)) return;
    if (interval_is_point(a)) {
        at_point(r, a, f);
        return;
    }
    r->lo_open = f(r->lo, a->lo, MPFR_RNDD) || (a->lo_open && mpfr_number_p(a->lo));
    r->hi_open = f(r->hi, a->hi, MPFR_RNDU) || (a->hi_open && mpfr_number_p(a->hi));
    interval_settle(r);
}

/* Evaluates a function that rises wherever its domain is. */
static void rising(interval *r, const interval *a, enum expr_kind kind, mpfr_function *f)
{
    const struct expr_function *row = &expr_functions[kind];
    if (interval_inherit(r, a, NULL)) return;
    if (row->domain.has_end && mpfr_cmp_si(a->hi, row->domain.from) < 0)
        interval_undefined(r);
    else if (row->domain.has_end && mpfr_cmp_si(a->lo, row->domain.from) < 0)
        interval_doubtful(r);
    else
        increasing(r, a, f);
}

/* The functions that MPFR has, and floor and round. */
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
#undef MONOTONE

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
    increasing(r, a, mpfr_expm1);
}

/* Computes log with one evaluation for a narrow interval, by log(hi) <= log(lo) + (hi - lo) / lo. Returns
 * false if the interval is not narrow. */
static bool narrow_log(interval *r, const interval *a)
{
    if (interval_is_point(a) || !mpfr_regular_p(a->lo) || !mpfr_regular_p(a->hi) || mpfr_sgn(a->lo) < 0)
        return false;
    mpfr_sub(r->hi, a->hi, a->lo, MPFR_RNDU);
    mpfr_div(r->hi, r->hi, a->lo, MPFR_RNDU);
    if (mpfr_get_exp(r->hi) > NARROW) return false;
    const bool rounded = mpfr_log(r->lo, a->lo, MPFR_RNDD) != 0;
    if (rounded) mpfr_nextabove(r->lo);
    mpfr_add(r->hi, r->hi, r->lo, MPFR_RNDU);
    if (rounded) mpfr_nextbelow(r->lo);
    r->lo_open = rounded || a->lo_open;
    interval_settle(r);
    return true;
}

void interval_log(interval *r, const interval *a, interval *scratch)
{
    (void)scratch;
    if (interval_inherit(r, a, NULL) || narrow_log(r, a)) return;
    rising(r, a, EXPR_log, mpfr_log);
}

void interval_cosh(interval *r, const interval *a, interval *scratch)
{
    interval_abs(&scratch[0], a, NULL);
    increasing(r, &scratch[0], mpfr_cosh);
}

/* Divides 1 by sqrt, because mpfr_rec_sqrt would give +infinity at -0. */
void interval_rsqrt(interval *r, const interval *a, interval *scratch)
{
    interval_sqrt(&scratch[0], a, NULL);
    interval_integer(&scratch[1], 1);
    interval_div(r, &scratch[1], &scratch[0]);
}

typedef void error_function(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x);

/* Compute one end by error_function.h where it covers x, because it is quicker than MPFR. `spare` takes the
 * other end. */
static void lower_end(mpfr_ptr out, mpfr_srcptr x, mpfr_function *f, error_function *own, mpfr_ptr spare)
{
    if (error_function_covers(x))
        own(out, spare, x);
    else
        f(out, x, MPFR_RNDD);
}

static void upper_end(mpfr_ptr out, mpfr_srcptr x, mpfr_function *f, error_function *own, mpfr_ptr spare)
{
    if (error_function_covers(x))
        own(spare, out, x);
    else
        f(out, x, MPFR_RNDU);
}

/* Computes a narrow interval with one evaluation. The other end follows from |erf'| < 1.1284, or from
 * |erfc'/erfc| < 2 |x| + 1.4143. Returns false if the interval is not narrow. */
static bool by_slope(interval *r, const interval *a, interval *scratch, error_function *own, bool falls)
{
    mpfr_srcptr far = mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi;
    double slope = falls ? 2.0001 * fabs(mpfr_get_d(far, MPFR_RNDA)) + 1.4143 : 1.1284;
    mpfr_ptr change = scratch->lo;
    mpfr_sub(change, a->hi, a->lo, MPFR_RNDU);
    mpfr_mul_d(change, change, slope, MPFR_RNDU);
    if (mpfr_cmp_d(change, 0x1p-20) > 0) return false;
    own(r->lo, r->hi, a->lo);
    if (falls) {
        mpfr_mul(change, change, r->hi, MPFR_RNDU);
        mpfr_sub(r->lo, r->lo, change, MPFR_RNDD);
    } else
        mpfr_add(r->hi, r->hi, change, MPFR_RNDU);
    return true;
}

/* Keeps erf or erfc of finite numbers strictly between `low` and `high`, which only infinities reach. */
static void keep_between(interval *r, const interval *a, long low, long high)
{
    if (!mpfr_number_p(a->lo) || !mpfr_number_p(a->hi)) return;
    if (mpfr_cmp_si(r->lo, low) <= 0) {
        mpfr_set_si(r->lo, low, MPFR_RNDD);
        r->lo_open = true;
    }
    if (mpfr_cmp_si(r->hi, high) >= 0) {
        mpfr_set_si(r->hi, high, MPFR_RNDU);
        r->hi_open = true;
    }
}

static void by_error_function(interval *r, const interval *a, interval *scratch, mpfr_function *f,
                              error_function *own, bool falls)
{
    if (interval_inherit(r, a, NULL)) return;
    bool covered = error_function_covers(a->lo) && error_function_covers(a->hi);
    if (!interval_is_point(a)) {
        if (covered && by_slope(r, a, scratch, own, falls)) return;
        lower_end(r->lo, falls ? a->hi : a->lo, f, own, scratch->lo);
        upper_end(r->hi, falls ? a->lo : a->hi, f, own, scratch->lo);
    } else if (covered)
        own(r->lo, r->hi, a->lo);
    else
        at_point(r, a, f);
    interval_settle(r);
}

void interval_erf(interval *r, const interval *a, interval *scratch)
{
    by_error_function(r, a, scratch, mpfr_erf, error_function_erf, false);
    if (r->state == INTERVAL_DEFINED) keep_between(r, a, -1, 1);
}

void interval_erfc(interval *r, const interval *a, interval *scratch)
{
    by_error_function(r, a, scratch, mpfr_erfc, error_function_erfc, true);
    if (r->state == INTERVAL_DEFINED) keep_between(r, a, 0, 2);
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

/* Computes a narrow interval with one evaluation, because the slope is at most 1. */
static void narrow_wave(interval *r, const interval *a, mpfr_function *f, mpfr_srcptr width)
{
    f(r->lo, a->lo, MPFR_RNDD);
    mpfr_set(r->hi, r->lo, MPFR_RNDU);
    mpfr_nextabove(r->hi);
    mpfr_add(r->hi, r->hi, width, MPFR_RNDU);
    mpfr_sub(r->lo, r->lo, width, MPFR_RNDD);
    if (mpfr_cmp_si(r->lo, -1) < 0) mpfr_set_si(r->lo, -1, MPFR_RNDD);
    if (mpfr_cmp_si(r->hi, 1) > 0) mpfr_set_si(r->hi, 1, MPFR_RNDU);
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
        at_point(r, a, f);
        return;
    }
    mpfr_sub(scratch[0].lo, a->hi, a->lo, MPFR_RNDU);
    if (mpfr_cmp_ui(scratch[0].lo, 1) > 0) {
        whole_wave(r);
        return;
    }
    if (mpfr_get_exp(scratch[0].lo) <= NARROW) {
        narrow_wave(r, a, f, scratch[0].lo);
        return;
    }
    derivative(scratch[0].lo, a->lo, MPFR_RNDN);
    derivative(scratch[0].hi, a->hi, MPFR_RNDN);
    wave(r, a, f, sign * mpfr_sgn(scratch[0].lo), sign * mpfr_sgn(scratch[0].hi));
    interval_settle(r);
}

void interval_sin(interval *r, const interval *a, interval *scratch)
{
    periodic(r, a, scratch, mpfr_sin, mpfr_cos, 1);
}
void interval_cos(interval *r, const interval *a, interval *scratch)
{
    periodic(r, a, scratch, mpfr_cos, mpfr_sin, -1);
}

/* Computes tan of a point by MPFR. Computes tan of an interval as sine over cosine, which widens it little
 * away from poles. */
void interval_tan(interval *r, const interval *a, interval *scratch)
{
    if (interval_inherit(r, a, NULL)) return;
    mpfr_srcptr far = mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi;
    if (interval_is_point(a) && mpfr_number_p(far) &&
        (mpfr_zero_p(far) || mpfr_get_exp(far) <= LARGEST_ANGLE_EXPONENT)) {
        at_point(r, a, mpfr_tan);
        return;
    }
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
