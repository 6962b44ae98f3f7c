/* Converts intervals to balls and back. */
#include "ball.h"

#include "gamma.h"

#include <limits.h>
#include <math.h>

enum {
    NARROW_BITS = 20,     /* bits that the ends of a narrow interval share */
    MOST_GROWTH = 30,     /* the largest exponent of an argument of exp, erfc and the like */
    MOST_ANGLE = 1 << 14, /* as in functions.c */
    MOST_GAMMA = 1 << 10, /* beyond, MPFR is quick */
};

enum trait {
    /* No binary fraction has a binary fraction as its value, except 0 and the row's own argument. */
    STRICT = 1,
    /* The function is as steep as exp. A narrow interval then shares NARROW_BITS after the binary point. */
    STEEP = 2,
    /* The function falls like e^(-x^2), or has a factor that does. Arb bounds its slope on a ball by a number
     * of 30 bits. For large x this bound is larger than the slope by e^(x^2 / 2^29). So balls serve only for
     * points. */
    BELL = 4,
};

/* Computes exp(x^2) erfc(x). */
static void arb_scaled_erfc(arb_t y, const arb_t x, slong bits)
{
    arb_t power;
    arb_init(power);
    arb_sqr(power, x, ARF_PREC_EXACT);
    arb_exp(power, power, bits);
    arb_hypgeom_erfc(y, x, bits);
    arb_mul(y, y, power, bits);
    arb_clear(power);
}

static const struct row {
    arb_function *f;
    mpfr_exp_t most; /* the largest exponent of an argument; 0 if all numbers will do */
    int own;         /* the argument other than 0 with a binary fraction as its value, or 0 */
    unsigned traits;
} rows[EXPR_KIND_COUNT] = {
    [EXPR_exp] = {arb_exp, MOST_GROWTH, 0, STRICT | STEEP},
    [EXPR_expm1] = {arb_expm1, MOST_GROWTH, 0, STRICT | STEEP},
    [EXPR_log] = {arb_log, 0, 1, STRICT},
    [EXPR_log1p] = {arb_log1p, 0, 0, STRICT},
    [EXPR_tanh] = {arb_tanh, 0, 0, STRICT},
    [EXPR_sinh] = {arb_sinh, MOST_GROWTH, 0, STRICT | STEEP},
    [EXPR_cosh] = {arb_cosh, MOST_GROWTH, 0, STRICT | STEEP},
    [EXPR_asinh] = {arb_asinh, 0, 0, STRICT},
    [EXPR_atan] = {arb_atan, 0, 0, STRICT},
    [EXPR_erf] = {arb_hypgeom_erf, 0, 0, 0},
    [EXPR_erfc] = {arb_hypgeom_erfc, MOST_GROWTH, 0, BELL},
    [EXPR_erfcx] = {arb_scaled_erfc, MOST_GROWTH, 0, STRICT | BELL},
    [EXPR_erfinv] = {arb_hypgeom_erfinv, 0, 0, STRICT},
    [EXPR_lgamma] = {ball_of_lgamma, MOST_GAMMA, 1, 0},
    [EXPR_digamma] = {arb_digamma, MOST_GAMMA, 0, 0},
    [EXPR_trigamma] = {ball_of_trigamma, MOST_GAMMA, 0, 0},
    [EXPR_sin] = {arb_sin, MOST_ANGLE, 0, 0},
    [EXPR_cos] = {arb_cos, MOST_ANGLE, 0, 0},
    [EXPR_tan] = {arb_tan, MOST_ANGLE, 0, STRICT},
};

/* Returns true if balls serve for the argument x. Near 0, a ball tells the side of 1 only by many bits, and
 * MPFR at once. */
static bool suits(enum expr_kind kind, mpfr_srcptr x)
{
    const struct row *row = &rows[kind];
    if (!row->f || !mpfr_regular_p(x) || (row->most && mpfr_get_exp(x) > row->most)) return false;
    if (expr_functions[kind].at_zero == AT_ZERO_ONE && mpfr_get_exp(x) < -(mpfr_exp_t)mpfr_get_prec(x) / 2)
        return false;
    return !row->own || mpfr_cmp_si(x, row->own);
}

static mpfr_exp_t bits_before_point(mpfr_srcptr x) { return mpfr_get_exp(x) > 0 ? mpfr_get_exp(x) : 0; }

