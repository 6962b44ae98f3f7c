/* Where a function changes its kind, or comes near zero without changing its sign. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 16 };

static void squared_distance(void *context, const float *x, double *values, size_t count)
{
    const double root = *(const double *)context;
    for (size_t i = 0; i < count; i++) values[i] = ((double)x[i] - root) * ((double)x[i] - root);
}

static void distance(void *context, const float *x, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = (double)x[i] - *(const double *)context;
}

static void valley(void *context, const float *x, double *values, size_t count)
{
    squared_distance(context, x, values, count);
    for (size_t i = 0; i < count; i++) values[i] += 1;
}

static bool is_next_to(uint32_t bits, double root)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return fabs((double)x - root) <= fabs(root) * 0x1p-21;
}

static void touching_roots_are_found(void **state)
{
    (void)state;
    static double roots[] = {1.1, -0.3, 1e-20, -12345.678, 3e30};
    uint32_t places[ROOM];
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        assert_int_equal(changes_find_touching(places, ROOM, squared_distance, &roots[i]), 1);
        assert_true(is_next_to(places[0], roots[i]));
        const size_t count = changes_find(places, ROOM, distance, &roots[i]); /* and at the infinities */
        size_t near = 0;
        for (size_t k = 0; k < count; k++) near += is_next_to(places[k], roots[i]);
        assert_int_equal(near, 1);
    }
}

static void valleys_are_no_roots(void **state)
{
    (void)state;
    double bottom = 1.1;
    uint32_t places[ROOM];
    assert_int_equal(changes_find_touching(places, ROOM, valley, &bottom), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(touching_roots_are_found),
                                       cmocka_unit_test(valleys_are_no_roots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
