/* Powers of intervals with constant rational exponents. */
#include "interval.h"

static void raise(mpfr_ptr out, mpfr_srcptr x, unsigned long exponent, mpfr_rnd_t rounding)
{
    if (exponent == 2)
        mpfr_sqr(out, x, rounding);
    else
        mpfr_pow_ui(out, x, exponent, rounding);
}

static void integer_power(interval *r, const interval *a, unsigned long exponent)
{
    if (interval_inherit(r, a, NULL)) return;
    if (exponent % 2 == 1 || mpfr_sgn(a->lo) >= 0) {
        raise(r->lo, a->lo, exponent, MPFR_RNDD);
        raise(r->hi, a->hi, exponent, MPFR_RNDU);
    } else if (mpfr_sgn(a->hi) <= 0) {
        raise(r->lo, a->hi, exponent, MPFR_RNDD);
        raise(r->hi, a->lo, exponent, MPFR_RNDU);
    } else {
        mpfr_set_zero(r->lo, 1);
        raise(r->hi, mpfr_cmpabs(a->lo, a->hi) > 0 ? a->lo : a->hi, exponent, MPFR_RNDU);
    }
    interval_settle(r);
}

/* Computes x^q for x >= 0 and q in [exponent->lo, exponent->hi], q > 0. The power grows with q where x > 1,
 * and falls where x < 1. */
static void positive_power(interval *r, const interval *a, const interval *exponent)
{
    if (interval_inherit(r, a, NULL)) return;
    if (mpfr_sgn(a->lo) < 0) {
        r->state = mpfr_sgn(a->hi) < 0 ? INTERVAL_UNDEFINED : INTERVAL_DOUBTFUL;
        return;
    }
    mpfr_pow(r->lo, a->lo, mpfr_cmp_ui(a->lo, 1) < 0 ? exponent->hi : exponent->lo, MPFR_RNDD);
    mpfr_pow(r->hi, a->hi, mpfr_cmp_ui(a->hi, 1) < 0 ? exponent->lo : exponent->hi, MPFR_RNDU);
    interval_settle(r);
}

void interval_power(interval *r, const interval *a, mpq_srcptr exponent, interval *scratch)
{
    bool negative = mpq_sgn(exponent) < 0;
    bool integer = mpz_cmp_ui(mpq_denref(exponent), 1) == 0;
    if (mpq_sgn(exponent) == 0) {
        interval_integer(r, 1);
        return;
    }
    if (interval_inherit(r, a, NULL)) return;
    interval *raised = negative ? &scratch[0] : r;
    if (integer && mpz_cmpabs_ui(mpq_numref(exponent), 1ul << 62) < 0)
        integer_power(raised, a, mpz_get_ui(mpq_numref(exponent))); /* mpz_get_ui ignores the sign */
    else if (integer) {
        interval_doubtful(r);
        return;
    } else if (mpz_cmp_ui(mpq_denref(exponent), 2) == 0 && mpz_cmpabs_ui(mpq_numref(exponent), 1) == 0) {
        /* A simplified sqrt must keep its zeros, and a simplified 1/sqrt its poles. */
        interval_sqrt(raised, a, NULL);
    } else {
        interval_ratio(&scratch[1], exponent);
        if (negative) interval_neg(&scratch[2], &scratch[1]);
        positive_power(raised, a, negative ? &scratch[2] : &scratch[1]);
    }
    if (negative) {
        interval_integer(&scratch[1], 1);
        interval_div(r, &scratch[1], raised);
    }
}
