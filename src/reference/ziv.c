/* Ziv's strategy: use more precision until the rounding of the interval is certain.
 *
 * The written form counts. The simplified form is asked where the written form leaves MPFR's exponent range,
 * is undefined, or is undecided at the highest precision.
 *
 * Where the written form cancels, it would climb to thousands of bits for each value. The simplified form
 * knows the value at once. From the second level on the simplified form therefore also decides, if its
 * interval lies within the written form's interval. */
#include "ziv.h"

#include "float_bits.h"

#include <math.h>

struct range range_widen(void)
{
    struct range saved = {mpfr_get_emin(), mpfr_get_emax(), mpfr_flags_save()};
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    return saved;
}

void range_restore(struct range saved)
{
    mpfr_set_emin(saved.emin);
    mpfr_set_emax(saved.emax);
    mpfr_flags_restore(saved.flags, MPFR_FLAGS_ALL);
}

/* Returns the sign of a zero, 0 if unknown. An exact zero has its own sign, an underflowed one its interval's
 * side. */
static int zero_sign(const interval *a)
{
    if (interval_is_zero(a)) return mpfr_signbit(a->lo) ? -1 : 1;
    if (mpfr_sgn(a->lo) >= 0) return 1;
    return mpfr_sgn(a->hi) <= 0 ? -1 : 0;
}

static double to_format(mpfr_srcptr x, const struct goal *goal)
{
    if (goal->format->precision == 53) return mpfr_get_d(x, MPFR_RNDN);
    round_to_format(goal->scratch, x, goal->format);
    return mpfr_get_d(goal->scratch, MPFR_RNDN);
}

/* Rounds a number just above x, or just below x. */
static double beside(mpfr_srcptr x, bool above, const struct goal *goal)
{
    mpfr_t near; /* has a bit more than x, so that no tie lies between x and `near` */
    mpfr_init2(near, mpfr_get_prec(x) + 1);
    mpfr_set(near, x, MPFR_RNDN);
    if (above)
        mpfr_nextabove(near);
    else
        mpfr_nextbelow(near);
    const double rounded = to_format(near, goal);
    mpfr_clear(near);
    return rounded;
}

static bool rounding_is_certain(const interval *a, struct goal *goal)
{
    double lo = to_format(a->lo, goal), hi = to_format(a->hi, goal);
    if (lo != hi && a->lo_open) lo = beside(a->lo, true, goal);
    if (lo != hi && a->hi_open) hi = beside(a->hi, false, goal);
    if (lo != hi) return false;
    if (lo == 0) {
        int sign = zero_sign(a);
        if (!sign) return false;
        lo = sign < 0 ? -0.0 : 0.0;
    }
    goal->value = lo;
    return true;
}

/* Returns true if the ends, which have one sign, agree to `bits` bits. */
static bool agree(const interval *a, unsigned bits, mpfr_ptr scratch)
{
    if (interval_is_point(a)) return true;
    if (!mpfr_regular_p(a->lo) || !mpfr_regular_p(a->hi) || mpfr_sgn(a->lo) != mpfr_sgn(a->hi)) return false;
    mpfr_sub(scratch, a->hi, a->lo, MPFR_RNDU);
    mpfr_srcptr near = mpfr_cmpabs(a->lo, a->hi) < 0 ? a->lo : a->hi;
    return mpfr_get_exp(near) - mpfr_get_exp(scratch) >= (mpfr_exp_t)bits + 1;
}

/* Rounding at a tie between two doubles may never be certain. This close to the tie, either double will
 * do. */
enum { NEAR_BITS = 88 };

static bool is_near(const interval *a, struct goal *goal)
{
    if (goal->near_is_enough && interval_is_nothing(a)) {
        goal->value = 0;
        goal->exact_zero = true;
        return true;
    }
    if (!goal->near_is_enough || !agree(a, NEAR_BITS, goal->scratch)) return false;
    goal->value = mpfr_get_d(a->lo, MPFR_RNDN);
    return true;
}

