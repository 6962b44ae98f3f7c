/* Tests of fits against minimax errors known in closed form or published, and of the kernels against MPFR. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gamma.h"
#include "inverse_erf.h"
#include "polynomial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An odd number, so that the middle is a point. */
enum { FIT_POINTS = 141, FINE_POINTS = 4001, PRECISION = 300 };

/* ---- functions by MPFR ---- */

static void true_square(mpfr_t y, mpfr_t x) { mpfr_sqr(y, x, MPFR_RNDN); }
static void true_fifth_power(mpfr_t y, mpfr_t x) { mpfr_pow_ui(y, x, 5, MPFR_RNDN); }
static void true_ninth_power(mpfr_t y, mpfr_t x) { mpfr_pow_ui(y, x, 9, MPFR_RNDN); }
static void true_root(mpfr_t y, mpfr_t x) { mpfr_sqrt(y, x, MPFR_RNDN); }
static void true_exp(mpfr_t y, mpfr_t x) { mpfr_exp(y, x, MPFR_RNDN); }
static void true_pole_at_two(mpfr_t y, mpfr_t x) /* Computes 1/(2 - x). */
{
    mpfr_ui_sub(y, 2, x, MPFR_RNDN);
    mpfr_ui_div(y, 1, y, MPFR_RNDN);
}

typedef void true_function(mpfr_t y, mpfr_t x);

static quad value_at(true_function *f, double x)
{
    mpfr_t in, out;
    mpfr_inits2(PRECISION, in, out, (mpfr_ptr)0);
    mpfr_set_d(in, x, MPFR_RNDN);
    f(out, in);
    quad q = quad_of_mpfr(out);
    mpfr_clears(in, out, (mpfr_ptr)0);
    return q;
}

/* Minimax errors on [-1, 1]. Chebyshev: x^n by degree n - 1 has 2^(1-n), and 1/(a - x) has (a -
 * sqrt(a^2-1))^n / (a^2 - 1). |x|: Varga and Carpenter, Constr. Approx. 1 (1985). exp: Meinardus,
 * Approximation of Functions (1967), table of E_n. */
static const struct {
    const char *name;
    true_function *f;
    double low, high;
    unsigned terms;
    double error;
} fits[] = {
    {"x^2 by a line on [0, 1]", true_square, 0, 1, 2, 0.125},
    {"x^5 by degree 4", true_fifth_power, -1, 1, 5, 0x1p-4},
    {"x^9 by degree 8", true_ninth_power, -1, 1, 9, 0x1p-8},
    {"sqrt(x) by a line on [0, 1]", true_root, 0, 1, 2, 0.125},
    {"sqrt(x) by degree 2 on [0, 1]", true_root, 0, 1, 3, 0.270483 / 4},
    {"1/(2 - x) by degree 1", true_pole_at_two, -1, 1, 2, 0.26794919243 / 3},
    {"1/(2 - x) by degree 4", true_pole_at_two, -1, 1, 5, 0.00515478 / 3},
    {"1/(2 - x) by degree 10", true_pole_at_two, -1, 1, 11, 1.907683e-6 / 3},
    {"exp by degree 1", true_exp, -1, 1, 2, 0.2788},
    {"exp by degree 2", true_exp, -1, 1, 3, 0.04502},
    {"exp by degree 3", true_exp, -1, 1, 4, 0.005528},
    {"exp by degree 4", true_exp, -1, 1, 5, 5.467e-4},
    {"exp by degree 5", true_exp, -1, 1, 6, 4.52e-5},
};
enum { FITS = sizeof fits / sizeof *fits };

/* A static variable, because the problem is large for a stack. */
static struct fit_problem problem;

static void pose(size_t i)
{
    fit_points(&problem, fits[i].low, fits[i].high, FIT_POINTS);
    problem.term_count = fits[i].terms;
    for (unsigned k = 0; k < fits[i].terms; k++) problem.power[k] = k;
    for (unsigned k = 0; k < FIT_POINTS; k++) {
        problem.value[k] = value_at(fits[i].f, (double)problem.point[k]);
        problem.weight[k] = 1;
    }
}

