/* Interval arithmetic. Ends are rounded outwards, and signs and infinities are handled by cases. */
#include "interval.h"

void interval_init(interval *r, mpfr_prec_t precision)
{
    mpfr_init2(r->lo, precision);
    mpfr_init2(r->hi, precision);
    r->state = INTERVAL_UNDEFINED;
    r->truth = TRUTH_UNKNOWN;
    r->lo_open = r->hi_open = false;
}

void interval_clear(interval *r)
{
    mpfr_clear(r->lo);
    mpfr_clear(r->hi);
}

bool interval_is_point(const interval *a)
{
    return a->state == INTERVAL_DEFINED && mpfr_equal_p(a->lo, a->hi);
}

bool interval_is_zero(const interval *a)
{
    return a->state == INTERVAL_DEFINED && mpfr_zero_p(a->lo) && mpfr_zero_p(a->hi);
}

/* Returns true for intervals far below the smallest double on both sides of zero. They count as a zero of
 * unknown sign. */
bool interval_is_nothing(const interval *a)
{
    if (a->state != INTERVAL_DEFINED) return false;
    const mpfr_exp_t tiny = -1100;
    bool low = mpfr_zero_p(a->lo) || (mpfr_regular_p(a->lo) && mpfr_get_exp(a->lo) < tiny);
    bool high = mpfr_zero_p(a->hi) || (mpfr_regular_p(a->hi) && mpfr_get_exp(a->hi) < tiny);
    return low && high && mpfr_sgn(a->lo) <= 0 && mpfr_sgn(a->hi) >= 0;
}

bool interval_is_infinite(const interval *a) { return interval_is_point(a) && mpfr_inf_p(a->lo); }

bool interval_inherit(interval *r, const interval *a, const interval *b)
{
    enum interval_state state = a->state;
    if (b && b->state > state) state = b->state;
    r->state = state;
    r->lo_open = r->hi_open = false;
    return state != INTERVAL_DEFINED;
}

void interval_doubtful(interval *r) { r->state = INTERVAL_DOUBTFUL; }
void interval_undefined(interval *r) { r->state = INTERVAL_UNDEFINED; }

void interval_copy(interval *r, const interval *a)
{
    mpfr_set(r->lo, a->lo, MPFR_RNDD);
    mpfr_set(r->hi, a->hi, MPFR_RNDU);
    r->state = a->state;
    r->lo_open = a->lo_open;
    r->hi_open = a->hi_open;
}

/* Marks an interval whose ends have been set as defined and closed. */
static void defined(interval *r)
{
    r->state = INTERVAL_DEFINED;
    r->lo_open = r->hi_open = false;
}

void interval_integer(interval *r, long value)
{
    mpfr_set_si(r->lo, value, MPFR_RNDD);
    mpfr_set_si(r->hi, value, MPFR_RNDU);
    defined(r);
}

/* Puts the upper end next to a lower end that was rounded down. This saves a second evaluation. */
static void close_above(interval *r, bool is_rounded)
{
    mpfr_set(r->hi, r->lo, MPFR_RNDU);
    if (is_rounded) mpfr_nextabove(r->hi);
}

void interval_ratio(interval *r, mpq_srcptr value)
{
    close_above(r, mpfr_set_q(r->lo, value, MPFR_RNDD) != 0);
    defined(r);
}

void interval_pi(interval *r)
{
    mpfr_const_pi(r->lo, MPFR_RNDD);
    mpfr_const_pi(r->hi, MPFR_RNDU);
    defined(r);
}

void interval_settle(interval *r)
{
    if (mpfr_nan_p(r->lo) || mpfr_nan_p(r->hi))
        r->state = INTERVAL_DOUBTFUL;
    else if (mpfr_zero_p(r->lo) && mpfr_zero_p(r->hi) && mpfr_signbit(r->lo) != mpfr_signbit(r->hi)) {
        mpfr_set_zero(r->lo, 1);
        mpfr_set_zero(r->hi, 1);
    }
}

