/* Tests of special values of the reference: infinities, poles, NaN, zeros, overflow inside a formula,
 * and conditions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"

#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct {
    const char *written, *simplified; /* A NULL `simplified` stands for `written`. */
    double x, y, value;
    bool exact_zero;
} specials[] = {
    /* Limits at infinity. */
    {"x x normcdf *", NULL, -INFINITY, 0, -0.0, false},
    {"x x normcdf *", NULL, INFINITY, 0, INFINITY, false},
    {"1/2 x * 1 x 2 sqrt / erf + *", "1/2 x * x 2 sqrt / neg erfc *", -INFINITY, 0, -0.0, false},
    {"1/2 x * 1 x tanh + *", "x 2 x * sigmoid *", -INFINITY, 0, -0.0, false},
    {"x 1 x neg exp + /", NULL, -INFINITY, 0, -0.0, false},
    {"x 1 x neg exp + /", NULL, INFINITY, 0, INFINITY, false},
    {"x x softplus tanh *", NULL, -INFINITY, 0, -0.0, false},
    {"x exp 1 x exp + /", NULL, INFINITY, 0, 1, false},
    {"x exp 1 x exp + /", NULL, -INFINITY, 0, 0, false},
    {"x 1 x abs + /", NULL, INFINITY, 0, 1, false},
    {"x 1 x abs + /", NULL, -INFINITY, 0, -1, false},
    {"x tanh", NULL, INFINITY, 0, 1, false},
    {"x tanh", NULL, -INFINITY, 0, -1, false},
    {"x softplus", NULL, -INFINITY, 0, 0, false},
    {"x softplus", NULL, INFINITY, 0, INFINITY, false},
    {"x neg softplus neg", NULL, INFINITY, 0, -0.0, false},
    {"x expm1", NULL, -INFINITY, 0, -1, false},
    {"x x neg exp *", NULL, INFINITY, 0, 0, false},
    {"x x neg exp *", NULL, -INFINITY, 0, -INFINITY, false},
    {"x ^2 x exp *", NULL, -INFINITY, 0, 0, false},
    {"x x -", NULL, INFINITY, 0, 0, true},
    {"x 1 + x -", NULL, INFINITY, 0, 1, false},
    {"x ^2 1 + sqrt x -", NULL, INFINITY, 0, 0, false},
    {"x atan 2 * pi /", NULL, INFINITY, 0, 1, false},
    {"x atan 2 * pi /", NULL, -INFINITY, 0, -1, false},
    {"x tan", NULL, INFINITY, 0, NAN, false},
    {"x sinh", NULL, -INFINITY, 0, -INFINITY, false},
    {"x cosh", NULL, -INFINITY, 0, INFINITY, false},
    {"x asinh", "x sign x abs x ^2 1 x ^2 1 + sqrt + / + log1p *", -INFINITY, 0, -INFINITY, false},
    {"x exp2", NULL, -INFINITY, 0, 0, false},
    {"x log2", NULL, INFINITY, 0, INFINITY, false},
    {"x rsqrt", NULL, INFINITY, 0, 0, false},
    {"x erfcx", NULL, INFINITY, 0, 0, false},
    {"x erfcx", NULL, -INFINITY, 0, INFINITY, false},
    {"x erfcx", NULL, -0x1.8p30, 0, INFINITY, false}, /* beyond MPFR's range */
    {"x lgamma", NULL, INFINITY, 0, INFINITY, false},
    {"x lgamma", NULL, -INFINITY, 0, INFINITY, false}, /* as C's lgamma */
    {"x digamma", NULL, INFINITY, 0, INFINITY, false},
    {"x digamma", NULL, -INFINITY, 0, NAN, false},
    {"x trigamma", NULL, INFINITY, 0, 0, false},
    {"x trigamma", NULL, -INFINITY, 0, INFINITY, false},
    {"x floor", NULL, -INFINITY, 0, -INFINITY, false},
    {"x round", NULL, INFINITY, 0, INFINITY, false},
    {"x sin", NULL, INFINITY, 0, NAN, false},
    {"x cos", NULL, -INFINITY, 0, NAN, false},
    {"x x sin *", NULL, INFINITY, 0, NAN, false},
    {"x sin x /", NULL, INFINITY, 0, 0, true}, /* The limit comes from both sides. */
    {"x log", NULL, INFINITY, 0, INFINITY, false},
    {"x log", NULL, -INFINITY, 0, NAN, false},
    {"x sqrt", NULL, -INFINITY, 0, NAN, false},
    {"1 x log /", NULL, INFINITY, 0, 0, false},
    {"x log x /", NULL, INFINITY, 0, 0, false},
    {"x x log /", NULL, INFINITY, 0, INFINITY, false},
    {"x log log x log /", NULL, INFINITY, 0, 0, false},
    {"x log 1 x log + /", NULL, INFINITY, 0, 1, false},
    {"x ^1/100 x log /", NULL, INFINITY, 0, INFINITY, false},
    {"x ^1/100", NULL, INFINITY, 0, INFINITY, false},
    {"x ^-1/100", NULL, INFINITY, 0, 0, false},
    {"x ^3", NULL, -INFINITY, 0, -INFINITY, false},
    {"x ^-3", NULL, -INFINITY, 0, -0.0, false},
    {"x ^0", NULL, INFINITY, 0, 1, false},
    {"x exp x -", NULL, INFINITY, 0, INFINITY, false},
    {"x exp 2 x * exp -", NULL, -INFINITY, 0, 0, false},
    {"2 x * exp x exp -", NULL, -INFINITY, 0, -0.0, false},
    {"x 0 max", NULL, -INFINITY, 0, 0, true},
    {"x 0 max", NULL, INFINITY, 0, INFINITY, false},
    {"x 0 max 6 min", NULL, INFINITY, 0, 6, false},
    {"0 x < x 0 if", NULL, -INFINITY, 0, 0, true},
    {"x x normcdf * y *", NULL, -INFINITY, INFINITY, -0.0, false},
    {"x y +", NULL, INFINITY, 1, INFINITY, false},
    /* Intermediate values beyond MPFR's range. */
    {"x exp 1 x exp + /", "x sigmoid", 1e19, 0, 1, false},
    {"1 x exp + log", "x softplus", 1e19, 0, 1e19, false},
    {"1 x exp + log", NULL, -1e19, 0, 0, false},
    {"x 1 x neg exp + /", NULL, -1e20, 0, -0.0, false},
    {"x x normcdf *", NULL, -1e300, 0, -0.0, false},
    {"x x normcdf *", NULL, 1e300, 0, 1e300, false},
    {"x exp", NULL, 1e300, 0, INFINITY, false},
    {"x exp exp", NULL, 1e300, 0, INFINITY, false},
    {"x exp neg exp", NULL, 1e38, 0, 0, false},
    {"x erfc", NULL, 1e10, 0, 0, false},
    {"x exp erfc", NULL, 1e38, 0, 0, false},
    {"x neg exp erfc", NULL, 1e38, 0, 1, false},
    {"x neg erfc", NULL, 1e10, 0, 2, false},
    {"x normcdf", NULL, -1e38, 0, 0, false},
    {"x exp sin 2 *", NULL, 0, 0, 0x1.aed548f090ceep+0, false},
    {"x sigmoid", NULL, -1e300, 0, 0, false},
    {"x exp x neg exp *", "1", 1e30, 0, 1, false},
    /* Sizes beyond MPFR's range, by their logarithms. */
    {"x exp x erfc *", NULL, 1e20, 0, 0, false},
    {"x exp x neg normcdf *", NULL, 1e30, 0, 0, false},
    {"x x neg exp x ^2 exp / *", NULL, -1e20, 0, -0.0, false},
    {"x ^2 exp x erfc *", NULL, 1e10, 0, 0x1.f044332d68161p-35, false},
    {"1 x erfc /", NULL, 1e15, 0, INFINITY, false},
    {"x normcdf log", NULL, -1e12, 0, -0x1.a784379d99db4p+78, false},
    {"x sigmoid log", NULL, -1e20, 0, -1e20, false},
    /* Poles and zeros. */
    {"1 x /", NULL, 0.0, 0, INFINITY, false},
    {"1 x /", NULL, -0.0, 0, -INFINITY, false},
    {"-1 x /", NULL, 0.0, 0, -INFINITY, false},
    {"x ^-1", NULL, -0.0, 0, -INFINITY, false},
    {"x ^-2", NULL, -0.0, 0, INFINITY, false},
    {"1 x ^2 /", NULL, -0.0, 0, INFINITY, false},
    {"x ^-1/2", NULL, 0.0, 0, INFINITY, false},
    {"x rsqrt", "x ^-1/2", 0.0, 0, INFINITY, false},
    {"x rsqrt", "x ^-1/2", -0.0, 0, -INFINITY, false},
    {"x ^-1/2", NULL, -0.0, 0, -INFINITY, false},
    {"x rsqrt", NULL, -1, 0, NAN, false},
    {"x log2", NULL, 0.0, 0, -INFINITY, false},
    {"x log10", NULL, -1, 0, NAN, false},
    {"x sinh", NULL, -0.0, 0, -0.0, true},
    {"x asinh", NULL, -0.0, 0, -0.0, true},
    {"x tan", NULL, -0.0, 0, -0.0, true},
    {"x atan", NULL, -0.0, 0, -0.0, true},
    {"x floor", NULL, -0.0, 0, -0.0, true},
    {"x floor", NULL, -0.25, 0, -1, false},
    {"x floor", NULL, 0x1p60, 0, 0x1p60, false},
    {"x round", NULL, -0.5, 0, -0.0, true},
    {"x round", NULL, 2.5, 0, 2, false},
    {"x round", NULL, -3.5, 0, -4, false},
    /* Exact values of inexact parts. */
    {"x log2", NULL, 0x1p-1000, 0, -1000, false},
    {"x log10", NULL, 1e22, 0, 22, false},
    {"x 10 log * exp", NULL, 22, 0, 1e22, false},
    {"x 10 log * exp", NULL, 23, 0, 0x1.52d02c7e14af6p+76, false}, /* A tie between two doubles. */
    {"x 1/9 log * exp", NULL, -0.5, 0, 3, false},
    {"x 3 log * expm1 8 -", NULL, 2, 0, 0, true},
    {"x neg 5 log * exp 1/5 -", NULL, 1, 0, 0, true},
    {"3/10 x exp2 * 3/5 -", NULL, 1, 0, 0, true},
    {"x 10 / floor 1/10 *", NULL, 10, 0, 0.1, false},
    {"x 10 / 1/2 + round", NULL, 5, 0, 1, false},
    {"1 1 x / /", NULL, -0.0, 0, -0.0, true},
    {"x log", NULL, 0.0, 0, -INFINITY, false},
    {"x log", NULL, -0.0, 0, -INFINITY, false},
    {"x log1p", NULL, -1, 0, -INFINITY, false},
    {"x erfinv", NULL, 1, 0, INFINITY, false},
    {"x erfinv", NULL, -1, 0, -INFINITY, false},
    {"x erfinv", NULL, 1.5, 0, NAN, false},
    {"x erfinv", NULL, -0.0, 0, -0.0, true},
    {"x lgamma", NULL, 0.0, 0, INFINITY, false},
    {"x lgamma", NULL, -0.0, 0, INFINITY, false},
    {"x lgamma", NULL, -1, 0, INFINITY, false},
    {"x lgamma", NULL, -0x1p60, 0, INFINITY, false},
    {"x lgamma", NULL, 1, 0, 0, true},
    {"x lgamma", NULL, 2, 0, 0, true},
    {"x 1/3 * 3 * lgamma", NULL, 1, 0, 0, true},
    {"x digamma", NULL, 0.0, 0, -INFINITY, false},
    {"x digamma", NULL, -0.0, 0, INFINITY, false},
    {"x digamma", NULL, -3, 0, NAN, false},
    {"x trigamma", NULL, -0.0, 0, INFINITY, false},
    {"x trigamma", NULL, -3, 0, INFINITY, false},
    {"x lgamma", NULL, NAN, 0, NAN, false},
    {"x log", NULL, -1, 0, NAN, false},
    {"x log1p", NULL, -2, 0, NAN, false},
    {"x sqrt", NULL, -1, 0, NAN, false},
    {"x ^1/3", NULL, -1, 0, NAN, false},
    {"x ^1/3", NULL, 8, 0, 2, false},
    {"x ^3", NULL, -2, 0, -8, false},
    {"x ^-3", NULL, -2, 0, -0.125, false},
    {"x ^0", NULL, 0, 0, 1, false},
    {"x y /", NULL, 0, 0, NAN, false},
    {"x x /", NULL, 0, 0, NAN, false},
    {"x x /", "1", 0, 0, 1, false},
    {"x x -", NULL, 0.1, 0, 0, true},
    {"x sin x sin -", NULL, 0.1, 0, 0, true},
    {"x", NULL, -0.0, 0, -0.0, true},
    {"x abs", NULL, -0.0, 0, 0, true},
    {"x sign", NULL, -0.0, 0, 0, true},
    {"x sign", NULL, -0x1p-1074, 0, -1, false},
    {"x y *", NULL, -0x1p-1074, 0x1p-1074, -0.0, false},
    {"x y *", NULL, 0x1.8p-1, 0x1p-1074, 0x1p-1074, false},
    {"x 1 -", NULL, 1, 0, 0, true},
    /* NaN, through every function that chooses. */
    {"x 0 max", NULL, NAN, 0, NAN, false},
    {"0 x max", NULL, NAN, 0, NAN, false},
    {"x 0 min", NULL, NAN, 0, NAN, false},
    {"x 0 < 1 2 if", NULL, NAN, 0, NAN, false},
    {"y 0 < x 2 if", NULL, NAN, 1, NAN, false},
    {"x 0 *", NULL, NAN, 1, NAN, false},
    {"x ^0", NULL, NAN, 1, NAN, false},
    {"y", NULL, NAN, 1, 1, false},                        /* The formula does not use the input. */
    {"x 0 < x neg sqrt x log if", NULL, -4, 0, 2, false}, /* Only the branch not taken is undefined. */
    {"x log 0 < 1 2 if", NULL, -1, 0, NAN, false},
    {"x log 2 max", NULL, -1, 0, NAN, false},
    /* Conditions. */
    {"x y < 1 2 if", NULL, 1, 1, 2, false},
    {"x y <= 1 2 if", NULL, 1, 1, 1, false},
    {"x y == 1 2 if", NULL, 1, 1, 1, false},
    {"x y == not 1 2 if", NULL, 1, 1, 2, false},
    {"x 0 < y 0 < or 1 2 if", NULL, 1, -1, 1, false},
    {"x 0 < y 0 < and 1 2 if", NULL, 1, -1, 2, false},
    {"x exp x exp < 1 2 if", NULL, 1, 0, 2, false},
    {"x exp x exp == 1 2 if", NULL, 1, 0, 1, false},
    {"x sin 1/2 < 1 2 if", NULL, 0.5, 0, 1, false},
    {"x y + 1 < 3 4 if", NULL, 1, -0x1p-1000, 3, false}, /* The comparison needs 1000 bits. */
    {"x y + 1 < not 3 4 if", NULL, 1, -0x1p-1000, 4, false},
    {"1 x y + < 4 3 if", NULL, 1, -0x1p-1000, 3, false},
    {"x sin x cos max", NULL, 0, 0, 1, false},
    /* Casts. */
    {"x f32", NULL, 0.1, 0, 0x1.99999ap-4, false},
    {"x f32 x -", NULL, 0.25, 0, 0, true},
    {"1 x + f32", NULL, 0x1p-24, 0, 1, false},
    {"1 x + f32", NULL, 0x1.8p-24, 0, 1 + 0x1p-23, false},
    {"1 1/16777216 + x + f32", NULL, 0x1p-1000, 0, 1 + 0x1p-23, false},
    {"x f32", NULL, 1e39, 0, INFINITY, false},
    {"x f32", NULL, -0x1p-151, 0, -0.0, true}, /* The cast makes it zero. */
    /* Waves whose crest and trough lie inside an interval that is no point. */
    {"x 1/3 * 3 * cos", NULL, 0, 0, 1, false},
    {"pi 2 / x + sin", NULL, 0, 0, 1, false},
    {"pi 2 / x - neg sin", NULL, 0, 0, -1, false},
    {"pi x + cos", NULL, 0, 0, -1, false},
};

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

