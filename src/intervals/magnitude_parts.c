/* Functions of values beyond MPFR's exponent range, or with such values. */
#include "magnitude_parts.h"

enum { LARGE_EXPONENT = 21, TERMS = 16 }; /* beyond 2^20 the remainder of erfc's series is below 2^-600 */

int interval_sign_of(const interval *a) { return mpfr_sgn(a->lo) > 0 ? 1 : mpfr_sgn(a->hi) < 0 ? -1 : 0; }

void spares_init(interval *list, const interval *like)
{
    for (int i = 0; i < SPARES; i++) interval_init(&list[i], mpfr_get_prec(like->lo));
}

void spares_clear(interval *list)
{
    for (int i = 0; i < SPARES; i++) interval_clear(&list[i]);
}

void interval_halve(interval *a)
{
    mpfr_div_2ui(a->lo, a->lo, 1, MPFR_RNDD);
    mpfr_div_2ui(a->hi, a->hi, 1, MPFR_RNDU);
}

void interval_widen(interval *a)
{
    mpfr_nextbelow(a->lo);
    mpfr_nextabove(a->hi);
    a->lo_open = a->hi_open = true;
}

void multiple_of_log2(interval *out, long n)
{
    interval_integer(out, 0);
    if (!n) return;
    mpfr_const_log2(out->lo, MPFR_RNDD);
    mpfr_const_log2(out->hi, MPFR_RNDU);
    if (n < 0) mpfr_swap(out->lo, out->hi);
    mpfr_mul_si(out->lo, out->lo, n, MPFR_RNDD);
    mpfr_mul_si(out->hi, out->hi, n, MPFR_RNDU);
}

void magnitude_set(struct magnitude *out, const interval *factor, const interval *exponent)
{
    interval_copy(&out->factor, factor);
    interval_copy(&out->exponent, exponent);
    out->is_known = true;
}

/* -- functions whose values leave the range -- */

/* Computes the asymptotic series 1 - t + 3 t^2 - 15 t^3 ..., t = 1 / (2 u^2), of u sqrt(pi) exp(u^2) erfc(u).
 * The remainder has the sign of the first omitted term, and is smaller than this term. */
static void series(interval *sum, const interval *square, interval *spare)
{
    interval_integer(&spare[0], 1);
    mpfr_set_zero(spare[0].lo, 1);
    for (long k = TERMS; k >= 1; k--) {
        interval_integer(&spare[1], 2 * k - 1);
        interval_div(sum, &spare[1], square);
        interval_halve(sum);
        interval_mul(&spare[1], sum, &spare[0]);
        interval_integer(sum, 1);
        interval_sub(&spare[0], sum, &spare[1]);
    }
    interval_copy(sum, &spare[0]);
}

/* Computes erfc(u) = series / (u sqrt(pi)) e^(-u^2). With `normal` computes
 * normcdf(-u) = erfc(u / sqrt(2)) / 2 = series / (u sqrt(2 pi)) e^(-u^2 / 2). */
static void tail_of_bell(struct magnitude *out, const interval *u, bool normal)
{
    interval spare[SPARES], square;
    if (mpfr_sgn(u->lo) <= 0 || mpfr_get_exp(u->lo) <= LARGE_EXPONENT) return;
    spares_init(spare, u);
    interval_init(&square, mpfr_get_prec(u->lo));
    interval_mul(&square, u, u);
    if (normal) interval_halve(&square);
    series(&out->factor, &square, spare);
    interval_neg(&out->exponent, &square);
    interval_pi(&spare[0]);
    interval_integer(&spare[1], normal ? 2 : 1);
    interval_mul(&spare[2], &spare[0], &spare[1]);
    interval_sqrt(&spare[0], &spare[2], NULL);
    interval_mul(&spare[1], &spare[0], u);
    interval_copy(&spare[2], &out->factor);
    interval_div(&out->factor, &spare[2], &spare[1]);
    interval_clear(&square);
    spares_clear(spare);
    out->is_known = true;
}

