/* Tests of quick values. The error bounds hold against the reference, and are finite and tight where the
 * formula is stable. */
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

enum { SAMPLES = 3000 };

/* Stable formulas. A `share` of the bounds must be finite. A share `tight` must be below 2^-36 of the
 * value, or below 2^-300. Inputs go from `from` to `to`, by binades. */
static const struct {
    const char *written, *simplified;
    double share, tight, from, to;
} stable[] = {
    {"x x normcdf *", NULL, 0.99, 0.99, -1e38, 1e38},
    {"1/2 x * 1 x 2 sqrt / erf + *", "1/2 x * x 2 sqrt / neg erfc *", 0.99, 0.99, -1e38, 1e38},
    {"1/2 x * 1 2 pi / sqrt x 8943/200000 x ^3 * + * tanh + *",
     "x 2 2 pi / sqrt * x 8943/200000 x ^3 * + * sigmoid *", 0.99, 0.99, -1e12, 1e12},
    {"x 1 x neg exp + /", "x x sigmoid *", 0.99, 0.99, -1e38, 1e38},
    {"x 1 x neg exp + /", NULL, 0.8, 0.8, -1e4, 1e4},
    {"x 851/500 x * sigmoid *", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x x softplus tanh *", NULL, 0.99, 0.99, -1e38, 1e38},
    {"1 x exp + log", "x softplus", 0.99, 0.99, -1e38, 1e38},
    {"0 x < x x expm1 if", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x 0 max", NULL, 1, 1, -1e308, 1e308},
    {"x 0 max 6 min", NULL, 1, 1, -1e308, 1e308},
    {"x x 6 / 1/2 + 0 max 1 min *", NULL, 0.99, 0.95, -1e38, 1e38},
    {"x 1 x abs + /", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x neg softplus neg", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x x tanh -", NULL, 0.99, 0.4, -1e38, 1e38},
    {"x normcdf x x ^2 2 / neg exp * 2 pi * sqrt / +", NULL, 0.99, 0.9, -1e38, 1e38},
    {"x x exp *", NULL, 0.6, 0.6, -1e38, 1e38},
    {"x sin x cos * y + y *", NULL, 0.99, 0.6, -1e8, 1e8},
    {"x y * x y / + f32", NULL, 0.7, 0.7, -1e15, 1e15},
    {"x abs sqrt x ^2 1 + log *", NULL, 0.99, 0.5, -1e38, 1e38},
    {"x abs ^3/7 x abs 1 + ^-5/3 *", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x ^-1 x ^-3 +", NULL, 0.5, 0.5, -1e38, 1e38},
    {"x ^5 x ^4 -", NULL, 0.5, 0.5, -1e38, 1e38},
    {"x abs log1p x erf *", NULL, 0.99, 0.99, -1e38, 1e38},
    {"x expm1 x erfc * x sign +", NULL, 0.4, 0.2, -1e38, 1e38},
    {"x sin 1/2 < y 0 < and not x x neg if", NULL, 0.99, 0.9, -10, 10},
    /* Arguments that are linear in an input have exact turns. */
    {"x 3 * sin", NULL, 1, 0.99, -3e38, 3e38},
    {"x 13/10 * 1/2 + cos", NULL, 1, 0.99, -3e38, 3e38},
    {"2 pi * x * 7 / sin", NULL, 1, 0.9, -3e38, 3e38}, /* The value is exactly 0 for multiples of 7. */
    {"1 x 13/10 neg * - cos y 1000000007 - sin *", NULL, 1, 0.99, -3e38, 3e38},
    {"x 3 * sin x 3 * cos /", "y x y - 5 x * + sin x 3 / cos * y - +", 0.99, 0.99, -3e38, 3e38},
    {"x 1 x * + x 7/9 2 sqrt / * - 3 exp 5 ^40 * - sin", NULL, 1, 0.99, -1e308, 1e308},
    {"x 2 3 sqrt ^61 / * sin x 1000000 * 3 / cos *", NULL, 0.99, 0.99, -1e308, 1e308},
};

/* Formulas whose bounds may be poor, but never wrong. */
static const char *const hard[] = {
    "x exp x exp - x exp 1 - -",
    "1 x tanh ^2 - x *",
    "x sin 1/2 < x cos 0 < and x x neg if",
    "x log y log min x 0 < y if",
    "x y - x y + /",
    "x exp sin",
    "x y < x y if f32 x y * -",
    "x y + x - y - 1 + log",
    "x sqrt y sqrt - ^2",
    "x log 0 < not y x if",
    "1 3 / x f32 x - sign *",
    "x ^64 y ^-63 *",
    "x y + x y - == x x y max if",
    /* Arguments with errors far above a rounding. */
    "1 x y * + 1 - exp",
    "1 x y * + 1 - expm1",
    "1 x y * + 1 - log",
    "1 x y * + 1 - log1p",
    "1 x y * + 1 - tanh",
    "1 x y * + 1 - sigmoid",
    "1 x y * + 1 - erf",
    "1 x y * + 1 - erfc",
    "1 x y * + 1 - normcdf",
    "1 x y * + 1 - softplus",
    "1 x y * + 1 - sin",
    "1 x y * + 1 - cos",
    "1 x y * + 1 - sqrt",
    "1 x y * + 1 - abs",
    "1 x y * + 1 - sign",
    "1 x y * + 1 - atan",
    "1 x y * + 1 - floor",
    "1 x y * + 1 - round",
    "x 3 / floor y 10 / round +",
    "1 x y * + 1 - ^3/7",
    "1 x x * x y * - normcdf sigmoid / softplus",
};

struct data {
    double x[SAMPLES], y[SAMPLES], value[SAMPLES], error[SAMPLES];
    long double long_value[SAMPLES], long_error[SAMPLES];
};

/* Draws an input of either sign, each binade with equal chance. The ends and 0 also come. */
static double draw(uint64_t *seed, double from, double to)
{
    uint64_t kind = next_random(seed) % 16;
    if (kind == 0) return 0;
    if (kind == 1) return next_random(seed) % 2 ? from : to;
    double far = next_random(seed) % 2 ? from : to, shrink = next_random(seed) % 2 ? 340 : 60;
    double x = far * exp2(-shrink * random_unit(seed)) * (0.5 + 0.5 * random_unit(seed));
    return kind < 6 ? (far < 0 ? -1 : 1) * 40 * random_unit(seed) : kind < 10 ? (float)x : x;
}

static void fill(struct data *d, uint64_t seed, double from, double to)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        d->x[i] = draw(&seed, from, to);
        d->y[i] = i % 5 ? draw(&seed, from, to) : d->x[i] * (1 + (double)(i % 3) * 0x1p-50);
        if (d->x[i] < from || d->x[i] > to) d->x[i] = 1;
    }
}

/* Returns true if the error covers the exact value, which is within half an ulp of `exact`. */
static bool holds(double exact, double value, double error)
{
    if (!(error < INFINITY)) return true;
    double half = fmax(fabs(exact) * 0x1p-53, 0x1p-1074);
    return fabs(value - exact) <= error + half;
}

/* Returns |value - exact| in units of the bound, which must be finite and not 0. Unknown values give 0. */
static double long_share(reference *r, const double *in, long double value, long double error)
{
    mpfr_t exact;
    mpfr_init2(exact, 200);
    double share = 0;
    if (reference_precise(r, in, 190, exact) == REFERENCE_DECIDED && mpfr_number_p(exact)) {
        mpfr_t number;
        mpfr_init2(number, 64);
        mpfr_set_ld(number, value, MPFR_RNDN);
        mpfr_sub(exact, exact, number, MPFR_RNDA);
        mpfr_set_ld(number, error, MPFR_RNDN);
        mpfr_div(exact, exact, number, MPFR_RNDA);
        share = fabs(mpfr_get_d(exact, MPFR_RNDA));
        mpfr_clear(number);
    }
    mpfr_clear(exact);
    return share;
}

/* Checks the long doubles. The bounds hold. Most of those that doubles also have are about
 * 2^-50 of the value. */
static void check_long(const char *name, reference *r, struct data *d)
{
    const double *const columns[2] = {d->x, d->y};
    size_t good = 0, tight = 0;
    reference_quick_long(r, columns, SAMPLES, d->long_value, d->long_error);
    for (size_t i = 0; i < SAMPLES; i++) {
        const long double value = d->long_value[i], error = d->long_error[i];
        const double in[2] = {d->x[i], d->y[i]};
        assert_false(isnan(error) || error < 0);
        if (d->error[i] < fabs(d->value[i]) * 0x1p-44) {
            good++;
            tight += error < fabsl(value) * 0x1p-50L;
        }
        /* Only a quarter is checked, because MPFR is slow. */
        if (error == 0 || !(error < INFINITY) || i % 4) continue;
        if (!(long_share(r, in, value, error) <= 1))
            fail_msg("%s at %a, %a: %La +- %La is not the exact value", name, in[0], in[1], value, error);
    }
    if (LDBL_MANT_DIG >= 64 && (double)tight < 0.98 * (double)good)
        fail_msg("%s: %zu of %zu bounds of long doubles are tight", name, tight, good);
}

static void check(const char *name, reference *r, struct data *d, double *share, double *tight)
{
    const double *const columns[2] = {d->x, d->y};
    size_t finite = 0, good = 0;
    reference_quick(r, columns, SAMPLES, d->value, d->error);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_false(isnan(d->error[i]) || d->error[i] < 0);
        if (!(d->error[i] < INFINITY)) continue;
        finite++;
        good += d->error[i] <= fmax(fabs(d->value[i]) * 0x1p-36, 0x1p-300);
        double in[2] = {d->x[i], d->y[i]}, exact;
        if (reference_value(r, in, &exact, NULL) != REFERENCE_DECIDED) continue;
        if (!holds(exact, d->value[i], d->error[i]))
            fail_msg("%s at %a, %a: %a +- %a, exact %a", name, in[0], in[1], d->value[i], d->error[i], exact);
    }
    check_long(name, r, d);
    *share = (double)finite / (double)SAMPLES;
    *tight = (double)good / (double)SAMPLES;
}