static void special_values(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    unsigned failures = 0;
    for (size_t i = 0; i < COUNT(specials); i++) {
        const expr *written = formula(dag, specials[i].written);
        const expr *simplified = specials[i].simplified ? formula(dag, specials[i].simplified) : written;
        reference *r = reference_create(written, simplified, 2);
        double in[2] = {specials[i].x, specials[i].y}, got = -7;
        bool exact_zero = false;
        enum reference_state told = reference_value(r, in, &got, &exact_zero);
        if (told != REFERENCE_DECIDED || !same(got, specials[i].value) ||
            exact_zero != specials[i].exact_zero) {
            print_error("%s at %g, %g: %a instead of %a, exact zero %d, state %d\n", specials[i].written,
                        in[0], in[1], got, specials[i].value, exact_zero, (int)told);
            failures++;
        }
        reference_free(r);
    }
    assert_false(expr_dag_full(dag));
    arena_free(memory);
    assert_int_equal(failures, 0);
}

/* Limits that the reference does not find, so that they stay open. They are 1000 and infinity. */
static const char *const open_limits[] = {"x log1p log1p 1 x log1p log1p 1000 / + /",
                                          "x log1p log1p log1p x * x x log1p + /"};

static enum reference_state state_at_infinity(const expr *e)
{
    const double infinity = INFINITY;
    double got;
    reference *r = reference_create(e, e, 1);
    const enum reference_state told = reference_value(r, &infinity, &got, NULL);
    reference_free(r);
    return told;
}