/* Computes (1 + sign e^(-scale |u|)) e^|u| / divisor, for |u| that is large. */
static void growth(struct magnitude *out, const interval *u, long sign, long scale, long divisor)
{
    interval spare[SPARES];
    spares_init(spare, u);
    interval_abs(&out->exponent, u, NULL);
    interval_integer(&spare[0], -scale);
    interval_mul(&spare[1], &out->exponent, &spare[0]);
    interval_exp(&spare[0], &spare[1], NULL);
    interval_integer(&spare[1], sign);
    interval_mul(&spare[2], &spare[0], &spare[1]);
    interval_integer(&spare[0], 1);
    interval_add(&spare[1], &spare[0], &spare[2]);
    interval_integer(&spare[0], divisor);
    interval_div(&out->factor, &spare[1], &spare[0]);
    spares_clear(spare);
    out->is_known = true;
}

/* Computes sigmoid(u) = e^u / (1 + e^u), or softplus(u) = e^u (1 - h) with 0 < h < e^u, for u that is far
 * below 0. */
static void decay(struct magnitude *out, const interval *u, bool is_softplus)
{
    interval spare[SPARES];
    spares_init(spare, u);
    interval_exp(&spare[0], u, NULL);
    interval_integer(&spare[1], 1);
    if (is_softplus) {
        interval_sub(&out->factor, &spare[1], &spare[0]);
        mpfr_set_ui(out->factor.hi, 1, MPFR_RNDU);
    } else {
        interval_add(&spare[2], &spare[1], &spare[0]);
        interval_div(&out->factor, &spare[1], &spare[2]);
    }
    interval_copy(&out->exponent, u);
    spares_clear(spare);
    out->is_known = true;
}

static void normal_tail(struct magnitude *out, const interval *u)
{
    interval minus;
    interval_init(&minus, mpfr_get_prec(u->lo));
    interval_neg(&minus, u);
    tail_of_bell(out, &minus, true);
    interval_clear(&minus);
}

void magnitude_exponential(struct magnitude *out, enum expr_kind kind, const interval *u)
{
    interval spare[SPARES];
    const int sign = interval_sign_of(u);
    switch (kind) {
    case EXPR_exp:
        interval_integer(&out->factor, 1);
        interval_copy(&out->exponent, u);
        out->is_known = true;
        return;
    case EXPR_exp2:
        spares_init(spare, u);
        multiple_of_log2(&spare[0], 1);
        interval_mul(&out->exponent, u, &spare[0]);
        interval_integer(&out->factor, 1);
        spares_clear(spare);
        out->is_known = true;
        return;
    case EXPR_expm1:
        if (sign > 0) growth(out, u, -1, 1, 1);
        return;
    case EXPR_sinh:
        if (sign) growth(out, u, -1, 2, sign < 0 ? -2 : 2);
        return;
    case EXPR_cosh: growth(out, u, 1, 2, 2); return;
    case EXPR_erfc: tail_of_bell(out, u, false); return;
    case EXPR_normcdf: normal_tail(out, u); return;
    case EXPR_sigmoid:
    case EXPR_softplus:
        if (sign < 0) decay(out, u, kind == EXPR_softplus);
        return;
    default: return;
    }
}

void magnitude_near_zero(struct magnitude *out, enum expr_kind kind, const struct magnitude *a)
{
    interval spare[SPARES];
    if (expr_functions[kind].at_zero != AT_ZERO_LIKE_U || !interval_sign_of(&a->factor)) return;
    magnitude_set(out, &a->factor, &a->exponent);
    if (kind == EXPR_erf) { /* 2 u / sqrt(pi) */
        spares_init(spare, &out->factor);
        interval_pi(&spare[0]);
        interval_sqrt(&spare[1], &spare[0], NULL);
        interval_halve(&spare[1]);
        interval_div(&out->factor, &a->factor, &spare[1]);
        spares_clear(spare);
    }
    interval_widen(&out->factor);
}

void magnitude_logarithm(interval *value, const struct magnitude *a, long n, unsigned long base)
{
    interval spare[SPARES];
    spares_init(spare, value);
    interval_integer(&spare[0], n);
    interval_mul(&spare[1], &a->factor, &spare[0]);
    if (interval_sign_of(&spare[1]) > 0) {
        interval_log(&spare[0], &spare[1], NULL);
        interval_add(&spare[2], &spare[0], &a->exponent);
        if (base) {
            interval_integer(&spare[1], (long)base);
            interval_log(&spare[0], &spare[1], NULL);
            interval_div(&spare[1], &spare[2], &spare[0]);
            interval_copy(&spare[2], &spare[1]);
        }
        if (spare[2].state == INTERVAL_DEFINED) interval_copy(value, &spare[2]);
    }
    spares_clear(spare);
}
