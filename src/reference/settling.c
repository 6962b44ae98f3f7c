/* Judges sequences of intervals.
 *
 * A formula without waves is eventually monotone, because it belongs to a Hardy field. So it has a limit, and
 * samples that are too wide to tell anything may be left out. A limit is seen where the last samples are as
 * good as one number. It is also seen where they shrink or grow without slowing down.
 *
 * The speed is the change of log |y| per step of log log x. Powers of x gain speed, powers of log x keep it,
 * and a sequence that approaches a number loses it. Cancellation may leave the last arguments unseen. Terms
 * that are still small before them may dominate there, so more is asked of sizes and of bits. */
#include "settling.h"

#include "quick.h"
#include "quick_math.h"

#include <math.h>

enum {
    RUN = 6,            /* samples that show a trend */
    AGREEING = 4,       /* samples that must agree in sign, truth or value */
    NARROW_BITS = 20,   /* relative width, in bits, of a sample that counts */
    LIMIT_BITS = 55,    /* bits that the last two samples must share */
    SHRINKING_BITS = 6, /* how many fewer bits each earlier pair may share; 1/log(x) has 2 fewer */
    MANY = 16,          /* samples in which a sum must vanish */
    NUMBER_BITS = 1280, /* precision of samples that may show a number, ... */
    TREND_BITS = 4096,  /* ... or a trend, although the last samples tell nothing */
};

/* The exponent from which on numbers are near the end of MPFR's range, where ends of intervals are cut. */
static const mpfr_exp_t range = (mpfr_exp_t)1 << 61;
/* The sizes, as log2, that count as infinite, or negated as zero. LEAST_SIZE is for sequences seen up to the
 * last argument. LEAST_UNSEEN is for those seen until their bits fail. BEYOND is a size that no f64 comes
 * near. */
static const double LEAST_SIZE = 16, LEAST_UNSEEN = 40, BEYOND = 1100;
static const double SLOWING = 1 / 64.0;    /* share of the speed whose loss is forgiven */
static const double END_OF_RANGE = 0x1p60; /* log2 of a size beyond which there are only cut ends */

static bool in_range(mpfr_srcptr x)
{
    if (!mpfr_regular_p(x)) return mpfr_zero_p(x);
    return mpfr_get_exp(x) < range && mpfr_get_exp(x) > -range;
}

/* Tells values beyond MPFR's range or next to its end. A tiny value may have any sign, a huge value has one
 * sign. */
static bool is_tiny(const interval *a) { return size_of(interval_far_end(a)) < -END_OF_RANGE; }
static bool is_huge(const interval *a)
{
    return mpfr_sgn(a->lo) * mpfr_sgn(a->hi) > 0 && size_of(interval_near_end(a)) > END_OF_RANGE;
}

/* Returns true if the ends agree to `bits` bits. Overwrites `width`. */
static bool agree(mpfr_srcptr lo, mpfr_srcptr hi, int bits, mpfr_ptr width)
{
    if (mpfr_equal_p(lo, hi)) return true;
    if (!mpfr_regular_p(lo) || !mpfr_regular_p(hi) || mpfr_sgn(lo) != mpfr_sgn(hi)) return false;
    mpfr_sub(width, hi, lo, MPFR_RNDU);
    mpfr_srcptr near = mpfr_cmpabs(lo, hi) < 0 ? lo : hi;
    return mpfr_get_exp(near) - mpfr_get_exp(width) >= bits;
}

static bool tells(const interval *a, bool waves)
{
    if (a->state != INTERVAL_DEFINED) return false;
    if (interval_is_infinite(a) || is_tiny(a) || is_huge(a)) return true;
    if (!in_range(a->lo) || !in_range(a->hi)) return false;
    if (waves) return true;
    mpfr_t width;
    mpfr_init2(width, mpfr_get_prec(a->lo));
    const bool narrow = agree(a->lo, a->hi, NARROW_BITS, width);
    mpfr_clear(width);
    return narrow;
}

/* The last samples that tell something, with the last one first. */
struct ending {
    const interval *value[RUN];
    double octaves[RUN]; /* log2 of their arguments */
    unsigned count;
    bool is_seen; /* at most a few samples follow that tell nothing */
};

