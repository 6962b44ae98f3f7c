/* Tests of quick values of single functions: their errors are as small as proved, and as small as stated. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "quick.h"
#include "reference.h"

#include <float.h>
#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct function_row {
    const char *formula;
    double from, to;
    bool absolute; /* True for sin and cos near their zeros. */
} function_rows[] = {
    {"x exp", -707, 708, false},
    {"x exp", -1, 1, false},
    {"x expm1", -60, 700, false},
    {"x expm1", -2, 2, false},
    {"x log", 1e-300, 1e300, false},
    {"x log", 0.5, 2, false},
    {"x log1p", -0.9999, 1e300, false},
    {"x log1p", -0.5, 1, false},
    {"x tanh", -30, 30, false},
    {"x tanh", -1, 1, false},
    {"x sigmoid", -700, 40, false},
    {"x erf", -9, 9, false},
    {"x erf", -1, 1, false},
    {"x erfc", -7, 26, false},
    {"x erfc", -1, 1, false},
    {"x erfcx", -26, 1e300, false},
    {"x erfcx", -2, 2, false},
    {"x erfinv", -1, 1, false},
    {"x erfinv", 0.7, 0.99, false},
    {"x lgamma", 3, 1e300, false},
    {"x lgamma", 0, 0.5, false},
    {"x digamma", 2, 1e300, false},
    {"x digamma", 0, 1, false},
    {"x trigamma", -30, 1e300, false},
    {"x trigamma", -3, 3, false},
    {"x normcdf", -2, 7, false},
    {"x softplus", -700, 50, false},
    {"x sqrt", 0, 1e300, false},
    {"x atan", -1e300, 1e300, false},
    {"x atan", -3, 3, false},
    {"x sin", -1, 1, false},
    {"x sin", -100, 100, true},
    {"x sin", -2e6, 2e6, true},
    {"x sin", -1e300, 1e300, true},
    {"x cos", -1, 1, false},
    {"x cos", -100, 100, true},
    {"x cos", -2e6, 2e6, true},
    {"x cos", -1e300, 1e300, true},
};

/* Returns |value - exact| in units of u |exact|, where u is 2^-53 or 2^-64. */
static double units_off(mpfr_srcptr exact, long double value, long log2_u)
{
    mpfr_t apart, size;
    mpfr_inits2(200, apart, size, (mpfr_ptr)0);
    mpfr_set_ld(apart, value, MPFR_RNDN);
    mpfr_sub(apart, apart, exact, MPFR_RNDA);
    mpfr_mul_2si(size, exact, log2_u, MPFR_RNDN);
    mpfr_div(apart, apart, size, MPFR_RNDA);
    const double units = fabs(mpfr_get_d(apart, MPFR_RNDA));
    mpfr_clears(apart, size, (mpfr_ptr)0);
    return units;
}

/* Draws an argument, evenly or by binades towards 0. Where zeros may be near, every third argument is next
 * to a multiple of a quarter turn. */
static double draw_argument(uint64_t *seed, const struct function_row *row, size_t k)
{
    const double u = random_unit(seed), octaves = row->to > 1e100 ? 990 : 60,
                 shrink = k % 2 ? exp2(-octaves * random_unit(seed)) : 1;
    double x = (row->from + (row->to - row->from) * u) * shrink;
    if (row->absolute && k % 3 == 0 && fabs(x) < 0x1p52) x = rint(x) * 0x1.921fb54442d18p0;
    if (x < row->from || x > row->to) x = row->to * u;
    return x < row->from || x == 0 ? row->to : x;
}

/* Checks a function by each table that this processor can run, and in long doubles. quick_math.h proves an
 * error of 24 u for any input, and the largest error found is a third of that. The stated errors use
 * QUICK_FUNCTION, which is 32 u. */
