/* Tests of symbolic derivatives: against central differences at high precision, and their values at kinks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

/* The error of a difference of step 2^-60 is f'''/6 * 2^-120, plus the 2^-300 of the values
 * divided by the step. */
enum { STEP_EXPONENT = -60, PRECISION = 400, CORRECT_BITS = 300, POINTS = 30 };
static const double tolerance = 0x1p-80;

/* Computes (f(x + h) - f(x - h)) / 2h. The sum x + h becomes a part of the formula, because inputs of the
 * reference are doubles. */
static void central_difference(expr_dag *dag, const expr *e, double x, mpfr_t out)
{
    mpfr_t low;
    mpfr_init2(low, PRECISION);
    const expr *input = expr_input(dag, 0),
               *step = expr_power_ratio(dag, expr_integer(dag, 2), STEP_EXPONENT, 1);
    for (int side = 0; side < 2; side++) {
        const expr *moved = expr_binary(dag, side ? EXPR_ADD : EXPR_SUB, input, step);
        const expr *there = expr_substitute(dag, e, input, moved);
        reference *r = reference_create(there, there, 1);
        assert_non_null(r);
        assert_int_equal(reference_precise(r, &x, CORRECT_BITS, side ? out : low), REFERENCE_DECIDED);
        reference_free(r);
    }
    mpfr_sub(out, out, low, MPFR_RNDN);
    mpfr_div_2si(out, out, STEP_EXPONENT + 1, MPFR_RNDN);
    mpfr_clear(low);
}

/* Returns an odd multiple of 2^-21 at a random place. No formula here has a kink at such a point. */
static double point(unsigned i, double low, double high)
{
    uint64_t seed = i + 1;
    double x = low + (high - low) * random_unit(&seed);
    return ldexp(rint(ldexp(x, 20)), -20) + 0x1p-21;
}

/* Returns the number of points where the derivative `d` of `e` differs from the slope, and
 * prints the first. */
static unsigned count_wrong(expr_dag *dag, const char *name, const expr *e, const expr *d, double low,
                            double high)
{
    unsigned wrong = 0;
    mpfr_t slope, value;
    mpfr_inits2(PRECISION, slope, value, (mpfr_ptr)0);
    reference *r = reference_create(d, d, 1);
    assert_non_null(r);
    for (unsigned i = 0; i < POINTS; i++) {
        double x = point(i, low, high);
        if (reference_precise(r, &x, CORRECT_BITS, value)) fail_msg("%s: undecided at %.17g", name, x);
        central_difference(dag, e, x, slope);
        mpfr_sub(slope, slope, value, MPFR_RNDN);
        double scale = fabs(mpfr_get_d(value, MPFR_RNDN)), off = fabs(mpfr_get_d(slope, MPFR_RNDN));
        if (off <= tolerance * fmax(1, scale)) continue;
        if (!wrong++)
            fprintf(stderr, "%s at %.17g: derivative %.17g is off by %g\n", name, x,
                    mpfr_get_d(value, MPFR_RNDN), off);
    }
    reference_free(r);
    mpfr_clears(slope, value, (mpfr_ptr)0);
    return wrong;
}

static unsigned check_derivative(expr_dag *dag, const char *name, const expr *e, double low, double high)
{
    return count_wrong(dag, name, e, expr_derivative(dag, e, expr_input(dag, 0)), low, high);
}

/* ---- every template and elementary function ---- */

static void check_builtin(void *context, const struct spec_builtin_info *info, const struct spec *s,
                          arena *memory)
{
    const struct spec_kernel *k = &s->kernels[0];
    if (k->input_count != 1) return;
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    const expr *e = expr_import(dag, k->results[0].value), *d = expr_derivative(dag, e, expr_input(dag, 0));
    if (expr_without_slope(dag, e, expr_input(dag, 0))) return;
    double low, high;
    unsigned *wrong = context;
    range_of_builtin(info->name, &low, &high);
    *wrong += count_wrong(dag, info->name, e, d, low, high);
    *wrong += count_wrong(dag, info->name, e, expr_simplify(dag, d, NULL), low, high);
}

static void builtins_have_their_slopes(void **state)
{
    (void)state;
    unsigned wrong = 0;
    assert_true(for_each_builtin(check_builtin, &wrong) > 30);
    assert_int_equal(wrong, 0);
}

/* ---- the rules of arithmetic, and second derivatives ---- */

static const struct {
    const char *formula;
    double low, high;
} formulas[] = {
    {"x^3 - 2*x + 1", -4, 4},
    {"x*exp(x)", -4, 4},
    {"exp(x)/(1 + x^2)", -4, 4},
    {"1/x", 0.1, 4},
    {"(2 - x)/(x^2 + 1)", -4, 4},
    {"-x*sin(3*x)", -4, 4},
    {"x^-2", 0.1, 4},
    {"x^(5/3)", 0.1, 4},
    {"sqrt(1 + x^2)", -4, 4},
    {"tanh(x^2)/(1 + exp(x))", -4, 4},
    {"erf(2*x)*erfc(x/3)", -2, 2},
    {"normcdf(1 - x)", -4, 4},
    {"max(x^2, 1)", -4, 4},
    {"min(x, x^3)", -4, 4},
    {"abs(x - 1)*sign(x)", -4, 4},
    {"if x*x < 2 then sin(x) else cos(x)", -4, 4},
    {"clamp(x^3, -1, 2)", -4, 4},
    {"log(sigmoid(x)) + 7", -4, 4},
    {"x*atan(exp(x))", -4, 4},
    {"log2(1 + exp2(x))", -4, 4},
    {"3^(x/2) - 2^-x", -4, 4},
    {"max(x, x^2, 1 - x)", -4, 4},
    {"tan(x/3) + x*rsqrt(1 + x^2)", -4, 4},
    {"asinh(sinh(x)/cosh(x))", -4, 4},
    {"lgamma(1 + x^2) - digamma(exp(x))", -4, 4},
    {"lgamma(x)*digamma(x)", -1.9, -1.1},
    {"floor(x)*x + round(x)", 1.01, 1.49},
};

