/* Tests that polynomials.def holds the results of polynomial_fit, to the last bit, on every machine.
 *
 * ACTGEN_GOLDEN=write writes the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "polynomial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernel_names[KERNEL_COUNT] = {
    [KERNEL_EXPM1] = "KERNEL_EXPM1",         [KERNEL_ATANH] = "KERNEL_ATANH",
    [KERNEL_LOG1P] = "KERNEL_LOG1P",         [KERNEL_ERF] = "KERNEL_ERF",
    [KERNEL_LOG_BY_8] = "KERNEL_LOG_BY_8",   [KERNEL_LOG_BY_16] = "KERNEL_LOG_BY_16",
    [KERNEL_LOG_BY_32] = "KERNEL_LOG_BY_32", [KERNEL_ERFCX] = "KERNEL_ERFCX",
    [KERNEL_ERFINV] = "KERNEL_ERFINV",       [KERNEL_SIN] = "KERNEL_SIN",
    [KERNEL_LGAMMA] = "KERNEL_LGAMMA",       [KERNEL_DIGAMMA] = "KERNEL_DIGAMMA",
    [KERNEL_TRIGAMMA] = "KERNEL_TRIGAMMA",   [KERNEL_COS] = "KERNEL_COS",
    [KERNEL_ATAN] = "KERNEL_ATAN",           [KERNEL_TAN] = "KERNEL_TAN",
    [KERNEL_HALF_TURN] = "KERNEL_HALF_TURN"};

static const struct { /* The requests that composed.c makes. */
    enum lane_type type;
    unsigned bits;
} wanted[] = {{LANE_F32, 8},  {LANE_F32, 12}, {LANE_F32, 16}, {LANE_F32, 20}, {LANE_F32, 24},
              {LANE_F32, 27}, {LANE_F64, 32}, {LANE_F64, 42}, {LANE_F64, 50}};
enum { WANTED = sizeof wanted / sizeof *wanted };

static void write_row(FILE *f, int kernel, int i, const struct polynomial *p)
{
    double low, high;
    polynomial_interval((enum kernel_function)kernel, &low, &high);
    fprintf(f, "/* x from %g to %g */\nPOLYNOMIAL(%s, %s, %u, %.6g, %u", low, high, kernel_names[kernel],
            wanted[i].type == LANE_F32 ? "LANE_F32" : "LANE_F64", wanted[i].bits, p->error, p->degree);
    for (unsigned k = 0; k <= p->degree; k++)
        fprintf(f, "%s%a", k % 4 ? ", " : ",\n           ", p->coefficient[k]);
    fprintf(f, ")\n");
}

static void the_file_holds_what_is_computed(void **state)
{
    (void)state;
    const char *mode = getenv("ACTGEN_GOLDEN");
    FILE *f = mode && !strcmp(mode, "write") ? fopen(TEST_DATA "/../src/fit/polynomials.def", "w") : NULL;
    if (f)
        fprintf(f, "/* Kernel, type, bits, largest relative error of exact sums, degree, coefficients from "
                   "x^0 up: by\n"
                   " * polynomial_fit (polynomial.c), written by tests/test_polynomials.c. */\n");
    arena *memory = arena_create(0);
    assert_non_null(memory);
    struct polynomial_cache *cache = calloc(1, sizeof *cache);
    assert_non_null(cache);
    cache->memory = memory;
    for (int kernel = 0; kernel < KERNEL_COUNT; kernel++)
        for (int i = 0; i < WANTED; i++) {
            const struct polynomial *p =
                polynomial_fit(memory, (enum kernel_function)kernel, wanted[i].type, wanted[i].bits);
            if (f) {
                write_row(f, kernel, i, p);
                continue;
            }
            const struct polynomial *known =
                polynomial_find(cache, (enum kernel_function)kernel, wanted[i].type, wanted[i].bits);
            assert_int_equal(known->degree, p->degree);
            assert_true(fabs(known->error / p->error - 1) < 1e-5);
            assert_memory_equal(known->coefficient, p->coefficient, (p->degree + 1) * sizeof *p->coefficient);
        }
    if (f) assert_int_equal(fclose(f), 0);
    free(cache);
    arena_free(memory);
}

/* Checks that the file is used. A cache without an arena cannot hold a new fit. */
static void nothing_is_fitted_that_is_known(void **state)
{
    (void)state;
    struct polynomial_cache *cache = calloc(1, sizeof *cache); /* The cache has no arena. */
    assert_non_null(cache);
    for (int kernel = 0; kernel < KERNEL_COUNT; kernel++)
        for (int i = 0; i < WANTED; i++)
            assert_non_null(
                polynomial_find(cache, (enum kernel_function)kernel, wanted[i].type, wanted[i].bits));
    free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_what_is_computed),
        cmocka_unit_test(nothing_is_fitted_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
