/* Computes the inverse of erf, which MPFR lacks. */
#include "inverse_erf.h"

#include "by_balls.h"

int inverse_erf(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_zero_p(x)) return mpfr_set(y, x, rounding);
    if (mpfr_nan_p(x) || mpfr_cmpabs_ui(x, 1) >= 0) {
        mpfr_set_nan(y);
        if (!mpfr_nan_p(x) && mpfr_cmpabs_ui(x, 1) == 0) mpfr_set_inf(y, mpfr_sgn(x));
        return 0;
    }
    /* No binary fraction except 0 has a binary fraction as its value. More bits decide at last. */
    return by_balls(y, x, rounding, arb_hypgeom_erfinv);
}