static void bounds_hold_and_are_tight(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    struct data *d = calloc(1, sizeof *d);
    for (size_t i = 0; i < COUNT(stable); i++) {
        const expr *written = formula(dag, stable[i].written);
        const expr *simplified = stable[i].simplified ? formula(dag, stable[i].simplified) : written;
        reference *r = reference_create(written, simplified, 2);
        double share, tight;
        fill(d, i + 1, stable[i].from, stable[i].to);
        check(stable[i].written, r, d, &share, &tight);
        if (share < stable[i].share || tight < stable[i].tight)
            fail_msg("%s: %g of the bounds are finite, %g are tight", stable[i].written, share, tight);
        reference_free(r);
    }
    free(d);
    arena_free(memory);
}

static void bounds_of_hard_formulas_hold(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    struct data *d = calloc(1, sizeof *d);
    for (size_t i = 0; i < COUNT(hard); i++) {
        const expr *written = formula(dag, hard[i]);
        reference *r = reference_create(written, written, 2);
        double share, tight;
        fill(d, 100 + i, -100, 100);
        check(hard[i], r, d, &share, &tight);
        reference_free(r);
    }
    free(d);
    arena_free(memory);
}

/* ---- the functions themselves ---- */

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

/* Checks arguments that are a multiple of pi. The sine is 0, and its stated error is within the absolute
 * error of the turns. Inputs are 3 n + start, or such a number times a power of two. */
