/* Compares machine code with the interpreter on random kernels, at every length between guard pages, on every
 * instruction set that runs here. ACTGEN_SEED chooses the kernels, and ACTGEN_KERNELS their number. Each
 * day has another seed. With ACTGEN_EVALUATIONS=1e8, the test makes kernels until so many elements were
 * compared, most of them in long calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isas.h"
#include "matrix.h"
#include "random_kernel.h"

#include <stdio.h>
#include <stdlib.h>

enum { MANY = 1 << 18 }; /* elements of a kernel, so that they take as long as its code takes to be made */

static actgen_engine *engine;
static struct matrix matrix;
static unsigned long made, refused;
static double wanted; /* The evaluations that the user asked for. 0: none. */

/* Kernels that once failed. Each says what was wrong. */
static const char *const kept[] = {
    /* The rare part of a choice used a value of a later stage. */
    "kernel k(x0: bf16, x1: bf16) -> (y: i8) { y = x0*(gelu_tanh(x0)) + x1*(sin(x0)) }\n"
    "kernel back = gradient k\n",
};

/* Compiles kernel `k` of the spec for the set and checks its calls. A refusal is counted. */
static void check(const actgen_spec *spec, size_t k, const char *isa, const char *text)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    actgen_kernel *kernel;
    options.isa = isa;
    options.time_limit = 10;
    if (actgen_compile(&kernel, engine, spec, actgen_spec_kernel_name(spec, k), &options, &error)) {
        refused++;
        if (getenv("ACTGEN_SHOW")) printf("%s%s: %s\n", text, isa, error.message);
        return;
    }
    made++;
    if (getenv("ACTGEN_SHOW")) printf("%s%s\n", text, isa);
    matrix_take(&matrix, kernel, text);
    matrix_check_lengths(&matrix);
    if (wanted > 0) matrix_check_many(&matrix, MANY);
    actgen_kernel_free(kernel);
}

/* Checks the kernels of a text for each set that runs here. */
static void check_text(const char *text, size_t length)
{
    actgen_error error;
    actgen_spec *spec = NULL;
    if (actgen_spec_parse(&spec, "random.act", text, length, &error)) {
        refused++;
        if (getenv("ACTGEN_SHOW")) printf("%s%s\n", text, error.message);
        return;
    }
    for (size_t i = 0; own_isa_here(i); i++)
        for (size_t k = 0; k < actgen_spec_kernel_count(spec); k++) check(spec, k, own_isa_here(i), text);
    actgen_spec_free(spec);
}

static void machine_code_equals_the_interpreter(void **state)
{
    (void)state;
    const unsigned long seed = seed_of_today(),
                        count = from_environment("ACTGEN_KERNELS", takes_one_kind() ? 5 : 20);
    const char *evaluations = getenv("ACTGEN_EVALUATIONS");
    static struct random_kernel text;
    actgen_error error;
    wanted = evaluations ? strtod(evaluations, NULL) : 0;
    matrix_open(&matrix);
    assert_int_equal(actgen_engine_create(&engine, &error), ACTGEN_OK);
    printf("ACTGEN_SEED=%lu ACTGEN_KERNELS=%lu\n", seed, count);
    fflush(stdout); /* so that a crash leaves the seed */
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) check_text(kept[i], strlen(kept[i]));
    for (unsigned long n = 0; wanted > 0 ? (double)matrix.evaluations < wanted : n < count; n++) {
        struct randomness random = {seed * 1000003 + n};
        random_kernel(&text, &random);
        check_text(text.text, text.length);
    }
    printf("%lu kernels agree in %llu evaluations, %lu were refused\n", made, matrix.evaluations, refused);
    assert_true(made > 0);
    actgen_engine_free(engine);
    matrix_close(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(machine_code_equals_the_interpreter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