static void formulas_have_their_slopes(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        wrong += check_derivative(dag, formulas[i].formula, parse_formula(dag, formulas[i].formula),
                                  formulas[i].low, formulas[i].high);
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

static void second_derivatives_have_their_slopes(void **state)
{
    (void)state;
    static const char *const names[] = {"gelu(x)",     "silu(x)",   "tanh(x)", "mish(x)",
                                        "softplus(x)", "x*atan(x)", "sinh(x)", "asinh(x)"};
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const expr *first = expr_derivative(dag, parse_formula(dag, names[i]), expr_input(dag, 0));
        wrong += check_derivative(dag, names[i], first, -6, 6);
        wrong += check_derivative(dag, names[i], expr_simplify(dag, first, NULL), -6, 6);
    }
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

/* Checks that other inputs count as constants. */
static void other_inputs_are_constants(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    const expr *x = expr_input(dag, 0), *y = expr_input(dag, 1), *e = formula(dag, "x x * y * y exp +");
    assert_ptr_equal(expr_simplify(dag, expr_derivative(dag, e, x), NULL),
                     expr_simplify(dag, formula(dag, "2 x * y *"), NULL));
    assert_ptr_equal(expr_simplify(dag, expr_derivative(dag, e, y), NULL),
                     expr_simplify(dag, formula(dag, "x ^2 y exp +"), NULL));
    assert_true(expr_is_number(expr_derivative(dag, y, x), 0, 1));
    arena_free(memory);
}

/* ---- kinks ---- */

/* The derivative of `if` is that of the branch taken. The derivative of max(a, b) is that of a where a >
 * b, and that of b elsewhere. For min the comparison is a < b. The derivatives of abs and sign are 0 at 0. */
static const struct {
    const char *formula;
    double at, slope;
} kinks[] = {
    {"max(x, 0)", 0, 0},
    {"max(0, x)", 0, 1},
    {"min(x, 0)", 0, 0},
    {"min(0, x)", 0, 1},
    {"abs(x)", 0, 0},
    {"sign(x)", 0, 0},
    {"relu(x)", 0, 0},
    {"relu(x)", -0.0, 0},
    {"relu(x)", 1, 1},
    {"leaky_relu(x)", 0, 0.01},
    {"prelu(x)", 0, 0.25},
    {"relu6(x)", 0, 0},
    {"relu6(x)", 6, 0},
    {"relu6(x)", 3, 1},
    {"relu2(x)", 0, 0},
    {"threshold(x)", 1, 0},
    {"hardtanh(x)", 1, 0},
    {"hardtanh(x)", -1, 0},
    {"hardsigmoid(x, alpha = 1/4)", 2, 0},
    {"hardsigmoid(x, alpha = 1/4)", -2, 0},
    {"hardswish(x, alpha = 1/4)", 2, 1},
    {"hardswish(x, alpha = 1/4)", -2, 0},
    {"hardshrink(x)", 0.5, 0},
    {"hardshrink(x)", -0.5, 0},
    {"softshrink(x)", 0.5, 0},
    {"softshrink(x)", -0.5, 0},
    {"elu(x)", 0, 1},
    {"celu(x)", 0, 1},
    {"softsign(x)", 0, 1},
    {"softplus_threshold(x)", 40, 1},
    {"if x > 0 then x else 2*x", 0, 2},
    {"if x >= 0 then x else 2*x", 0, 1},
};

static void kinks_have_the_stated_slope(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++) {
        const expr *d = expr_derivative(dag, parse_formula(dag, kinks[i].formula), expr_input(dag, 0));
        const expr *forms[2] = {d, expr_simplify(dag, d, NULL)};
        for (int k = 0; k < 2; k++) {
            double slope = NAN;
            reference *r = reference_create(forms[k], forms[k], 1);
            assert_non_null(r);
            if (reference_value(r, &kinks[i].at, &slope, NULL))
                fail_msg("%s at %g: undecided", kinks[i].formula, kinks[i].at);
            if (!(slope == kinks[i].slope))
                fail_msg("%s at %g: slope %.17g, not %g", kinks[i].formula, kinks[i].at, slope,
                         kinks[i].slope);
            reference_free(r);
        }
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtins_have_their_slopes),           cmocka_unit_test(formulas_have_their_slopes),
        cmocka_unit_test(second_derivatives_have_their_slopes), cmocka_unit_test(other_inputs_are_constants),
        cmocka_unit_test(kinks_have_the_stated_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
