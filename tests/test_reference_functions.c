/* Tests of the reference's elementary functions, by intervals and by balls, against MPFR's own functions and
 * libm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ball.h"
#include "interval.h"
#include "references.h"

#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static int naive_erfcx(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t bell;
    mpfr_init2(bell, mpfr_get_prec(y));
    mpfr_erfc(bell, x, way);
    mpfr_sqr(y, x, way);
    mpfr_exp(y, y, way);
    mpfr_mul(y, y, bell, way);
    mpfr_clear(bell);
    return 1;
}

/* Computes the inverse of erf by Newton's method, with erfc beyond 1/2. */
static int naive_erfinv(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    enum { STEPS = 60 };
    mpfr_t left, missing, steep, size;
    mpfr_init2(left, mpfr_get_prec(x) + 64);
    mpfr_inits2(mpfr_get_prec(y) + 64, missing, steep, size, (mpfr_ptr)0);
    mpfr_abs(left, x, way);
    const bool is_near = mpfr_cmp_d(left, 0.5) < 0;
    if (!is_near) mpfr_ui_sub(left, 1, left, way);
    mpfr_set_zero(size, 1);
    for (int i = 0; i < STEPS; i++) {
        (is_near ? mpfr_erf : mpfr_erfc)(missing, size, way);
        mpfr_sub(missing, missing, left, way);
        if (is_near) mpfr_neg(missing, missing, way);
        mpfr_sqr(steep, size, way);
        mpfr_exp(steep, steep, way);
        mpfr_mul(missing, missing, steep, way);
        mpfr_const_pi(steep, way);
        mpfr_sqrt(steep, steep, way);
        mpfr_div_2ui(steep, steep, 1, way);
        mpfr_mul(missing, missing, steep, way);
        mpfr_add(size, size, missing, way);
    }
    const int inexact = mpfr_setsign(y, size, mpfr_signbit(x), way);
    mpfr_clears(left, missing, steep, size, (mpfr_ptr)0);
    return inexact;
}

static int naive_lgamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    int sign;
    return mpfr_lgamma(y, &sign, x, way);
}

/* Computes the second derivative of log gamma as the slope of MPFR's digamma over a short way. */
static int naive_trigamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    const mpfr_exp_t bits = mpfr_get_prec(y) + 100, size = mpfr_zero_p(x) ? 0 : mpfr_get_exp(x);
    const mpfr_exp_t step = (size < 0 ? size : 0) - bits;
    mpfr_t at, left, right;
    mpfr_init2(at, mpfr_get_prec(x) + bits + (size > 0 ? 2 * size : 0));
    mpfr_inits2(3 * bits + (size > 0 ? 4 * size : 0), left, right, (mpfr_ptr)0);
    mpfr_set_ui_2exp(left, 1, step, way);
    mpfr_sub(at, x, left, way);
    mpfr_digamma(left, at, way);
    mpfr_set_ui_2exp(right, 1, step, way);
    mpfr_add(at, x, right, way);
    mpfr_digamma(right, at, way);
    mpfr_sub(right, right, left, way);
    const int inexact = mpfr_div_2si(y, right, step + 1, way);
    mpfr_clears(at, left, right, (mpfr_ptr)0);
    return inexact;
}

static int naive_normcdf(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_t root;
    mpfr_init2(root, mpfr_get_prec(out));
    mpfr_sqrt_ui(root, 2, MPFR_RNDN);
    mpfr_div(root, x, root, MPFR_RNDN);
    mpfr_neg(root, root, MPFR_RNDN);
    mpfr_erfc(out, root, rounding);
    mpfr_clear(root);
    return mpfr_div_2ui(out, out, 1, rounding);
}