static void find_ending(struct ending *out, const struct trail *t)
{
    *out = (struct ending){.is_seen = true};
    for (unsigned k = t->count; k-- > 0 && out->count < RUN;) {
        if (!out->count && k + AGREEING < t->count) out->is_seen = false;
        if (!tells(t->sample[k], t->waves)) continue;
        out->octaves[out->count] = t->octaves[k];
        out->value[out->count++] = t->sample[k];
    }
}

bool trail_is_undefined(const struct trail *t)
{
    unsigned count = 0;
    const bool skips = !t->waves && mpfr_get_prec(t->sample[0]->lo) >= NUMBER_BITS;
    for (unsigned k = t->count; k-- > 0 && count < AGREEING;) {
        if (t->sample[k]->state == INTERVAL_DOUBTFUL && skips) continue;
        if (t->sample[k]->state != INTERVAL_UNDEFINED) return false;
        count++;
    }
    return count == AGREEING;
}

enum truth trail_truth(const struct trail *t)
{
    enum truth truth = TRUTH_UNKNOWN;
    unsigned count = 0;
    for (unsigned k = t->count; k-- > 0 && count < AGREEING;) {
        const interval *a = t->sample[k];
        if (a->state != INTERVAL_DEFINED || (a->truth == TRUTH_UNKNOWN && !t->waves)) continue;
        if (a->truth == TRUTH_UNKNOWN || (count && a->truth != truth)) return TRUTH_UNKNOWN;
        truth = a->truth;
        count++;
    }
    return count == AGREEING ? truth : TRUTH_UNKNOWN;
}

/* Returns 1 or -1, or 0 for an interval of both signs. An exact zero has its own sign. */
static int sign_of_interval(const interval *a)
{
    if (interval_is_zero(a)) return mpfr_signbit(a->lo) ? -1 : 1;
    return mpfr_sgn(a->lo) >= 0 ? 1 : mpfr_sgn(a->hi) <= 0 ? -1 : 0;
}

int trail_sign(const struct trail *t, bool *exact)
{
    int sign = 0;
    unsigned count = 0;
    *exact = true;
    for (unsigned k = t->count; k-- > 0 && count < AGREEING;) {
        const interval *a = t->sample[k];
        if (a->state != INTERVAL_DEFINED || (!t->waves && !sign_of_interval(a))) continue;
        *exact = *exact && interval_is_zero(a);
        sign = count && sign_of_interval(a) != sign ? 0 : sign_of_interval(a);
        if (!sign) break;
        count++;
    }
    *exact = *exact && count == AGREEING;
    return count == AGREEING ? sign : 0;
}

double size_of(mpfr_srcptr x)
{
    long exponent;
    if (mpfr_inf_p(x)) return 0x1p63;
    if (mpfr_zero_p(x)) return -0x1p63;
    const double fraction = mpfr_get_d_2exp(&exponent, x, MPFR_RNDN);
    return (double)exponent + quick_log_value(fabs(fraction)) / QUICK_LN2;
}

/* These return true if `now` is no farther from 0 than `before`, or no nearer. */
static bool goes_down(const interval *now, const interval *before)
{
    return (is_tiny(now) && is_tiny(before)) ||
           size_of(interval_far_end(now)) <= size_of(interval_far_end(before));
}

static bool goes_up(const interval *now, const interval *before)
{
    const bool same_sign = sign_of_interval(now) && sign_of_interval(now) == sign_of_interval(before);
    return same_sign && ((is_huge(now) && is_huge(before)) ||
                         size_of(interval_near_end(now)) >= size_of(interval_near_end(before)));
}

/* Returns true if the sizes change no more slowly than before. The last sample's size is first. */
static bool keeps_speed(const struct ending *e, const double *size)
{
    double last = 0;
    for (unsigned k = 0; k + 1 < RUN; k++) {
        const double speed = fabs(size[k] - size[k + 1]) / quick_log_value(e->octaves[k] / e->octaves[k + 1]);
        if (!k) last = speed;
        if (last < speed * (1 - SLOWING)) return false;
    }
    return last > 0;
}

/* Returns true if sizes that move in one direction do so to the end. `far` is the distance of the last one
 * from 1, as log2. */
static bool is_trend(const struct ending *e, const double *size, double far)
{
    if (far > BEYOND) return fabs(size[0] - size[RUN - 1]) >= 1 || far > END_OF_RANGE;
    if (!e->is_seen && mpfr_get_prec(e->value[0]->lo) < TREND_BITS) return false;
    return far > (e->is_seen ? LEAST_SIZE : LEAST_UNSEEN) && keeps_speed(e, size);
}

