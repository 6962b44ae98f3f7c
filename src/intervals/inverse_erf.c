/* Computes the inverse of erf, which MPFR lacks, by Arb's balls of growing precision. */
#include "inverse_erf.h"

#include "arb_headers.h"

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

int inverse_erf(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    enum { GUARD = 32 };
    if (mpfr_zero_p(x)) return mpfr_set(y, x, rounding);
    if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) >= 0) {
        mpfr_set_nan(y);
        if (!mpfr_nan_p(x) && mpfr_cmpabs_ui(x, 1) == 0) mpfr_set_inf(y, mpfr_sgn(x));
        return 0;
    }
    arb_t at, value;
    arb_init(at);
    arb_init(value);
    arf_set_mpfr(arb_midref(at), x);
    /* No binary fraction except 0 has a binary fraction as its value. More bits decide at last. */
    slong bits = mpfr_get_prec(y) + GUARD;
    do {
        arb_hypgeom_erfinv(value, at, bits);
        bits *= 2;
    } while (!arb_is_finite(value) || !round_ball(y, value, bits, rounding));
    arb_clear(at);
    arb_clear(value);
    return 1;
}