static quad evaluate(const double *coefficient, unsigned terms, quad x)
{
    quad y = 0;
    for (unsigned k = terms; k-- > 0;) y = y * x + coefficient[k];
    return y;
}

/* Returns the largest error on a grid finer than the fit's. */
static double true_error(size_t i, const double *coefficient)
{
    quad worst = 0;
    for (unsigned k = 0; k < FINE_POINTS; k++) {
        double x = fits[i].low + (fits[i].high - fits[i].low) * k / (FINE_POINTS - 1);
        quad off = quad_abs(evaluate(coefficient, fits[i].terms, x) - value_at(fits[i].f, x));
        if (off > worst) worst = off;
    }
    return (double)worst;
}

static void fits_reach_the_known_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < FITS; i++) {
        struct fit_result result;
        pose(i);
        assert_true(fit_polynomial(&problem, LANE_F64, &result));
        double error = true_error(i, result.coefficient), unrounded = fit_error(&problem, 1);
        if (fabs(error - fits[i].error) > 0.02 * fits[i].error)
            fail_msg("%s: error %.6g, not %.6g", fits[i].name, error, fits[i].error);
        if (fabs(error - result.error) > 0.01 * error)
            fail_msg("%s: reported error %.6g, found %.6g", fits[i].name, result.error, error);
        if (fabs(unrounded - fits[i].error) > 0.02 * fits[i].error)
            fail_msg("%s: fit_error says %.6g, not %.6g", fits[i].name, unrounded, fits[i].error);
        if (fit_error(&problem, unrounded) != unrounded)
            fail_msg("%s: what is wanted is not found", fits[i].name);
        if (fit_error(&problem, unrounded * 0.9) != 1)
            fail_msg("%s: the exchange goes on though no polynomial is near enough", fits[i].name);
    }
}

static void f32_coefficients_are_f32_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < FITS; i++) {
        struct fit_result result;
        pose(i);
        assert_true(fit_polynomial(&problem, LANE_F32, &result));
        for (unsigned k = 0; k < fits[i].terms; k++)
            if ((double)(float)result.coefficient[k] != result.coefficient[k])
                fail_msg("%s: %.17g is no f32 number", fits[i].name, result.coefficient[k]);
        double error = true_error(i, result.coefficient); /* This error includes the cost of rounding. */
        if (fabs(error - result.error) > 0.01 * error)
            fail_msg("%s: reported error %.6g, found %.6g", fits[i].name, result.error, error);
    }
}

/* Checks that a weight of 1/|value| makes errors relative. Remez for 1/x by a constant on [1, 2]
 * gives 2/3 +- 1/3. */
static void weights_make_errors_relative(void **state)
{
    (void)state;
    struct fit_result result;
    fit_points(&problem, 1, 2, FIT_POINTS);
    problem.term_count = 1;
    problem.power[0] = 0;
    for (unsigned k = 0; k < FIT_POINTS; k++) {
        problem.value[k] = 1 / problem.point[k];
        problem.weight[k] = problem.point[k];
    }
    assert_true(fit_polynomial(&problem, LANE_F64, &result));
    assert_true(fabs(result.coefficient[0] - 2.0 / 3) < 1e-6);
    assert_true(fabs(result.error - 1.0 / 3) < 1e-6);
}

static void only_the_given_powers_are_used(void **state)
{
    (void)state;
    struct fit_result result;
    fit_points(&problem, 0x1p-10, 1,
               /* x^9 by x, x^3, x^5 and x^7: even powers do not appear. */
               FIT_POINTS);
    problem.term_count = 4;
    for (unsigned k = 0; k < FIT_POINTS; k++) {
        problem.value[k] = value_at(true_ninth_power, (double)problem.point[k]);
        problem.weight[k] = 1;
    }
    for (unsigned k = 0; k < 4; k++) problem.power[k] = 2 * k + 1;
    assert_true(fit_polynomial(&problem, LANE_F64, &result));
    assert_true(fabs(result.error - 0x1p-8) < 0.02 * 0x1p-8);
}

/* ---- the kernels of the elementary functions ---- */

static void root_of(mpfr_t root, mpfr_t x) { mpfr_sqrt(root, x, MPFR_RNDN); }