static int naive_sigmoid(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_neg(out, x, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    return mpfr_ui_div(out, 1, out, rounding);
}

static int naive_softplus(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    mpfr_exp(out, x, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    return mpfr_log(out, out, rounding);
}

static int own_abs(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) { return mpfr_abs(out, x, rounding); }
static int own_sign(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_set_si(out, mpfr_sgn(x), rounding);
}

static int own_rsqrt(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    return mpfr_rec_sqrt(out, x, rounding);
}
static int own_floor(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_floor(out, x);
}
static int own_ceil(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_ceil(out, x);
}
static int own_trunc(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_trunc(out, x);
}
static int own_round(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    (void)rounding;
    return mpfr_rint(out, x, MPFR_RNDN);
}

static int own_exponent(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding)
{
    if (mpfr_regular_p(x)) return mpfr_set_si(out, mpfr_get_exp(x) - 1, rounding);
    mpfr_set_inf(out, mpfr_zero_p(x) ? -1 : 1);
    return 0;
}

static double double_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static double double_rsqrt(double x) { return 1 / sqrt(x); }
static double double_sech(double x) { return 1 / cosh(x); }
static double double_softplus(double x) { return fmax(x, 0) + log1p(exp(-fabs(x))); }
static double double_sign(double x) { return (double)(x > 0) - (double)(x < 0); }

/* The functions, with those of MPFR and libm. normcdf has no function on doubles that is accurate enough. */
static const struct {
    const char *name;
    int (*mpfr)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
    double (*libm)(double);
    double from, to;
} functions[] = {
    {"exp", mpfr_exp, exp, -700, 700},
    {"expm1", mpfr_expm1, expm1, -50, 700},
    {"log", mpfr_log, log, 0, 1e5},
    {"log1p", mpfr_log1p, log1p, -1, 1e5},
    {"tanh", mpfr_tanh, tanh, -25, 25},
    {"sigmoid", naive_sigmoid, double_sigmoid, -50, 50},
    {"erf", mpfr_erf, erf, -7, 7},
    {"erfc", mpfr_erfc, erfc, -7, 26},
    {"normcdf", naive_normcdf, NULL, -37, 9},
    {"softplus", naive_softplus, double_softplus, -50, 50},
    {"sin", mpfr_sin, sin, -1e4, 1e4},
    {"cos", mpfr_cos, cos, -1e4, 1e4},
    {"sqrt", mpfr_sqrt, sqrt, 0, 1e5},
    {"abs", own_abs, fabs, -9, 9},
    {"sign", own_sign, double_sign, -9, 9},
    {"atan", mpfr_atan, atan, -50, 50},
    {"erfinv", naive_erfinv, NULL, -1, 1},
    {"lgamma", naive_lgamma, lgamma, -20, 1e5},
    {"digamma", mpfr_digamma, NULL, -50, 1e5},
    {"trigamma", naive_trigamma, NULL, -50, 1e5},
    {"floor", own_floor, floor, -50, 50},
    {"round", own_round, rint, -50, 50},
    {"exponent", own_exponent, logb, -50, 50},
    {"exp2", mpfr_exp2, exp2, -1000, 1000},
    {"log2", mpfr_log2, log2, 0, 1e5},
    {"log10", mpfr_log10, log10, 0, 1e5},
    {"tan", mpfr_tan, tan, -1e4, 1e4},
    {"sinh", mpfr_sinh, sinh, -700, 700},
    {"cosh", mpfr_cosh, cosh, -700, 700},
    {"asinh", mpfr_asinh, asinh, -1e5, 1e5},
    {"rsqrt", own_rsqrt, double_rsqrt, 0, 1e5},
    {"acosh", mpfr_acosh, acosh, 1, 1e5},
    {"asin", mpfr_asin, asin, -1, 1},
    {"acos", mpfr_acos, acos, -1, 1},
    {"atanh", mpfr_atanh, atanh, -1, 1},
    {"sech", mpfr_sech, double_sech, -700, 700},
    {"exp10", mpfr_exp10, NULL, -300, 300},
    {"ceil", own_ceil, ceil, -50, 50},
    {"trunc", own_trunc, trunc, -50, 50},
    {"cbrt", mpfr_cbrt, cbrt, -1e5, 1e5},
    {"erfcx", naive_erfcx, NULL, -26, 26},
};

static void every_function_is_in_the_table(void **state)
{
    (void)state;
    assert_int_equal(COUNT(functions), EXPR_KIND_COUNT - EXPR_FIRST_FUNCTION);
    for (size_t i = 0; i < COUNT(functions); i++)
        assert_string_equal(functions[i].name, expr_kind_name((enum expr_kind)(EXPR_FIRST_FUNCTION + i)));
}

/* Returns an argument. Half of the arguments spread over the interval, and half over the binades near 0.
 * Each also comes as a sum that no double holds. */
static double argument(uint64_t *seed, size_t i, double from, double to)
{
    double x = from + (to - from) * random_unit(seed);
    return i % 2 ? x : x * exp2(-60 * random_unit(seed));
}

static void functions_against_mpfr(void **state)
{
    uint64_t seed = 1;
    mpfr_t x, got, wanted;
    mpfr_init2(got, 120);
    mpfr_inits2(500, x, wanted, (mpfr_ptr)0);
    for (size_t i = 0; i < COUNT(functions); i++) {
        char text[64];
        snprintf(text, sizeof text, "x y + %s", functions[i].name);
        reference *r = make(*state, text, NULL);
        for (size_t k = 0; k < 100; k++) {
            double in[2] = {argument(&seed, k, functions[i].from, functions[i].to), 0};
            in[1] =
                /* The sum is x in double, so the intervals are no points. */
                k % 4 < 2 ? 0 : in[0] * 0x1p-300;
            mpfr_set_d(x, in[0], MPFR_RNDN);
            mpfr_add_d(x, x, in[1], MPFR_RNDN);
            functions[i].mpfr(wanted, x, MPFR_RNDN);
            assert_int_equal(reference_precise(r, in, 110, got), REFERENCE_DECIDED);
            mpfr_reldiff(x, wanted, got, MPFR_RNDN);
            mpfr_abs(x, x, MPFR_RNDN);
            if (!(mpfr_cmp_d(x, 0x1p-109) <= 0) && !mpfr_equal_p(got, wanted))
                fail_msg("%s(%a)", functions[i].name, in[0]);
        }
        reference_free(r);
    }
    mpfr_clears(x, got, wanted, (mpfr_ptr)0);
}

/* Sets x to an argument for a ball: one of `argument` divided by 3, or one of any size. */
static void set_ball_argument(mpfr_ptr x, uint64_t *seed, size_t i, double from, double to)
{
    if (i % 4) {
        mpfr_set_d(x, argument(seed, i, from, to), MPFR_RNDN);
    } else { /* half of these up to 2^29, half of numbers beyond doubles */
        mpfr_set_d(x, random_unit(seed) - 0.5, MPFR_RNDN);
        const double size = i % 8 ? -300 + 329 * random_unit(seed) : 0x1p60 * (random_unit(seed) - 0.5);
        mpfr_mul_2si(x, x, (long)size, MPFR_RNDN);
    }
    mpfr_div_ui(x, x, 3, MPFR_RNDN);
}

/* Returns the number of bits that a function loses at most where its argument is narrow but no point. erfc
 * falls like e^(-x^2), so that it loses twice the bits of x before the binary point. */
static mpfr_exp_t lost_bits(mpfr_srcptr x)
{
    enum { FEW = 12 };
    return FEW + (mpfr_get_exp(x) > 0 ? 2 * mpfr_get_exp(x) : 0);
}

/* Compares one function by balls with MPFR. Returns false if balls do not serve. */
static bool ball_agrees(size_t f, const interval *a, interval *r)
{
    const mpfr_prec_t precision = mpfr_get_prec(a->lo);
    interval_integer(r, 0);
    if (!ball_evaluate(r, a, (enum expr_kind)(EXPR_FIRST_FUNCTION + f))) return false;
    mpfr_t wanted;
    mpfr_init2(wanted, precision + 60);
    for (int end = 0; end < 2; end++) {
        functions[f].mpfr(wanted, end ? a->hi : a->lo, MPFR_RNDU);
        const int below = mpfr_cmp(r->lo, wanted);
        functions[f].mpfr(wanted, end ? a->hi : a->lo, MPFR_RNDD);
        const int above = mpfr_cmp(wanted, r->hi);
        if (below > 0 || above > 0 || (r->lo_open && !below) || (r->hi_open && !above))
            fail_msg("%s(%g) at %ld", functions[f].name, mpfr_get_d(a->lo, MPFR_RNDN), (long)precision);
    }
    mpfr_reldiff(wanted, r->hi, r->lo, MPFR_RNDN);
    mpfr_abs(wanted, wanted, MPFR_RNDN);
    if (!mpfr_zero_p(wanted) && mpfr_get_exp(wanted) > lost_bits(a->lo) - precision)
        fail_msg("%s(%g) at %ld: wide", functions[f].name, mpfr_get_d(a->lo, MPFR_RNDN), (long)precision);
    mpfr_clear(wanted);
    return true;
}

/* Checks functions by balls at the precisions of the levels. The enclosures must hold the exact values and be
 * tight, and their ends say on which side the value lies. */
static void balls_against_mpfr(void **state)
{
    (void)state;
    uint64_t seed = 3;
    unsigned evaluated[COUNT(functions)] = {0};
    const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    static const mpfr_prec_t precisions[] = {96, 144, 288, 576, 1152};
    for (size_t i = 0; i < 400 * COUNT(functions); i++) {
        const size_t f = i % COUNT(functions), k = i / COUNT(functions);
        const mpfr_prec_t precision = precisions[i % 11 % COUNT(precisions)];
        interval a, r;
        interval_init(&a, precision);
        interval_init(&r, precision);
        interval_integer(&a, 0);
        set_ball_argument(a.lo, &seed, k, functions[f].from, functions[f].to);
        mpfr_set(a.hi, a.lo, MPFR_RNDN);
        if (k % 3 == 0) mpfr_nextabove(a.hi);
        evaluated[f] += ball_agrees(f, &a, &r);
        interval_clear(&a);
        interval_clear(&r);
    }
    static const enum expr_kind kinds[] = {EXPR_exp,  EXPR_expm1, EXPR_log,   EXPR_log1p, EXPR_tanh,
                                           EXPR_sinh, EXPR_cosh,  EXPR_asinh, EXPR_atan,  EXPR_erf,
                                           EXPR_erfc, EXPR_sin,   EXPR_cos,   EXPR_tan};
    for (size_t i = 0; i < COUNT(kinds); i++) assert_true(evaluated[kinds[i] - EXPR_FIRST_FUNCTION] > 100);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    ball_free_caches();
}

static void functions_against_libm(void **state)
{
    uint64_t seed = 2;
    for (size_t i = 0; i < COUNT(functions); i++) {
        if (!functions[i].libm) continue;
        char text[64];
        snprintf(text, sizeof text, "x %s", functions[i].name);
        reference *r = make(*state, text, NULL);
        for (size_t k = 0; k < 300; k++) {
            double in[2] = {argument(&seed, k, functions[i].from, functions[i].to), 0}, got;
            double wanted = functions[i].libm(in[0]);
            assert_int_equal(reference_value(r, in, &got, NULL), REFERENCE_DECIDED);
            double ulp = fabs(nextafter(wanted, INFINITY) - wanted);
            if (!(fabs(got - wanted) <= 4 * ulp || (isnan(got) && isnan(wanted))))
                fail_msg("%s(%a) = %a, libm %a", functions[i].name, in[0], got, wanted);
        }
        reference_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_function_is_in_the_table),
        TEST(functions_against_mpfr),
        TEST(balls_against_mpfr),
        TEST(functions_against_libm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