static void whole_turns(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        int start;
        bool scales;
    } rows[] = {
        {"x pi * sin", 0, true},
        {"x pi 3 / * neg sin", 0, true},
        {"x pi * 1/2 pi * + cos", 0, true},
        {"x pi * 3 / 2 3 / pi * - sin", 2, false},
        {"x 1 + pi * 3 / sin", -1, false},
        {"1000000 x - pi * sin", 0, false},
    };
    enum { INPUTS = 2000 };
    const double most = 0x1p-98;
    const long double most_long = 0x1p-122L;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    uint64_t seed = 7;
    for (size_t n = 0; n < COUNT(rows); n++) {
        const expr *e = formula(dag, rows[n].formula);
        reference *r = reference_create(e, e, 1);
        for (size_t i = 0; i < INPUTS; i++) {
            const double whole = 3 * floor(0x1p51 * (random_unit(&seed) - 0.5)) + rows[n].start;
            const double x = rows[n].scales ? ldexp(whole, (int)(next_random(&seed) % 970)) : whole;
            const double *const column[] = {&x};
            double value, error;
            long double long_value, long_error;
            reference_quick(r, column, 1, &value, &error);
            if (!(fabs(value) <= error && error < most))
                fail_msg("%s at %a: %a +- %a", rows[n].formula, x, value, error);
            reference_quick_long(r, column, 1, &long_value, &long_error);
            if (LDBL_MANT_DIG >= 64 && !(fabsl(long_value) <= long_error && long_error < most_long))
                fail_msg("%s at %a: %La +- %La", rows[n].formula, x, long_value, long_error);
        }
        reference_free(r);
    }
    arena_free(memory);
}

