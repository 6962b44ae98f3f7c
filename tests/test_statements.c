/* Tests of docs/statements.md. Compiled kernels show which statements about activations are true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *formula;
    float x;
    /* The value and tolerance, to the digits of the document. */
    double value, tolerance;
} rows[] = {
    /* True statements. */
    {"sigmoid(x)", 0, 0.5, 0},
    {"sigmoid(x)", -80, 0, 1e-30},
    {"sigmoid(x)", 80, 1, 0},
    {"tanh(x)", 0, 0, 0},
    /* The kernel's bound is 3 ulp below 1. The plan for AVX2 ends one below. */
    {"tanh(x)", -80, -1, 1.8e-7},
    {"tanh(x)", 80, 1, 1.8e-7},
    {"diff(leaky_relu(x), x)", -2, 0.01, 1e-9},
    {"diff(relu(x), x)", -3, 0, 0},
    {"diff(relu(x), x)", 3, 1, 0},
    {"normcdf(x)", 2, 0.97725, 5e-6},
    {"normcdf(x)", -0.5f, 0.30854, 5e-6},
    {"gelu(x)", 0, 0, 0},
    {"diff(gelu(x), x)", 0, 0.5, 0},
    {"gelu(x)", 2, 1.9545, 5e-5},
    {"gelu(x)", -0.1f, -0.046017, 5e-7},
    {"gelu(x)", -0.5f, -0.154269, 5e-7},
    {"gelu(x)", 5, 4.9999986, 5e-7},
    {"gelu(x)", -0.751792f, -0.169971, 5e-7},
    {"diff(gelu(x), x)", -0.751792f, 0, 1e-6},
    {"silu(x)", 1, 0.731059, 5e-7},
    {"x/(1 + exp(-x))", 1, 0.731059, 5e-7},
    /* False statements: the right values. */
    {"diff(sigmoid(x), x)", 0, 0.25, 0},
    {"diff(sigmoid(x), x)", -4, 0.0177, 5e-5},
    {"diff(sigmoid(x), x)", 4, 0.0177, 5e-5},
    {"diff(tanh(x), x)", 0, 1, 0},
    {"diff(tanh(x), x)", -3, 0.00987, 5e-6},
    {"diff(tanh(x), x)", 3, 0.00987, 5e-6},
    {"gelu(x)", -3, -0.0040497, 5e-8},
    {"gelu(x)", -5, -1.43e-6, 5e-9},
    {"gelu(x)", -10, -7.6e-23, 5e-25},
    {"elu(x)", -1, -0.632121, 5e-7},
    {"elu(x)", -80, -1, 0},
    {"diff(gelu(x), x)", -1.4142135f, -0.1289, 5e-5},
    {"diff(gelu(x), x)", 1.4142135f, 1.1289, 5e-5},
    {"normcdf(x)", -2, 0.0228, 5e-5},
    {"normcdf(x)", -1, 0.159, 5e-4},
};

static void test_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        float y = NAN;
        snprintf(text, sizeof text, "kernel k(x: f32) -> (y: f32) { y = %s }", rows[i].formula);
        actgen_kernel *kernel = compile_for(text, NULL);
        const actgen_operand operands[] = {{&rows[i].x, 0}, {&y, 0}};
        assert_int_equal(actgen_run(kernel, 1, 1, operands, 2, &error), ACTGEN_OK);
        actgen_kernel_free(kernel);
        if (!(fabs((double)y - rows[i].value) <= rows[i].tolerance))
            fail_msg("%s at %g is %.9g, and docs/statements.md says %g", rows[i].formula, (double)rows[i].x,
                     (double)y, rows[i].value);
    }
}

/* Checks that GELU falls to its least value and rises from there. So it is neither zero for negative
 * inputs nor S-shaped. */
static void test_gelu_has_one_minimum(void **state)
{
    enum { STEPS = 10000 };
    static float x[STEPS], y[STEPS];
    (void)state;
    for (size_t i = 0; i < STEPS; i++) x[i] = -10 + (float)i / 500;
    actgen_kernel *kernel = compile_for("kernel k(x: f32) -> (y: f32) { y = gelu(x) }", NULL);
    const actgen_operand operands[] = {{x, 0}, {y, 0}};
    assert_int_equal(actgen_run(kernel, 1, STEPS, operands, 2, &error), ACTGEN_OK);
    actgen_kernel_free(kernel);
    size_t least = 0;
    for (size_t i = 0; i < STEPS; i++) {
        if (x[i] < 0) assert_true(y[i] < 0);
        if (y[i] < y[least]) least = i;
    }
    assert_true(fabs((double)x[least] + 0.751792) < 0.005 && fabs((double)y[least] + 0.169971) < 1e-5);
    /* The steps are too large for rounding to hide. */
    for (size_t i = 50; i < STEPS; i += 50)
        assert_true(x[i] < -0.8f ? y[i] < y[i - 50] : x[i - 50] < -0.7f || y[i] > y[i - 50]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_statements),
                                       cmocka_unit_test(test_gelu_has_one_minimum)};
    return cmocka_run_group_tests_name("statements", tests, open_engine, close_engine);
}