static void check_function(const struct function_row *row, const expr *e, reference *r, uint64_t seed)
{
    enum { INPUTS = 40 * QUICK_BLOCK };
    const double most_units = e->kind == EXPR_normcdf || e->kind == EXPR_softplus ? 16 : 8;
    mpfr_t exact[QUICK_BLOCK];
    for (size_t k = 0; k < QUICK_BLOCK; k++) mpfr_init2(exact[k], 200);
    for (size_t i = 0; i < INPUTS; i += QUICK_BLOCK) {
        struct quick_lanes x = {{0}, {0}}, y;
        long double value[QUICK_BLOCK], error[QUICK_BLOCK];
        for (size_t k = 0; k < QUICK_BLOCK; k++) {
            x.value[k] = draw_argument(&seed, row, k);
            assert_int_equal(reference_precise(r, &x.value[k], 190, exact[k]), REFERENCE_DECIDED);
        }
        for (size_t t = 0; quick_ops(t); t++) {
            (*quick_ops(t))[e->kind](&y, &x, NULL, NULL, QUICK_BLOCK);
            for (size_t k = 0; k < QUICK_BLOCK; k++) {
                const double units = units_off(exact[k], (long double)y.value[k], -53);
                const double told = y.error[k] / fabs(y.value[k]) * 0x1p53;
                const bool near_zero = fabs(y.value[k]) < (row->absolute ? 0x1p-30 : 0x1p-960);
                if (!(units <= told) || !(units <= most_units || near_zero) || !(told < 128 || near_zero))
                    fail_msg("%s at %a, table %zu: %a is %g units off, told %g", row->formula, x.value[k], t,
                             y.value[k], units, told);
            }
        }
        const double *const column[] = {x.value};
        reference_quick_long(r, column, QUICK_BLOCK, value, error);
        for (size_t k = 0; k < QUICK_BLOCK && LDBL_MANT_DIG >= 64; k++) {
            const double units = units_off(exact[k], value[k], -64);
            const double told = (double)(error[k] / fabsl(value[k]) * 0x1p64L);
            const bool near_zero = row->absolute && fabsl(value[k]) < 0x1p-30L;
            if (!(units <= told) || !(units <= most_units || near_zero) || !(told < 128 || near_zero))
                fail_msg("%s of a long double at %a: %La is %g units off, told %g", row->formula, x.value[k],
                         value[k], units, told);
        }
    }
    for (size_t k = 0; k < QUICK_BLOCK; k++) mpfr_clear(exact[k]);
}

static void functions_are_accurate(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    for (size_t n = 0; n < COUNT(function_rows); n++) {
        const expr *e = formula(dag, function_rows[n].formula);
        reference *r = reference_create(e, e, 1);
        check_function(&function_rows[n], e, r, n + 1);
        reference_free(r);
    }
    arena_free(memory);
}

/* Checks powers that are not products, over the range of their results. */
static void powers_are_accurate(void **state)
{
    (void)state;
    static const char *const exponents[] = {"x ^1/2",  "x ^3/7",   "x ^-5/3", "x ^17/4",     "x ^65",
                                            "x ^-100", "x ^1/999", "x ^1000", "x ^123457/8", "x ^-1/2"};
    enum { INPUTS = 2000 };
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    for (size_t n = 0; n < COUNT(exponents); n++) {
        const expr *e = formula(dag, exponents[n]);
        reference *r = reference_create(e, e, 1);
        const double q = mpq_get_d(e->number), reach = fmin(900 / fabs(q), 1000);
        uint64_t seed = n + 1;
        mpfr_t exact;
        mpfr_init2(exact, 200);
        for (size_t i = 0; i < INPUTS; i++) {
            const double shrink = i % 2 ? exp2(-30 * random_unit(&seed)) : 1;
            const double x = exp2(reach * (2 * random_unit(&seed) - 1) * shrink);
            const double *const column[] = {&x};
            double value, error;
            long double long_value, long_error;
            assert_int_equal(reference_precise(r, &x, 190, exact), REFERENCE_DECIDED);
            reference_quick(r, column, 1, &value, &error);
            reference_quick_long(r, column, 1, &long_value, &long_error);
            /* The bound is 33 u, plus the error of log's second part in proportion to q. An inexact q adds
             * twice the share of its rounding. */
            const double told = 34 + 16 * fabs(q) * 0.09 + 2 * fabs(q * log(x));
            double units = units_off(exact, (long double)value, -53), own = error / value * 0x1p53;
            if (!(units <= own && own <= told))
                fail_msg("%s at %a: %a is %g units off, told %g of %g", exponents[n], x, value, units, own,
                         told);
            units = units_off(exact, long_value, -64), own = (double)(long_error / long_value * 0x1p64L);
            if (LDBL_MANT_DIG >= 64 && !(units <= own && own <= told))
                fail_msg("%s of a long double at %a: %La is %g units off, told %g of %g", exponents[n], x,
                         long_value, units, own, told);
        }
        mpfr_clear(exact);
        reference_free(r);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_accurate),
        cmocka_unit_test(powers_are_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
