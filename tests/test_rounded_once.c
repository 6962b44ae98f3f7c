/* Tests that an f64 becomes a type of 8 or 16 bits by one rounding: at each number of the type, at each tie
 * of neighbours, and a little beside both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "element.h"
#include "engine.h"
#include "isas.h"
#include "written.h"

enum { BESIDE = 4, PER_NUMBER = 2 * (2 * BESIDE + 1) };

/* The distances from a number or a tie, relative to it: a bit of f64, a bit below f32's last, and others
 * between f32 and f64. */
static const double distances[BESIDE] = {0x1p-52, 0x1p-41, 0x1p-30, 0x1p-24};

static double *put_around(double *x, double middle)
{
    *x++ = middle;
    for (int k = 0; k < BESIDE; k++) {
        *x++ = middle + middle * distances[k];
        *x++ = middle - middle * distances[k];
    }
    return x;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lists the inputs, for which *x has room. Returns how many there are. */
static size_t list_inputs(double *x, const struct element_type_info *t)
{
    static const double beyond[] = {0x1p-1074, -0x1p-1074, 0x1p-1030, 0x1p-150,    0x1p128, 0x1p1000,
                                    -0x1p128,  INFINITY,   -INFINITY, (double)NAN, 0,       -0.0};
    const size_t numbers = (size_t)1 << 8 * t->bytes;
    double *values = malloc(numbers * sizeof *values), *end = x;
    size_t count = 0;
    assert_non_null(values);
    for (size_t bits = 0; bits < numbers; bits++)
        if (isfinite(t->value(bits))) values[count++] = t->value(bits);
    qsort(values, count, sizeof *values, by_value);
    for (size_t n = 0; n < count; n++) {
        const double step = n ? values[n] - values[n - 1] : values[1] - values[0];
        end = put_around(end, values[n]);
        end = put_around(end, n + 1 < count ? (values[n] + values[n + 1]) / 2 : values[n] + step / 2);
    }
    for (size_t n = 0; n < sizeof beyond / sizeof *beyond; n++) *end++ = beyond[n];
    *end++ =
        f64_of_bits(UINT64_C(0x7ff0000000000001)); /* NaNs with all and none of the bits that f32 keeps */
    *end++ = f64_of_bits(UINT64_C(0x7fffffffffffffff));
    free(values);
    return (size_t)(end - x);
}

static void check_results(const char *isa, const double *x, const uint8_t *y, size_t count,
                          enum element_type type)
{
    const struct element_type_info *t = &element_types[type];
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = y[i];
        if (t->bytes == 2) bits = ((const uint16_t *)(const void *)y)[i];
        const double right = t->value(t->near(written_rounded(x[i], type))), got = t->value(bits);
        const bool both_nan = isnan(right) && isnan(got);
        if (!both_nan && bits_of_f64(right) != bits_of_f64(got))
            fail_msg("%s on %s: %a becomes %a, not %a", t->name, isa, x[i], got, right);
    }
}

/* Converts all inputs in two ways: for the result, and by a cast within the formula. */
static void check_type(const double *x, void *y, size_t count, enum element_type type)
{
    static const char *const formulas[] = {"x", "%s(x)"};
    const char *name = element_types[type].name;
    for (size_t n = 0; own_isa_to_run(n); n++)
        for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
            char formula[32], text[128];
            snprintf(formula, sizeof formula, formulas[k], name);
            snprintf(text, sizeof text, "kernel k(x: f64) -> (y: %s) { y = %s }", name, formula);
            actgen_kernel *kernel = compile_for(text, own_isa_to_run(n));
            const actgen_operand list[] = {{(void *)(uintptr_t)x, 0}, {y, 0}};
            assert_int_equal(actgen_run(kernel, 1, count, list, 2, &error), ACTGEN_OK);
            check_results(own_isa_to_run(n), x, y, count, type);
            actgen_kernel_free(kernel);
        }
}

static void test_types(void **unused)
{
    (void)unused;
    const size_t room = ((size_t)1 << 16) * PER_NUMBER + 64;
    double *x = malloc(room * sizeof *x);
    uint16_t *y = malloc(room * sizeof *y);
    assert_true(x && y);
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++)
        if (element_is_half(type)) check_type(x, y, list_inputs(x, &element_types[type]), type);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_types)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