static void limits_stay_open(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    for (size_t i = 0; i < COUNT(open_limits); i++)
        if (state_at_infinity(formula(dag, open_limits[i])) != REFERENCE_UNDECIDED)
            fail_msg("%s at infinity: decided", open_limits[i]);
    arena_free(memory);
}

/* Checks x + tanh(x + tanh(x + ...)). The limit is infinity if the reference looks for it. */
static void long_formulas_are_not_nan(void **state)
{
    (void)state;
    enum { TERMS = 10000 };
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, 4 * TERMS);
    const expr *x = formula(dag, "x"), *sum = x;
    for (unsigned k = 0; k < TERMS; k++) sum = expr_binary(dag, EXPR_ADD, x, expr_unary(dag, EXPR_tanh, sum));
    assert_false(expr_dag_full(dag));
    assert_int_equal(state_at_infinity(sum), REFERENCE_UNDECIDED);
    arena_free(memory);
}

/* Checks that the other calls agree at special inputs. */
static void precise_and_rounded(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    expr_dag *dag = expr_dag_create(memory, FORMULA_NODES);
    const expr *gelu = formula(dag, "x x normcdf *");
    reference *r = reference_create(gelu, gelu, 1);
    const double inputs[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
    const double wanted[] = {NAN, INFINITY, -0.0, 0.0, -0.0};
    mpfr_t precise;
    mpfr_init2(precise, 100);
    for (size_t i = 0; i < COUNT(inputs); i++) {
        double rounded;
        assert_int_equal(reference_precise(r, &inputs[i], 90, precise), REFERENCE_DECIDED);
        assert_int_equal(reference_rounded(r, &inputs[i], &element_types[ELEMENT_F32].format, &rounded),
                         REFERENCE_DECIDED);
        assert_true(same(mpfr_get_d(precise, MPFR_RNDN), wanted[i]));
        assert_true(same(rounded, wanted[i]));
    }
    mpfr_clear(precise);
    reference_free(r);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(special_values), cmocka_unit_test(limits_stay_open),
                                       cmocka_unit_test(long_formulas_are_not_nan),
                                       cmocka_unit_test(precise_and_rounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
