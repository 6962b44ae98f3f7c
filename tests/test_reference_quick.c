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
    "x lgamma",
    "x digamma",
    "x trigamma",
    "1 x y * + 1 - lgamma",
    "1 x y * + 1 - digamma",
    "1 x y * + 1 - trigamma",
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
        cmocka_unit_test(whole_turns),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(any_count),
        cmocka_unit_test(contradiction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
