/* Tests of the operands on which kernels are timed: inputs are normal numbers, or fill the interval that is
 * asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "element.h"
#include "filled.h"

enum { COUNT = 1000 };
static const enum element_type types[] = {ELEMENT_F32, ELEMENT_F64, ELEMENT_F16, ELEMENT_BF16, ELEMENT_I8};

/* Counts the numbers below, within and above the interval from 10 to 90. */
struct places {
    size_t below, low_half, high_half, above;
};

static struct places places_of(enum element_type type, const double *interval)
{
    void *array = array_filled((int)type, COUNT, 0, interval);
    struct places p = {0};
    assert_non_null(array);
    for (size_t i = 0; i < COUNT; i++) {
        const double x = element_types[type].value(element_get(array, type, i));
        *(x < 10 ? &p.below : x < 50 ? &p.low_half : x <= 90 ? &p.high_half : &p.above) += 1;
    }
    array_free(array);
    return p;
}

static void inputs_fill_the_interval(void **state)
{
    (void)state;
    static const double interval[2] = {10, 90};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const struct places p = places_of(types[i], interval);
        assert_int_equal(p.below + p.above, 0);
        assert_in_range(p.low_half, COUNT / 3, 2 * COUNT / 3);
    }
}

static void inputs_are_normal_without_an_interval(void **state)
{
    (void)state; /* Ten is five standard deviations. */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        assert_int_equal(places_of(types[i], NULL).below, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inputs_fill_the_interval),
                                       cmocka_unit_test(inputs_are_normal_without_an_interval)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
