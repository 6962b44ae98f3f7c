/* Limits where inputs are infinite.
 *
 * First the expression itself on the extended reals (tanh(inf) = 1, 1/inf = 0); where that is undefined (inf
 * * 0), or zero, whose sign it does not know, the values at +-2^k for k = 8, 16, ..., 2^61 tell. Such a
 * sequence is trusted when its last values agree as doubles, or keep shrinking or growing by a factor at each
 * step, as 1/log(x) does. */
#include "ziv.h"

#include <math.h>

enum {
    FIRST_STEP = 6,  /* k = 2^(step / 2) */
    LAST_STEP = 122, /* 2^(2^61) is near the end of MPFR's range */
    AGREEING = 3,    /* finite values that must be equal */
    AGREEING_EXTREMES = 10,
    TREND = 8,       /* values that must shrink or grow */
    SAMPLE_LEVEL = 3 /* highest precision of a sample */
};

static const double trend_factor = 0.8; /* 1/log(x) gives 0.71; what shrinks more slowly is not trusted */

struct samples {
    double value[LAST_STEP + 1];
    unsigned count;
    bool all_exact_zero;
};

static mpfr_exp_t exponent_of_step(int step)
{
    mpfr_exp_t power = (mpfr_exp_t)1 << step / 2;
    return step % 2 ? power + power / 64 * 27 + power % 64 * 27 / 64 : power; /* about 2^(1/2) */
}

/* Samples along the infinite inputs, all at once. */
static void take_samples(struct reference *r, struct goal *goal, const bool *infinite, struct samples *s)
{
    s->count = 0;
    s->all_exact_zero = true;
    for (int step = FIRST_STEP; step <= LAST_STEP; step++) {
        for (unsigned k = 0; k < r->input_count; k++)
            if (infinite[k])
                mpfr_set_si_2exp(r->points[k], mpfr_sgn(r->points[k]), exponent_of_step(step), MPFR_RNDN);
        if (ziv(r, goal, 0, SAMPLE_LEVEL) != REFERENCE_DECIDED || isnan(goal->value)) continue;
        s->value[s->count++] = goal->value;
        s->all_exact_zero = s->all_exact_zero && goal->exact_zero;
    }
}

static bool last_agree(const struct samples *s)
{
    if (!s->count) return false;
    double last = s->value[s->count - 1];
    unsigned wanted = last == 0 || isinf(last) ? AGREEING_EXTREMES : AGREEING;
    if (s->count < wanted) return false;
    for (unsigned i = s->count - wanted; i + 1 < s->count; i++)
        if (s->value[i] != s->value[i + 1]) return false;
    return true;
}

/* -1: shrinks towards zero, 1: grows beyond all bounds, 0: neither is certain. */
static int trend(const struct samples *s)
{
    if (s->count < TREND) return 0;
    bool shrinks = true, grows = true;
    for (unsigned i = s->count - TREND; i + 1 < s->count; i++) {
        double now = fabs(s->value[i]), next = fabs(s->value[i + 1]);
        shrinks = shrinks && next <= trend_factor * now;
        grows = grows && now <= trend_factor * next && signbit(s->value[i]) == signbit(s->value[i + 1]);
    }
    return shrinks ? -1 : grows ? 1 : 0;
}

static double settled(const struct samples *s)
{
    double last = s->count ? s->value[s->count - 1] : NAN;
    if (last_agree(s)) return last;
    int direction = trend(s);
    if (direction < 0) return signbit(last) && signbit(s->value[s->count - 2]) ? -0.0 : 0.0;
    return direction > 0 ? copysign(INFINITY, last) : NAN;
}

enum reference_state limit_at_infinity(struct reference *r, struct goal *goal)
{
    bool infinite[64] = {false};
    for (unsigned k = 0; k < r->input_count && k < 64; k++) infinite[k] = mpfr_inf_p(r->points[k]);
    enum reference_state direct = ziv(r, goal, 0, LEVEL_USUAL - 1);
    if (direct == REFERENCE_DECIDED && !isnan(goal->value) && goal->value != 0) return direct;
    bool is_zero = direct == REFERENCE_DECIDED && goal->value == 0;
    double zero = goal->value;

    struct samples s;
    take_samples(r, goal, infinite, &s);
    goal->exact_zero = s.count > 0 && s.all_exact_zero;
    if (is_zero)
        goal->value = s.count ? copysign(0.0, s.value[s.count - 1]) : zero;
    else
        goal->value = settled(&s);
    return REFERENCE_DECIDED;
}
