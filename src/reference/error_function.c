/* erf and erfc on intervals. MPFR's own functions take 25 to 1000 microseconds, these about 10.
 *
 * Near zero they use erf(x) = 2/sqrt(pi) exp(-x^2) x sum (2 x^2)^k / (1 3 5 ... (2k+1)), Abramowitz and
 * Stegun 7.1.6. All its terms are positive, and they are summed in fixed point.
 *
 * Far out they use erfc(x) = exp(-x^2)/sqrt(pi) / (x + c1/(x + c2/(x + ...))), cj = j/2, Abramowitz and
 * Stegun 7.1.14. Both computations carry a bound on their error along. */
#include "error_function.h"

#include "quick.h"
#include "quick_math.h"

#include <math.h>

enum {
    LEAST_EXPONENT = -200, /* outside these exponents MPFR's functions are quick */
    LARGEST_EXPONENT = 28,
    LARGEST_PRECISION = 600, /* the error bounds are doubles and must not underflow */
    GUARD_BITS = 24,
};

/* A bound on the number of roundings outside the sum or the fraction. */
static const double constant_errors = 20;

/* An approximation with a relative error of at most `error`. */
struct approximation {
    mpfr_t value, factor; /* `factor` holds intermediate results */
    double error;
};

/* Computes exp(-x^2) from the exact x^2, so that the error is one rounding however large x is. */
static void gaussian(mpfr_ptr out, mpfr_srcptr x)
{
    mpfr_t square;
    mpfr_init2(square, 2 * mpfr_get_prec(x));
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_neg(square, square, MPFR_RNDN);
    mpfr_exp(out, square, MPFR_RNDN);
    mpfr_clear(square);
}

/* Computes the sum in units of 2^-bits, and returns a bound on its error in these units. The error of a term
 * has three parts. The first is the error of the term before, times the quotient. The second is the error of
 * the quotient (2 units) times the term before. The third is two roundings down. */
static double series_sum(mpz_ptr sum, mpfr_srcptr x, mp_bitcnt_t bits)
{
    mpz_t quotient, term;
    mpfr_t square;
    mpz_inits(quotient, term, (mpz_ptr)0);
    mpfr_init2(square, 2 * mpfr_get_prec(x));
    mpfr_sqr(square, x, MPFR_RNDN);
    mpfr_mul_2ui(square, square, bits + 1, MPFR_RNDN);
    mpfr_get_z(quotient, square, MPFR_RNDD);
    double ratio = 2 * mpfr_get_d(x, MPFR_RNDN) * mpfr_get_d(x, MPFR_RNDN) * (1 + 0x1p-40) + 0x1p-60;
    double size = 1, error = 0, total = 0;
    mpz_set_ui(term, 1);
    mpz_mul_2exp(term, term, bits);
    mpz_set(sum, term);
    unsigned long k = 1;
    for (; mpz_sgn(term) || ratio > 0.5 * (double)(2 * k + 1); k++) {
        mpz_mul(term, term, quotient);
        mpz_fdiv_q_2exp(term, term, bits);
        mpz_fdiv_q_ui(term, term, 2 * k + 1);
        mpz_add(sum, sum, term);
        error = (error * ratio + 2 * size) / (double)(2 * k + 1) + 2;
        size = size * ratio / (double)(2 * k + 1) + 0x1p-60;
        total += error;
    }
    mpz_clears(quotient, term, (mpz_ptr)0);
    mpfr_clear(square);
    /* Bounds the terms left out. The last term is below 1 + its error, and each further term is at most half
     * of the one before. */
    return (total + 2 * (error + 1)) * (1 + 0x1p-30);
}

static void erf_by_series(struct approximation *r, mpfr_srcptr x)
{
    mpfr_prec_t bits = mpfr_get_prec(r->value);
    mpz_t sum;
    mpz_init(sum);
    double error = series_sum(sum, x, (mp_bitcnt_t)bits);
    gaussian(r->value, x);
    mpfr_const_pi(r->factor, MPFR_RNDN);
    mpfr_rec_sqrt(r->factor, r->factor, MPFR_RNDN);
    mpfr_mul(r->value, r->value, r->factor, MPFR_RNDN);
    mpfr_mul(r->value, r->value, x, MPFR_RNDN);
    mpfr_set_z(r->factor, sum, MPFR_RNDN);
    mpfr_mul(r->value, r->value, r->factor, MPFR_RNDN);
    mpfr_mul_2si(r->value, r->value, 1 - (long)bits, MPFR_RNDN);
    double size = fmin(ldexp(mpfr_get_d(r->factor, MPFR_RNDD), (int)-bits), 1e300);
    r->error = ldexp(error / size + constant_errors, (int)-bits);
    mpz_clear(sum);
}

/* Evaluates the fraction from its end. The true tail lies between x and x + c/x. Their distance is carried
 * along as a relative perturbation e of t. The step from t to x + c/t turns e into -rho e / (1 + e), with rho
 * = c / (c + x t). */
static void erfc_by_fraction(struct approximation *r, mpfr_srcptr x, unsigned long terms)
{
    double near = mpfr_get_d(x, MPFR_RNDN), t = near;
    double perturbation = 0.5 * (double)(terms + 1) / (near * near) * (1 + 0x1p-40);
    mpfr_set(r->value, x, MPFR_RNDN);
    for (unsigned long j = terms; j > 0; j--) {
        double c = 0.5 * (double)j;
        perturbation = -(c / (c + near * t)) * perturbation / (1 + perturbation);
        t = near + c / t;
        mpfr_ui_div(r->value, j, r->value, MPFR_RNDN);
        mpfr_div_2ui(r->value, r->value, 1, MPFR_RNDN);
        mpfr_add(r->value, r->value, x, MPFR_RNDN);
    }
    mpfr_const_pi(r->factor, MPFR_RNDN);
    mpfr_sqrt(r->factor, r->factor, MPFR_RNDN);
    mpfr_mul(r->factor, r->factor, r->value, MPFR_RNDN);
    gaussian(r->value, x);
    mpfr_div(r->value, r->value, r->factor, MPFR_RNDN);
    double roundings = ldexp(2 * (double)terms + constant_errors, (int)-mpfr_get_prec(r->value));
    r->error = 1.01 * fabs(perturbation) + roundings;
}