/* Settles the result. An operation that is undefined on exact operands stays undefined at every precision. */
static void settle_points(interval *r, const interval *a, const interval *b)
{
    interval_settle(r);
    if (r->state == INTERVAL_DOUBTFUL && interval_is_point(a) && interval_is_point(b))
        r->state = INTERVAL_UNDEFINED;
}

/* Opens the ends of a sum. Each end is the sum of one end of each operand. */
static void open_sum(interval *r, bool lo_open, bool hi_open)
{
    r->lo_open = lo_open && mpfr_number_p(r->lo);
    r->hi_open = hi_open && mpfr_number_p(r->hi);
}

void interval_add(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    mpfr_add(r->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_add(r->hi, a->hi, b->hi, MPFR_RNDU);
    /* takes IEEE's sign, because directed rounding gives another one */
    if (mpfr_zero_p(r->lo) && mpfr_zero_p(r->hi)) {
        mpfr_add(r->lo, a->lo, b->lo, MPFR_RNDN);
        mpfr_set(r->hi, r->lo, MPFR_RNDN);
    }
    open_sum(r, a->lo_open || b->lo_open, a->hi_open || b->hi_open);
    settle_points(r, a, b);
}

void interval_sub(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    mpfr_sub(r->lo, a->lo, b->hi, MPFR_RNDD);
    mpfr_sub(r->hi, a->hi, b->lo, MPFR_RNDU);
    if (mpfr_zero_p(r->lo) && mpfr_zero_p(r->hi)) {
        mpfr_sub(r->lo, a->lo, b->hi, MPFR_RNDN);
        mpfr_set(r->hi, r->lo, MPFR_RNDN);
    }
    open_sum(r, a->lo_open || b->hi_open, a->hi_open || b->lo_open);
    settle_points(r, a, b);
}

/* Multiplies ends. An infinite end is only a bound, so zero times it is zero. */
static void times_ends(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t rounding)
{
    if (mpfr_zero_p(x) || mpfr_zero_p(y))
        mpfr_set_zero(out, mpfr_signbit(x) != mpfr_signbit(y) ? -1 : 1);
    else
        mpfr_mul(out, x, y, rounding);
}

/* Multiplies two intervals that both contain both signs. The bounds are the largest magnitude with either
 * sign. */
static void mixed_product(interval *r, const interval *a, const interval *b)
{
    mpfr_srcptr x = mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi;
    mpfr_srcptr y = mpfr_cmpabs(b->lo, b->hi) > 0 ? b->lo : b->hi;
    times_ends(r->hi, x, y, MPFR_RNDA);
    mpfr_abs(r->hi, r->hi, MPFR_RNDU);
    mpfr_neg(r->lo, r->hi, MPFR_RNDD);
}

bool interval_is_finite(const interval *a)
{
    return a->state == INTERVAL_DEFINED && mpfr_number_p(a->lo) && mpfr_number_p(a->hi);
}

bool interval_has_zero(const interval *a) { return mpfr_sgn(a->lo) <= 0 && mpfr_sgn(a->hi) >= 0; }
mpfr_srcptr interval_far_end(const interval *a) { return mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi; }
mpfr_srcptr interval_near_end(const interval *a) { return mpfr_cmpabs(a->lo, a->hi) > 0 ? a->hi : a->lo; }

/* An interval of one sign, described by magnitude. */
struct size {
    mpfr_srcptr near, far; /* the end nearer to zero, and the one farther from it */
    bool near_open, far_open, negative;
};

/* Fills `s`. Returns false if the interval has both signs or is not finite. */
static bool measure_size(struct size *s, const interval *a)
{
    if (!mpfr_number_p(a->lo) || !mpfr_number_p(a->hi)) return false;
    s->negative = mpfr_sgn(a->lo) < 0;
    s->near = s->negative ? a->hi : a->lo;
    s->far = s->negative ? a->lo : a->hi;
    s->near_open = s->negative ? a->hi_open : a->lo_open;
    s->far_open = s->negative ? a->lo_open : a->hi_open;
    return !s->negative || mpfr_sgn(a->hi) <= 0;
}

static void open_sized(interval *r, bool negative, bool near_open, bool far_open)
{
    r->lo_open = negative ? far_open : near_open;
    r->hi_open = negative ? near_open : far_open;
}

static void open_product(interval *r, const interval *a, const interval *b)
{
    struct size x, y;
    if (!measure_size(&x, a) || !measure_size(&y, b)) return;
    const bool near_open = (x.near_open && !mpfr_zero_p(y.near)) || (y.near_open && !mpfr_zero_p(x.near)) ||
                           (x.near_open && y.near_open);
    const bool far_open = (x.far_open && !mpfr_zero_p(y.far)) || (y.far_open && !mpfr_zero_p(x.far));
    open_sized(r, x.negative != y.negative, near_open, far_open);
}

static void open_quotient(interval *r, const interval *a, const interval *b)
{
    struct size x, y;
    if (!measure_size(&x, a) || !measure_size(&y, b) || mpfr_zero_p(y.far)) return;
    const bool near_open = x.near_open || (y.far_open && !mpfr_zero_p(x.near));
    const bool far_open = x.far_open || (y.near_open && !mpfr_zero_p(x.far));
    open_sized(r, x.negative != y.negative, near_open, far_open && !mpfr_zero_p(y.near));
}

void interval_mul(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    if ((interval_is_infinite(a) && interval_has_zero(b)) ||
        (interval_is_infinite(b) && interval_has_zero(a))) {
        r->state = interval_is_zero(a) || interval_is_zero(b) ? INTERVAL_UNDEFINED : INTERVAL_DOUBTFUL;
        return;
    }
    /* the cases below look at the sign of the first operand */
    if (mpfr_sgn(a->lo) < 0 && mpfr_sgn(a->hi) > 0) {
        const interval *swap = a;
        a = b;
        b = swap;
    }
    if (mpfr_sgn(a->lo) >= 0) {
        times_ends(r->lo, mpfr_sgn(b->lo) >= 0 ? a->lo : a->hi, b->lo, MPFR_RNDD);
        times_ends(r->hi, mpfr_sgn(b->hi) >= 0 ? a->hi : a->lo, b->hi, MPFR_RNDU);
    } else if (mpfr_sgn(a->hi) <= 0) {
        times_ends(r->lo, mpfr_sgn(b->hi) >= 0 ? a->lo : a->hi, b->hi, MPFR_RNDD);
        times_ends(r->hi, mpfr_sgn(b->lo) >= 0 ? a->hi : a->lo, b->lo, MPFR_RNDU);
    } else
        mixed_product(r, a, b);
    open_product(r, a, b);
    interval_settle(r);
}

/* Divides ends. A zero divisor takes the sign of the divisor's interval, not its own sign. */
static void quotient_of_ends(mpfr_ptr out, mpfr_srcptr x, mpfr_srcptr y, bool negative, mpfr_rnd_t rounding)
{
    int sign = (mpfr_signbit(x) != 0) != negative ? -1 : 1;
    if (!mpfr_zero_p(y))
        mpfr_div(out, x, y, rounding);
    else if (mpfr_zero_p(x))
        mpfr_set_zero(out, sign);
    else
        mpfr_set_inf(out, sign);
}

void interval_div(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    if (interval_is_zero(b) && interval_has_zero(a)) {
        r->state = interval_is_zero(a) ? INTERVAL_UNDEFINED : INTERVAL_DOUBTFUL;
        return;
    }
    if (mpfr_sgn(b->lo) < 0 && mpfr_sgn(b->hi) > 0) {
        interval_doubtful(r);
        return;
    }
    bool negative = mpfr_sgn(b->lo) < 0 || (interval_is_zero(b) && mpfr_signbit(b->lo));
    if (mpfr_regular_p(a->lo) && interval_is_point(a) && mpfr_regular_p(b->lo) && interval_is_point(b)) {
        close_above(r, mpfr_div(r->lo, a->lo, b->lo, MPFR_RNDD) != 0);
        return;
    }
    if (negative) {
        quotient_of_ends(r->lo, a->hi, mpfr_sgn(a->hi) >= 0 ? b->hi : b->lo, true, MPFR_RNDD);
        quotient_of_ends(r->hi, a->lo, mpfr_sgn(a->lo) >= 0 ? b->lo : b->hi, true, MPFR_RNDU);
    } else {
        quotient_of_ends(r->lo, a->lo, mpfr_sgn(a->lo) >= 0 ? b->hi : b->lo, false, MPFR_RNDD);
        quotient_of_ends(r->hi, a->hi, mpfr_sgn(a->hi) >= 0 ? b->lo : b->hi, false, MPFR_RNDU);
    }
    open_quotient(r, a, b);
    settle_points(r, a, b);
}

void interval_neg(interval *r, const interval *a)
{
    if (interval_inherit(r, a, NULL)) return;
    mpfr_neg(r->lo, a->hi, MPFR_RNDD);
    mpfr_neg(r->hi, a->lo, MPFR_RNDU);
    r->lo_open = a->hi_open;
    r->hi_open = a->lo_open;
}

void interval_min(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    const bool a_low = mpfr_less_p(a->lo, b->lo), a_high = mpfr_less_p(a->hi, b->hi);
    mpfr_set(r->lo, a_low ? a->lo : b->lo, MPFR_RNDD);
    mpfr_set(r->hi, a_high ? a->hi : b->hi, MPFR_RNDU);
    r->lo_open = a_low ? a->lo_open : b->lo_open && (a->lo_open || mpfr_less_p(b->lo, a->lo));
    r->hi_open = a_high ? a->hi_open : b->hi_open;
    interval_settle(r);
}

void interval_max(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    const bool a_low = mpfr_greater_p(a->lo, b->lo), a_high = mpfr_greater_p(a->hi, b->hi);
    mpfr_set(r->lo, a_low ? a->lo : b->lo, MPFR_RNDD);
    mpfr_set(r->hi, a_high ? a->hi : b->hi, MPFR_RNDU);
    r->lo_open = a_low ? a->lo_open : b->lo_open;
    r->hi_open = a_high ? a->hi_open : b->hi_open && (a->hi_open || mpfr_greater_p(b->hi, a->hi));
    interval_settle(r);
}

void interval_hull(interval *r, const interval *a, const interval *b)
{
    if (a->state == INTERVAL_UNDEFINED && b->state == INTERVAL_UNDEFINED) {
        interval_undefined(r);
        return;
    }
    r->state = INTERVAL_DOUBTFUL;
    if (a->state != INTERVAL_DEFINED || b->state != INTERVAL_DEFINED) return;
    defined(r);
    mpfr_set(r->lo, mpfr_less_p(a->lo, b->lo) ? a->lo : b->lo, MPFR_RNDD);
    mpfr_set(r->hi, mpfr_greater_p(a->hi, b->hi) ? a->hi : b->hi, MPFR_RNDU);
    interval_settle(r);
}

void round_to_format(mpfr_ptr out, mpfr_srcptr x, const struct float_format *format)
{
    mpfr_set(out, x, MPFR_RNDN);
    if (mpfr_nan_p(x) || mpfr_zero_p(x) || (mpfr_inf_p(x) && format->has_infinity)) return;
    if (!mpfr_inf_p(x)) {
        const mpfr_exp_t unit =
            float_spacing_exponent(format, mpfr_get_exp(x) - 1); /* MPFR's significands are in [1/2, 1) */
        mpfr_mul_2si(out, out, -unit, MPFR_RNDN);
        mpfr_rint(out, out, MPFR_RNDN); /* to the nearest integer, ties to even */
        mpfr_mul_2si(out, out, unit, MPFR_RNDN);
    }
    if (mpfr_cmp_d(out, format->largest) <= 0 && mpfr_cmp_d(out, -format->largest) >= 0) return;
    if (format->has_infinity)
        mpfr_set_inf(out, mpfr_sgn(out));
    else
        mpfr_set_d(out, mpfr_sgn(out) < 0 ? -format->largest : format->largest, MPFR_RNDN);
}

/* Clamps a rounded number to the integers of the type, and turns -0 into 0. */
static void saturate(mpfr_ptr x, enum element_type type)
{
    if (mpfr_cmp_d(x, element_least(type)) < 0) mpfr_set_d(x, element_least(type), MPFR_RNDN);
    if (mpfr_cmp_d(x, element_most(type)) > 0) mpfr_set_d(x, element_most(type), MPFR_RNDN);
    if (mpfr_zero_p(x)) mpfr_set_zero(x, 1);
}

/* Rounds a magnitude down to a power of two of the format. Returns false for numbers beyond the format. */
static bool round_to_power(mpfr_ptr x, const struct float_format *f)
{
    const bool is_finite = mpfr_number_p(x), is_zero = mpfr_zero_p(x);
    const mpfr_exp_t own = is_finite && !is_zero ? mpfr_get_exp(x) - 1 : 0;
    const bool is_beyond = !is_finite || own > f->max_exponent;
    const mpfr_exp_t within = own > f->max_exponent ? f->max_exponent : own;
    mpfr_set_ui_2exp(x, 1, is_zero || within < f->min_exponent ? f->min_exponent : within, MPFR_RNDN);
    return !is_beyond;
}

static void cast_to_power(interval *r, const interval *a, const struct float_format *f)
{
    const bool has_zero = mpfr_sgn(a->lo) <= 0 && mpfr_sgn(a->hi) >= 0;
    mpfr_abs(r->lo, a->lo, MPFR_RNDN);
    mpfr_abs(r->hi, a->hi, MPFR_RNDN);
    if (mpfr_greater_p(r->lo, r->hi)) mpfr_swap(r->lo, r->hi);
    if (has_zero) mpfr_set_zero(r->lo, 1);
    const bool has_least = round_to_power(r->lo, f), has_most = round_to_power(r->hi, f);
    if (!has_least)
        interval_undefined(r);
    else if (!has_most)
        interval_doubtful(r);
    else
        interval_settle(r);
}

void interval_cast(interval *r, const interval *a, enum element_type type)
{
    const struct float_format *format = &element_types[type].format;
    const bool is_integer = element_is_integer(type);
    if (is_integer && a->state == INTERVAL_UNDEFINED) {
        defined(r);
        mpfr_set_zero(r->lo, 1);
        mpfr_set_zero(r->hi, 1);
        return;
    }
    if (interval_inherit(r, a, NULL)) return;
    if (element_is_power(type)) {
        cast_to_power(r, a, format);
        return;
    }
    round_to_format(r->lo, a->lo, format);
    round_to_format(r->hi, a->hi, format);
    if (is_integer) saturate(r->lo, type), saturate(r->hi, type);
    interval_settle(r);
}

static void set_truth(interval *r, bool yes, bool no)
{
    r->truth = yes ? TRUTH_TRUE : no ? TRUTH_FALSE : TRUTH_UNKNOWN;
}

void interval_less(interval *r, const interval *a, const interval *b)
{
    if (!interval_inherit(r, a, b))
        set_truth(r, mpfr_less_p(a->hi, b->lo), mpfr_greaterequal_p(a->lo, b->hi));
}

void interval_less_equal(interval *r, const interval *a, const interval *b)
{
    if (!interval_inherit(r, a, b))
        set_truth(r, mpfr_lessequal_p(a->hi, b->lo), mpfr_greater_p(a->lo, b->hi));
}

void interval_equal(interval *r, const interval *a, const interval *b)
{
    if (interval_inherit(r, a, b)) return;
    bool same = interval_is_point(a) && interval_is_point(b) && mpfr_equal_p(a->lo, b->lo);
    set_truth(r, same, mpfr_less_p(a->hi, b->lo) || mpfr_greater_p(a->lo, b->hi));
}