/* Returns the precision with which the value at x has the bits of `out`. */
static slong bits_for(const struct row *row, mpfr_srcptr out, mpfr_srcptr x)
{
    return mpfr_get_prec(out) + (row->traits & BELL ? 2 * bits_before_point(x) : 0);
}

static bool is_narrow(const struct row *row, const interval *a)
{
    const mpfr_exp_t more = row->traits & STEEP ? bits_before_point(a->lo) : 0;
    return mpfr_eq(a->lo, a->hi, NARROW_BITS + (unsigned long)more);
}

/* Returns true if a limit of the values is known exactly, as that of tanh, unlike pi/2. */
static bool is_whole_limit(double limit) { return fabs(limit) < INT_MAX && limit == (double)(int)limit; }

static void cut_low(mpfr_ptr end, bool *open, enum expr_kind kind)
{
    const struct expr_function *f = &expr_functions[kind];
    if (!is_whole_limit(f->low) || mpfr_cmp_d(end, f->low) > 0) return;
    mpfr_set_d(end, f->low, MPFR_RNDD);
    *open = f->nature != NATURE_WAVE; /* waves reach their limits */
}

static void cut_high(mpfr_ptr end, bool *open, enum expr_kind kind)
{
    const struct expr_function *f = &expr_functions[kind];
    if (!is_whole_limit(f->high) || mpfr_cmp_d(end, f->high) < 0) return;
    mpfr_set_d(end, f->high, MPFR_RNDU);
    *open = f->nature != NATURE_WAVE;
}

void ball_cut(interval *r, enum expr_kind kind)
{
    cut_low(r->lo, &r->lo_open, kind);
    cut_high(r->hi, &r->hi_open, kind);
}

static bool is_within_range(mpfr_srcptr x)
{
    if (!mpfr_regular_p(x)) return mpfr_zero_p(x);
    return mpfr_get_emin() <= mpfr_get_exp(x) && mpfr_get_exp(x) <= mpfr_get_emax();
}

/* Rounds an end of the ball outwards. */
static void get_end(mpfr_ptr end, const arb_t ball, bool is_high, slong bits)
{
    arf_t bound;
    arf_init(bound);
    (is_high ? arb_get_ubound_arf : arb_get_lbound_arf)(bound, ball, bits);
    arf_get_mpfr(end, bound, is_high ? MPFR_RNDU : MPFR_RNDD);
    arf_clear(bound);
}

bool ball_evaluate(interval *r, const interval *a, enum expr_kind kind)
{
    const struct row *row = &rows[kind];
    const bool is_point = interval_is_point(a);
    if (!suits(kind, a->lo)) return false;
    if (!is_point && (row->traits & BELL || !suits(kind, a->hi) || !is_narrow(row, a))) return false;
    const slong bits = bits_for(row, r->lo, a->lo);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    if (is_point)
        arf_set_mpfr(arb_midref(x), a->lo);
    else
        arb_set_interval_mpfr(x, a->lo, a->hi, mpfr_get_prec(a->lo));
    row->f(y, x, bits);
    const bool is_finite = arb_is_finite(y);
    if (is_finite) {
        get_end(r->lo, y, false, bits);
        get_end(r->hi, y, true, bits);
    }
    arb_clear(x);
    arb_clear(y);
    if (!is_finite || !is_within_range(r->lo) || !is_within_range(r->hi)) return false;
    r->lo_open = r->hi_open = row->traits & STRICT;
    ball_cut(r, kind);
    return true;
}

bool ball_end(mpfr_ptr end, bool *open, mpfr_srcptr at, enum expr_kind kind, bool is_high)
{
    const struct row *row = &rows[kind];
    if (!suits(kind, at)) return false;
    const slong bits = bits_for(row, end, at);
    arb_t x, y;
    arb_init(x);
    arb_init(y);
    arf_set_mpfr(arb_midref(x), at);
    row->f(y, x, bits);
    const bool is_finite = arb_is_finite(y);
    if (is_finite) get_end(end, y, is_high, bits);
    arb_clear(x);
    arb_clear(y);
    if (!is_finite || !is_within_range(end)) return false;
    *open = row->traits & STRICT;
    (is_high ? cut_high : cut_low)(end, open, kind);
    return true;
}

void ball_free_caches(void)
{
    flint_cleanup();
    mpfr_free_cache();
}