/* Computes the true function, and the function made with the polynomial's value p at x. */
static void with_expm1(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_exp(truth, x, MPFR_RNDN);
    mpfr_mul(made, x, p, MPFR_RNDN); /* 1 + x + x^2 p */
    mpfr_add_ui(made, made, 1, MPFR_RNDN);
    mpfr_mul(made, made, x, MPFR_RNDN);
    mpfr_add_ui(made, made, 1, MPFR_RNDN);
}
static void with_atanh(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_mul(made, x, p, MPFR_RNDN); /* sqrt(x) (2 + x p) */
    mpfr_add_ui(made, made, 2, MPFR_RNDN);
    root_of(truth, x);
    mpfr_mul(made, made, truth, MPFR_RNDN);
    mpfr_atanh(truth, truth, MPFR_RNDN);
    mpfr_mul_ui(truth, truth, 2, MPFR_RNDN);
}
static void with_erf(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    root_of(truth, x);
    mpfr_mul(made, truth, p, MPFR_RNDN);
    mpfr_erf(truth, truth, MPFR_RNDN);
}
/* Sets y to scale (1 + x) / (1 - x). `rest` is for use in between. */
static void mapped(mpfr_t y, mpfr_t rest, mpfr_t x, long scale)
{
    mpfr_add_ui(y, x, 1, MPFR_RNDN);
    mpfr_ui_sub(rest, 1, x, MPFR_RNDN);
    mpfr_div(y, y, rest, MPFR_RNDN);
    mpfr_mul_si(y, y, scale, MPFR_RNDN);
}
static void with_erfcx(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mapped(truth, made, x, 2); /* This is a. p exp(-a^2) is erfc(a). */
    mpfr_sqr(made, truth, MPFR_RNDN);
    mpfr_neg(made, made, MPFR_RNDN);
    mpfr_exp(made, made, MPFR_RNDN);
    mpfr_mul(made, made, p, MPFR_RNDN);
    mpfr_erfc(truth, truth, MPFR_RNDN);
}
static void with_erfinv(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mapped(truth, made, x, -8); /* This is log(1 - a^2). erf(a p) is a. */
    mpfr_expm1(truth, truth, MPFR_RNDN);
    mpfr_neg(truth, truth, MPFR_RNDN);
    mpfr_sqrt(truth, truth, MPFR_RNDN);
    mpfr_mul(made, truth, p, MPFR_RNDN);
    inverse_erf(truth, truth, MPFR_RNDN);
}
/* Sets sum to w + 1/2 = 2/(1 - x), and w. */
static void set_right(mpfr_t w, mpfr_t sum, mpfr_t x)
{
    mpfr_ui_sub(sum, 1, x, MPFR_RNDN);
    mpfr_ui_div(sum, 2, sum, MPFR_RNDN);
    mpfr_sub_d(w, sum, 0.5, MPFR_RNDN);
}
static void with_lgamma(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_t w, log; /* exp of the made one is gamma(w) e^w w^(1/2 - w) / sqrt(2 pi) */
    mpfr_inits2(PRECISION, w, log, (mpfr_ptr)0);
    set_right(w, made, x);
    mpfr_div(made, p, made, MPFR_RNDN);
    mpfr_lngamma(truth, w, MPFR_RNDN);
    mpfr_log(log, w, MPFR_RNDN);
    mpfr_add(truth, truth, w, MPFR_RNDN);
    mpfr_sub_d(w, w, 0.5, MPFR_RNDN);
    mpfr_mul(log, log, w, MPFR_RNDN);
    mpfr_sub(truth, truth, log, MPFR_RNDN);
    mpfr_const_pi(log, MPFR_RNDN);
    mpfr_mul_2ui(log, log, 1, MPFR_RNDN);
    mpfr_log(log, log, MPFR_RNDN);
    mpfr_div_2ui(log, log, 1, MPFR_RNDN);
    mpfr_sub(truth, truth, log, MPFR_RNDN);
    mpfr_clears(w, log, (mpfr_ptr)0);
}
static void with_digamma(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_t w;
    mpfr_init2(w, PRECISION);
    set_right(w, made, x);
    mpfr_div(made, p, made, MPFR_RNDN);
    mpfr_digamma(truth, w, MPFR_RNDN);
    mpfr_log(w, w, MPFR_RNDN);
    mpfr_sub(truth, w, truth, MPFR_RNDN);
    mpfr_clear(w);
}
static void with_trigamma(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_t w;
    mpfr_init2(w, PRECISION);
    set_right(w, made, x);
    mpfr_div(made, p, made, MPFR_RNDN);
    trigamma(truth, w, MPFR_RNDN);
    mpfr_clear(w);
}
static void with_sin(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_mul(made, x, p, MPFR_RNDN); /* sqrt(x) (1 + x p) */
    mpfr_add_ui(made, made, 1, MPFR_RNDN);
    root_of(truth, x);
    mpfr_mul(made, made, truth, MPFR_RNDN);
    mpfr_sin(truth, truth, MPFR_RNDN);
}
static void with_atan(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    with_sin(truth, made, x, p);
    root_of(truth, x);
    mpfr_atan(truth, truth, MPFR_RNDN);
}
static void with_tan(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    with_sin(truth, made, x, p);
    root_of(truth, x);
    mpfr_tan(truth, truth, MPFR_RNDN);
}
static void with_cos(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_mul(made, x, p, MPFR_RNDN); /* 1 - x/2 + x^2 p */
    mpfr_sub_d(made, made, 0.5, MPFR_RNDN);
    mpfr_mul(made, made, x, MPFR_RNDN);
    mpfr_add_ui(made, made, 1, MPFR_RNDN);
    root_of(truth, x);
    mpfr_cos(truth, truth, MPFR_RNDN);
}