/* Returns -1 if the samples shrink towards zero, 1 if they grow beyond all bounds, 0 if neither is seen. */
static int trend(const struct ending *e)
{
    double far[RUN], near[RUN];
    bool shrinks = true, grows = true;
    for (unsigned k = 0; k < RUN; k++) {
        far[k] = size_of(interval_far_end(e->value[k]));
        near[k] = size_of(interval_near_end(e->value[k]));
        shrinks = shrinks && (!k || goes_down(e->value[k - 1], e->value[k]));
        grows = grows && (!k || goes_up(e->value[k - 1], e->value[k]));
    }
    if (shrinks && is_trend(e, far, -far[0])) return -1;
    return grows && is_trend(e, near, near[0]);
}

/* Makes `out` the smallest interval that contains both. */
static void hull(interval *out, const interval *a, const interval *b)
{
    mpfr_min(out->lo, a->lo, b->lo, MPFR_RNDD);
    mpfr_max(out->hi, a->hi, b->hi, MPFR_RNDU);
}

/* Returns true if the changes shrink to nothing. The limit is then the last value, widened on both sides by
 * the last change. */
static bool converges(interval *limit, const interval *const *last)
{
    mpfr_t width;
    bool narrow = true;
    mpfr_init2(width, mpfr_get_prec(limit->lo));
    for (unsigned k = AGREEING - 1; k-- > 0;) {
        hull(limit, last[k], last[k + 1]);
        narrow = narrow && agree(limit->lo, limit->hi, LIMIT_BITS - (int)k * SHRINKING_BITS, width);
    }
    if (narrow && !mpfr_equal_p(limit->lo, limit->hi)) {
        mpfr_sub(width, limit->hi, limit->lo, MPFR_RNDU);
        mpfr_sub(limit->lo, limit->lo, width, MPFR_RNDD);
        mpfr_add(limit->hi, limit->hi, width, MPFR_RNDU);
    }
    mpfr_clear(width);
    return narrow;
}

/* Returns true if the terms cancel in all samples, and in many of them leave nothing that an f64 comes
 * near. */
static bool vanishes(const struct trail *t)
{
    unsigned count = 0;
    for (unsigned k = 0; k < t->count; k++) {
        const interval *a = t->sample[k];
        if (a->state != INTERVAL_DEFINED || !in_range(a->lo) || !in_range(a->hi)) continue;
        if (mpfr_sgn(a->lo) > 0 || mpfr_sgn(a->hi) < 0) return false;
        count += size_of(interval_far_end(a)) < -BEYOND;
    }
    return count >= MANY;
}

bool trail_has_values(const struct trail *t)
{
    struct ending e;
    find_ending(&e, t);
    return e.count >= AGREEING;
}

bool trail_is_constant(interval *number, const struct trail *t)
{
    mpfr_t width;
    unsigned count = 0;
    bool same = true;
    mpfr_init2(width, mpfr_get_prec(number->lo));
    for (unsigned k = 0; k < t->count && same; k++) {
        const interval *a = t->sample[k];
        if (a->state != INTERVAL_DEFINED || !in_range(a->lo) || !in_range(a->hi)) continue;
        if (count++)
            hull(number, number, a);
        else
            interval_copy(number, a);
        same =
            agree(number->lo, number->hi, LIMIT_BITS, width) || size_of(interval_far_end(number)) < -BEYOND;
    }
    mpfr_clear(width);
    if (!same || count < MANY) return false;
    if (interval_has_zero(number)) interval_integer(number, 0);
    return true;
}

bool trail_limit(interval *limit, const struct trail *t)
{
    struct ending e;
    int direction = 0;
    find_ending(&e, t);
    limit->state = INTERVAL_DEFINED;
    limit->lo_open = limit->hi_open = false;
    const bool shows = e.is_seen || mpfr_get_prec(limit->lo) >= NUMBER_BITS;
    if (shows && e.count >= AGREEING && converges(limit, e.value)) return true;
    if (e.count == RUN) direction = trend(&e);
    if (direction > 0) {
        mpfr_set_inf(limit->lo, sign_of_interval(e.value[0]));
        mpfr_set_inf(limit->hi, sign_of_interval(e.value[0]));
        return true;
    }
    if (direction < 0 || (e.count < AGREEING && vanishes(t))) {
        mpfr_set_zero(limit->lo, 1);
        mpfr_set_zero(limit->hi, 1);
        return true;
    }
    return false;
}
