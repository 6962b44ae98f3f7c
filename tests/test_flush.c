/* Tests of bounds with `flush`, with machine code under the flags FTZ and DAZ and without them. The caller's
 * function sets the flags around each call of the machine code, in this process. With FLUSH_ALL in the
 * environment, all 2^32 inputs are judged instead of a sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine.h"
#include "float_state.h"
#include "target.h"

#include <math.h>

static const struct thread_floats flushing = {FE_TONEAREST, true, true};

static actgen_kernel *compile(const char *formula, const char *accuracy, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *k;
    options.isa = isa;
    options.accuracy = accuracy;
    if (actgen_compile_expression(&k, engine, formula, "f32", &options, &error))
        fail_msg("%s", error.message);
    return k;
}

static void run_flushing(void *kernel, size_t n, const void *x, void *y)
{
    const actgen_operand operands[] = {{(void *)(uintptr_t)x, 0}, {y, 0}};
    const actgen_fn code = actgen_kernel_fn(kernel);
    thread_floats_set(flushing);
    code(1, n, operands);
    thread_floats_set(thread_floats_usual);
}

static actgen_report verify(const actgen_kernel *k, void (*judged)(void *, size_t, const void *, void *))
{
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    options.exhaustive = getenv("FLUSH_ALL") != NULL;
    options.sample_log2 = options.exhaustive ? 0 : 19;
    options.judged = judged;
    options.judged_payload = (void *)(uintptr_t)k;
    if (actgen_verify(k, &options, &report, &error)) fail_msg("%s", error.message);
    return report;
}

static const char *const formulas[] = {"x*normcdf(x)", "x*sigmoid(x)", "exp(x)", "log(x)", "tanh(x)"};

static void bounds_hold_with_the_flags_and_without(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        for (const char *const *isa = (const char *const[]){"avx512", "avx2", NULL}; *isa; isa++) {
            if (!target_isa_runs_here(target_isa_find(*isa))) continue;
            actgen_kernel *k = compile(formulas[i], "3 ulp flush", *isa);
            const actgen_report plain = verify(k, NULL), flushed = verify(k, run_flushing);
            if (!plain.ok || !flushed.ok || !flushed.inputs) fail_msg("%s on %s", formulas[i], *isa);
            print_message("%s on %s: %.4g ulp, and %.4g ulp with the flags\n", formulas[i], *isa,
                          plain.max_ulp, flushed.max_ulp);
            actgen_kernel_free(k);
        }
    }
}

/* ---- what the judge allows, for y = x/2 ---- */

static void change(const float *x, float *y, size_t n, float least, float to)
{
    for (size_t i = 0; i < n; i++) y[i] = fabsf(x[i] / 2) < least ? copysignf(to, x[i]) : x[i] / 2;
}

static void zero_subnormals(void *none, size_t n, const void *x, void *y)
{
    (void)none;
    change(x, y, n, 0x1p-126F, 0);
}

static void zero_a_normal(void *none, size_t n, const void *x, void *y)
{
    (void)none;
    change(x, y, n, 0x1.4p-126F, 0);
}

static void raise_subnormals(void *none, size_t n, const void *x, void *y)
{
    (void)none;
    change(x, y, n, 0x1p-126F, 0x1.8p-125F);
}

static void only_subnormal_results_may_be_zero(void **state)
{
    (void)state;
    actgen_kernel *k = compile("0.5*x", "1 ulp flush", NULL), *strict = compile("0.5*x", "1 ulp", NULL);
    assert_true(verify(k, zero_subnormals).ok);
    assert_false(verify(strict, zero_subnormals).ok);
    assert_false(verify(k, zero_a_normal).ok);
    assert_false(verify(k, raise_subnormals).ok);
    actgen_kernel_free(k);
    actgen_kernel_free(strict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_hold_with_the_flags_and_without),
        cmocka_unit_test(only_subnormal_results_may_be_zero),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