static bool bits_are_correct(const interval *a, struct goal *goal)
{
    bool outside_lo = !mpfr_regular_p(a->lo), outside_hi = !mpfr_regular_p(a->hi);
    if (!interval_is_point(a) && (outside_lo || outside_hi)) {
        /* Next to the ends of MPFR's range the value counts as an infinity or a zero. */
        const mpfr_exp_t edge = (mpfr_exp_t)1 << 60;
        mpfr_srcptr inner = outside_lo ? a->hi : a->lo, outer = outside_lo ? a->lo : a->hi;
        if (!mpfr_regular_p(inner)) return false;
        if (mpfr_inf_p(outer) ? mpfr_get_exp(inner) < edge : mpfr_get_exp(inner) > -edge) return false;
        mpfr_set(goal->out, outer, MPFR_RNDN);
        if (mpfr_zero_p(outer)) mpfr_setsign(goal->out, goal->out, mpfr_sgn(inner) < 0, MPFR_RNDN);
        return true;
    }
    if (!agree(a, goal->bits, goal->scratch)) return false;
    mpfr_set(goal->out, a->lo, MPFR_RNDN);
    return true;
}

static bool decides(const interval *a, struct goal *goal)
{
    goal->is_narrow =
        a->state == INTERVAL_DEFINED && (agree(a, NEAR_BITS, goal->scratch) || interval_is_nothing(a));
    if (a->state != INTERVAL_DEFINED) return false;
    goal->exact_zero = interval_is_zero(a);
    return goal->bits ? bits_are_correct(a, goal) : rounding_is_certain(a, goal) || is_near(a, goal);
}

static enum reference_state undefined(struct goal *goal)
{
    if (goal->bits) mpfr_set_nan(goal->out);
    goal->value = NAN;
    goal->exact_zero = false;
    return REFERENCE_DECIDED;
}

/* Returns true if all of `a` is in `b`. */
static bool lies_within(const interval *a, const interval *b)
{
    if (a->state != INTERVAL_DEFINED || b->state != INTERVAL_DEFINED) return false;
    return mpfr_lessequal_p(b->lo, a->lo) && mpfr_lessequal_p(a->hi, b->hi);
}

/* Returns true if the written form has to answer by itself as far as it can. This holds for one input of 64,
 * chosen by a hash of its bits. So no verdict on many inputs relies only on the simplification. */
static bool insists(const struct reference *r)
{
    uint64_t hash = 0;
    for (unsigned k = 0; k < r->input_count; k++)
        hash = (hash ^ bits_of_f64(mpfr_get_d(r->points[k], MPFR_RNDN))) * UINT64_C(0x9e3779b97f4a7c15);
    return hash >> 58 == 0;
}

/* The work of a node in MPFR at the first level. Each further level has about twice the precision and counts
 * double. */
enum { MPFR_WORK = 100 };

enum reference_state ziv(struct reference *r, struct goal *goal, unsigned first, unsigned last)
{
    bool strained;
    for (unsigned level = first; level <= last; level++) {
        const interval *written = evaluator_run(&r->written, level, r->inputs, &strained);
        r->work += (uint64_t)r->written.count * MPFR_WORK << level;
        if (!written) return REFERENCE_UNDECIDED;
        if (decides(written, goal)) return REFERENCE_DECIDED;
        bool is_undefined = written->state == INTERVAL_UNDEFINED;
        if (is_undefined && r->same) return undefined(goal);
        if (goal->bits && r->same && interval_is_nothing(written)) return REFERENCE_UNDECIDED;
        const bool is_needed = is_undefined || strained || level == last;
        if (r->same || !(is_needed || (level > first && !insists(r)))) continue;
        const interval *simplified = evaluator_run(&r->simplified, level, r->inputs, &strained);
        r->work += (uint64_t)r->simplified.count * MPFR_WORK << level;
        if (!simplified) return REFERENCE_UNDECIDED;
        if (!is_needed && !lies_within(simplified, written)) continue;
        if (decides(simplified, goal)) return REFERENCE_DECIDED;
        /* Nobody needs the digits of such a value, and finding them may take all levels. */
        if (goal->bits && interval_is_nothing(written) && interval_is_nothing(simplified))
            return REFERENCE_UNDECIDED;
        if (is_undefined && simplified->state == INTERVAL_UNDEFINED) return undefined(goal);
    }
    return REFERENCE_UNDECIDED;
}
