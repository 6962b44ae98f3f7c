/* Tests of the kernels in epilogues.act on every instruction set that runs here. Machine code equals
 * the interpreter in every call of matrix.h. On the first set, verification compares the kernels with
 * their formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isas.h"
#include "matrix.h"

enum { TEXT_SIZE = 1 << 14 };

static char text[TEXT_SIZE];

static int read_kernels(void **state)
{
    (void)state;
    FILE *file = fopen(TEST_DATA "/epilogues.act", "r");
    if (!file) return -1;
    const size_t length = fread(text, 1, TEXT_SIZE - 1, file);
    text[length] = '\0';
    return fclose(file) || length == TEXT_SIZE - 1;
}

static void check_kernel(actgen_engine *engine, struct matrix *m, const actgen_spec *spec, size_t number,
                         const actgen_options *options)
{
    const char *name = actgen_spec_kernel_name(spec, number);
    actgen_verify_options how = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    actgen_error error;
    actgen_kernel *kernel;
    how.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    if (actgen_compile(&kernel, engine, spec, name, options, &error))
        fail_msg("%s on %s: %s", name, options->isa, error.message);
    if (!actgen_kernel_fn(kernel)) fail_msg("%s: %s", name, actgen_kernel_backend(kernel));
    matrix_take(m, kernel, name);
    matrix_check_lengths(m);
    if (strcmp(options->isa, own_isa_here(0)) != 0 ||
        /* The formulas are the same on all sets. */
        !is_kernel_verified(number)) {
        actgen_kernel_free(kernel);
        return;
    }
    if (actgen_verify(kernel, &how, &report, &error)) fail_msg("%s: %s", name, error.message);
    if (!report.ok || report.undecided || report.bits_differ)
        fail_msg("%s on %s: %g ulp at %a, %llu bits differ", name, options->isa, report.max_ulp,
                 report.max_ulp_at, (unsigned long long)report.bits_differ);
    actgen_kernel_free(kernel);
}

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    actgen_spec *spec;
    options.isa = isa;
    if (actgen_spec_parse(&spec, "epilogues.act", text, strlen(text), &error))
        fail_msg("epilogues.act:%u: %s", (unsigned)error.line, error.message);
    const size_t count = actgen_spec_kernel_count(spec);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++) check_kernel(engine, m, spec, i, &options);
    actgen_spec_free(spec);
}

#include "each_isa.h"

int main(void)
{
    const struct CMUnitTest tests[] = {EACH_ISA};
    return cmocka_run_group_tests(tests, read_kernels, NULL);
}