static void with_log_by_table(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p)
{
    mpfr_mul(made, x, p, MPFR_RNDN); /* x (1 + x p) */
    mpfr_add_ui(made, made, 1, MPFR_RNDN);
    mpfr_mul(made, made, x, MPFR_RNDN);
    mpfr_log1p(truth, x, MPFR_RNDN);
}

static const struct {
    const char *name;
    double low, high; /* The interval. `low` is not 0 where the kernel divides by x. */
    void (*use)(mpfr_t truth, mpfr_t made, mpfr_t x, mpfr_t p);
} kernels[KERNEL_COUNT] = {
    [KERNEL_EXPM1] = {"expm1", -0.346573590279972655, 0.346573590279972655, with_expm1},
    [KERNEL_ATANH] = {"atanh", 0x1p-30, 0.029437251522859414, with_atanh},
    [KERNEL_LOG1P] = {"log1p", 0x1p-30, 1.0 / 9, with_atanh},
    [KERNEL_LOG_BY_8] = {"log by 8", -0x1p-4, 0x1p-3, with_log_by_table},
    [KERNEL_LOG_BY_16] = {"log by 16", -0x1p-5, 0x1p-4, with_log_by_table},
    [KERNEL_LOG_BY_32] = {"log by 32", -0x1p-6, 0x1p-5, with_log_by_table},
    [KERNEL_ERF] = {"erf", 0x1p-30, 1, with_erf},
    [KERNEL_ERFCX] = {"erfcx", -1, 0.75, with_erfcx},
    [KERNEL_ERFINV] = {"erfinv", -1 + 0x1p-30, 0.6402, with_erfinv},
    [KERNEL_SIN] = {"sin", 0x1p-30, 0.61685027506808491, with_sin},
    [KERNEL_HALF_TURN] = {"sin of half a turn", 0x1p-30, 2.4674011002723397, with_sin},
    [KERNEL_COS] = {"cos", 0x1p-30, 0.61685027506808491, with_cos},
    [KERNEL_LGAMMA] = {"lgamma", -1, 1 - 0x1p-20, with_lgamma},
    [KERNEL_DIGAMMA] = {"digamma", -1, 1 - 0x1p-20, with_digamma},
    [KERNEL_TRIGAMMA] = {"trigamma", -1, 1 - 0x1p-20, with_trigamma},
    [KERNEL_TAN] = {"tan", 0x1p-30, 0.61685027506808491, with_tan},
    [KERNEL_ATAN] = {"atan", 0x1p-30, 0.17157287525380990, with_atan},
};

