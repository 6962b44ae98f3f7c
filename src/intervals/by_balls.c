/* Asks for more bits until a ball rounds to one number. */
#include "by_balls.h"

#include <stdbool.h>

/* Rounds a ball to y. Returns false if its two ends round to different numbers. */
static bool round_ball(mpfr_ptr y, const arb_t ball, slong bits, mpfr_rnd_t rounding)
{
    mpfr_t low, high, end;
    mpfr_inits2(bits, low, high, (mpfr_ptr)NULL);
    mpfr_init2(end, mpfr_get_prec(y));
    arb_get_interval_mpfr(low, high, ball);
    mpfr_set(y, low, rounding);
    mpfr_set(end, high, rounding);
    const bool is_decided = mpfr_equal_p(y, end);
    mpfr_clears(low, high, end, (mpfr_ptr)NULL);
    return is_decided;
}

int by_balls(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding, arb_function *f)
{
    enum { GUARD = 32 };
    arb_t at, value;
    arb_init(at);
    arb_init(value);
    arf_set_mpfr(arb_midref(at), x);
    slong bits = mpfr_get_prec(y) + GUARD;
    do {
        f(value, at, bits);
        bits *= 2;
    } while (!arb_is_finite(value) || !round_ball(y, value, bits, rounding));
    arb_clear(at);
    arb_clear(value);
    return 1;
}