/* Finds lo <= r <= hi. The error of r is relative. */
static void enclose(mpfr_ptr lo, mpfr_ptr hi, struct approximation *r)
{
    mpfr_set_d(r->factor, r->error * 1.01, MPFR_RNDU);
    mpfr_mul(r->factor, r->factor, r->value, MPFR_RNDU);
    mpfr_sub(lo, r->value, r->factor, MPFR_RNDD);
    mpfr_add(hi, r->value, r->factor, MPFR_RNDU);
}

/* Replaces [lo, hi] by 2 - [lo, hi]. */
static void take_from_2(mpfr_ptr lo, mpfr_ptr hi)
{
    mpfr_swap(lo, hi);
    mpfr_ui_sub(lo, 2, lo, MPFR_RNDD);
    mpfr_ui_sub(hi, 2, hi, MPFR_RNDU);
}

static double asinh_of_positive(double x) { return quick_log_value(x + sqrt(x * x + 1)); }

/* Estimates how many terms make the fraction converge to 2^-bits. Step j gains a factor of about exp(2
 * asinh(k / sqrt(j))), k = x / sqrt(2). An integral replaces the sum over j. The bound on the error does not
 * rely on this estimate. */
static double fraction_terms(double x, double bits)
{
    double k = x * 0.7071, wanted = bits * 0.6932, terms = wanted / (4 * k);
    terms = ceil(terms * terms);
    while (2 * (terms * asinh_of_positive(k / sqrt(terms)) + k * sqrt(terms + k * k) - k * k) < wanted)
        terms = ceil(terms * 1.2) + 1;
    return terms + 2;
}

/* Returns how many bits of erfc(x) < exp(-x^2) reach into the `bits` bits of 1 - erfc(x). */
static double bits_that_count(double x, double bits) { return bits - 1.4426 * x * x; }

/* Encloses erfc(x), or erf(x), for x > 0. */
static void at_positive(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x, bool complementary)
{
    struct approximation r;
    const double fewest_bits = 16, near = mpfr_get_d(x, MPFR_RNDN), all = (double)mpfr_get_prec(lo),
                 count = complementary ? all : bits_that_count(near, all),
                 bits = count < fewest_bits ? fewest_bits : count;
    const double terms = near > 1 ? fraction_terms(near, bits + 4) : 0;
    /* The right-hand side estimates the number of the series' terms. Each costs half as much as a term of the
     * fraction. */
    const bool fraction = near > 1 && 2 * terms < 2.7 * near * near + 0.35 * all;
    if (count < -1) { /* erfc(x) is less than the distance between 1 and the number below 1 */
        mpfr_set_ui(hi, 1, MPFR_RNDU);
        mpfr_set(lo, hi, MPFR_RNDD);
        mpfr_nextbelow(lo);
        return;
    }
    const mpfr_prec_t enough = (mpfr_prec_t)(fraction ? bits : all + 1.45 * near * near + 8);
    mpfr_inits2(enough + GUARD_BITS, r.value, r.factor, (mpfr_ptr)0);
    if (fraction)
        erfc_by_fraction(&r, x, (unsigned long)terms);
    else
        erf_by_series(&r, x);
    if (fraction == complementary)
        enclose(lo, hi, &r);
    else { /* uses r's precision, because lo and hi could not hold all bits of values that cancel */
        mpfr_t low, high;
        mpfr_inits2(mpfr_get_prec(r.value), low, high, (mpfr_ptr)0);
        enclose(low, high, &r);
        mpfr_ui_sub(lo, 1, high, MPFR_RNDD);
        mpfr_ui_sub(hi, 1, low, MPFR_RNDU);
        mpfr_clears(low, high, (mpfr_ptr)0);
    }
    mpfr_clears(r.value, r.factor, (mpfr_ptr)0);
}

bool error_function_covers(mpfr_srcptr x)
{
    return mpfr_regular_p(x) && mpfr_get_prec(x) <= LARGEST_PRECISION && mpfr_get_exp(x) > LEAST_EXPONENT &&
           mpfr_get_exp(x) < LARGEST_EXPONENT;
}

void error_function_erfc(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x)
{
    mpfr_t positive;
    mpfr_init2(positive, mpfr_get_prec(x));
    mpfr_abs(positive, x, MPFR_RNDN);
    at_positive(lo, hi, positive, true);
    if (mpfr_sgn(x) < 0) take_from_2(lo, hi);
    mpfr_clear(positive);
}

void error_function_erf(mpfr_ptr lo, mpfr_ptr hi, mpfr_srcptr x)
{
    mpfr_t positive;
    mpfr_init2(positive, mpfr_get_prec(x));
    mpfr_abs(positive, x, MPFR_RNDN);
    at_positive(lo, hi, positive, false);
    if (mpfr_sgn(x) < 0) {
        mpfr_swap(lo, hi);
        mpfr_neg(lo, lo, MPFR_RNDN);
        mpfr_neg(hi, hi, MPFR_RNDN);
    }
    mpfr_clear(positive);
}