enum { KERNEL_GRID = 301 };

static double kernel_error(enum kernel_function kernel, const struct polynomial *polynomial)
{
    double worst = 0;
    mpfr_t x, p, truth, made;
    mpfr_inits2(PRECISION, x, p, truth, made, (mpfr_ptr)0);
    for (unsigned i = 0; i < KERNEL_GRID; i++) {
        mpfr_set_d(x,
                   kernels[kernel].low + (kernels[kernel].high - kernels[kernel].low) * i / (KERNEL_GRID - 1),
                   MPFR_RNDN);
        mpfr_set_zero(p, 1);
        for (unsigned k = polynomial->degree + 1; k-- > 0;) {
            mpfr_mul(p, p, x, MPFR_RNDN);
            mpfr_add_d(p, p, polynomial->coefficient[k], MPFR_RNDN);
        }
        kernels[kernel].use(truth, made, x, p);
        mpfr_sub(made, made, truth, MPFR_RNDN);
        if (mpfr_zero_p(truth)) continue;
        mpfr_div(made, made, truth, MPFR_RNDN);
        double error = fabs(mpfr_get_d(made, MPFR_RNDN));
        if (!(error <= worst)) worst = error;
    }
    mpfr_clears(x, p, truth, made, (mpfr_ptr)0);
    return worst;
}

/* Checks that the functions made of the kernels are as accurate as asked for. The limit allows for the
 * error between the fit's points. */
static void kernels_reach_their_bits(void **state)
{
    (void)state;
    static const struct {
        enum lane_type type;
        unsigned bits;
    } asked[] = {{LANE_F32, 12}, {LANE_F32, 20}, {LANE_F64, 32}, {LANE_F64, 42}, {LANE_F64, 50}};
    arena *memory = arena_create(0);
    assert_non_null(memory);
    struct polynomial_cache *cache = arena_alloc(memory, sizeof *cache);
    cache->memory = memory;
    unsigned wrong = 0;
    for (enum kernel_function kernel = 0; kernel < KERNEL_COUNT; kernel++)
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            const struct polynomial *p = polynomial_find(cache, kernel, asked[i].type, asked[i].bits);
            /* The polynomial is made once. */
            assert_ptr_equal(p, polynomial_find(cache, kernel, asked[i].type, asked[i].bits));
            double error = kernel_error(kernel, p);
            const unsigned most = polynomial_most_bits(kernel),
                           bits = asked[i].bits < most ? asked[i].bits : most;
            if (error <= 1.25 * ldexp(1, -(int)bits)) continue;
            fprintf(stderr, "%s to 2^-%u: degree %u, error 2^%.2f\n", kernels[kernel].name, asked[i].bits,
                    p->degree, log2(error));
            wrong++;
        }
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

/* Checks that a kernel at 0 is its limit there, which is near its value at 2^-100. */
static void kernels_have_limits_at_zero(void **state)
{
    (void)state;
    mpfr_t x, limit, near;
    mpfr_inits2(PRECISION, x, limit, near, (mpfr_ptr)0);
    for (enum kernel_function kernel = 0; kernel < KERNEL_COUNT; kernel++) {
        mpfr_set_zero(x, 1);
        assert_true(polynomial_kernel(&kernel, limit, x));
        mpfr_set_ui_2exp(x, 1, -100, MPFR_RNDN);
        assert_true(polynomial_kernel(&kernel, near, x));
        mpfr_sub(near, near, limit, MPFR_RNDN);
        mpfr_div(near, near, limit, MPFR_RNDN);
        const double error = fabs(mpfr_get_d(near, MPFR_RNDN));
        if (!(error <= 0x1p-90)) fail_msg("%s: 2^%.2f", kernels[kernel].name, log2(error));
    }
    mpfr_clears(x, limit, near, (mpfr_ptr)0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_reach_the_known_errors),  cmocka_unit_test(f32_coefficients_are_f32_numbers),
        cmocka_unit_test(weights_make_errors_relative), cmocka_unit_test(only_the_given_powers_are_used),
        cmocka_unit_test(kernels_reach_their_bits),     cmocka_unit_test(kernels_have_limits_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