/* Checks that infinite inputs, NaN and overflow inside a formula give unknown values, for lengths around
 * the block size. */
static void unknown_values(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        double x, y;
    } unknown[] = {
        {"x tanh", INFINITY, 0},
        {"x", NAN, 0},
        {"x 0 max", NAN, 0},
        {"y 0 < x 2 if", NAN, 1},
        {"1 x /", 0, 0},
        {"x exp", 1000, 0},
        {"1 1 x exp + /", 1000, 0},
        {"x log", -1, 0},
        {"x y - 1 x / *", 0, 1},
        {"x log 0 < 1 2 if", -1, 0},
        {"x 3 * sin", INFINITY, 0},
        {"x 3 * 1 + cos", NAN, 0},
        {"x x - sin", INFINITY, 0},
    };
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    for (size_t i = 0; i < COUNT(unknown); i++) {
        const expr *e = formula(dag, unknown[i].formula);
        reference *r = reference_create(e, e, 2);
        const double *const columns[2] = {&unknown[i].x, &unknown[i].y};
        double value, error = 0;
        reference_quick(r, columns, 1, &value, &error);
        if (error < INFINITY) fail_msg("%s: %g +- %g", unknown[i].formula, value, error);
        reference_free(r);
    }
    arena_free(memory);
}

static void any_count(void **state)
{
    (void)state;
    enum { MOST = 300 };
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    const expr *e = formula(dag, "x 1 +");
    reference *r = reference_create(e, e, 1);
    double x[MOST], value[MOST + 1], error[MOST + 1];
    const double *const columns[1] = {x};
    for (int i = 0; i < MOST; i++) x[i] = i;
    for (size_t count = 0; count <= MOST; count++) {
        for (size_t i = 0; i <= MOST; i++) value[i] = error[i] = -1;
        reference_quick(r, columns, count, value, error);
        for (size_t i = 0; i < count; i++) assert_true(value[i] == (double)i + 1 && error[i] >= 0);
        for (size_t i = count; i <= MOST; i++) assert_true(value[i] == -1 && error[i] == -1);
    }
    reference_free(r);
    arena_free(memory);
}

/* Checks that the reference does not believe a simplified form that contradicts the written one. */
static void contradiction(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    reference *r = reference_create(formula(dag, "x 1 + x -"), formula(dag, "2"), 1);
    double x = 0x1p30, value, error;
    const double *const columns[1] = {&x};
    reference_quick(r, columns, 1, &value, &error);
    assert_true(error == INFINITY);
    reference_free(r);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_and_are_tight),
        cmocka_unit_test(bounds_of_hard_formulas_hold),
        cmocka_unit_test(functions_are_accurate),
        cmocka_unit_test(powers_are_accurate),
        cmocka_unit_test(whole_turns),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(any_count),
        cmocka_unit_test(contradiction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
