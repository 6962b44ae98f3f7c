/* Tests of the search for places where a function changes its kind, or comes near zero without a
 * change of sign. */
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

static float input(uint64_t at)
{
    const uint32_t bits = (uint32_t)at;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Defines a function with a parameter c whose values have no error. */
#define FUNCTION(name, expression)                                                                           \
    static void name(void *context, const uint64_t *at, double *values, double *errors, size_t count)        \
    {                                                                                                        \
        const double c = *(const double *)context;                                                           \
        for (size_t i = 0; i < count; i++) {                                                                 \
            const double x = (double)input(at[i]);                                                           \
            values[i] = (expression);                                                                        \
            errors[i] = 0;                                                                                   \
        }                                                                                                    \
    }
FUNCTION(squared_distance, (x - c) * (x - c))
FUNCTION(distance, x - c)
FUNCTION(valley, (x - c) * (x - c) + 1)
FUNCTION(two_roots, (x / c - 1.0001) * (x / c - 1.0002))
#undef FUNCTION

/* Computes the values with an error of 2^-20 at first, and without an error when the caller asks for more. */
static void rough_square(void *context, const uint64_t *at, double *values, double *errors, size_t count)
{
    squared_distance(context, at, values, errors, count);
    for (size_t i = 0; i < count; i++) {
        errors[i] = 0x1p-20;
        values[i] += at[i] & 1 ? 0x1p-21 : -0x1p-21;
    }
}

static double sure_square(void *context, uint64_t at)
{
    const double d = (double)input(at) - *(const double *)context;
    return d * d;
}

static bool is_next_to(uint32_t bits, double root)
{
    return fabs((double)input(bits) - root) <= fabs(root) * 0x1p-21;
}

static size_t count_near(const uint32_t *places, size_t count, double x)
{
    size_t near = 0;
    for (size_t k = 0; k < count; k++) near += is_next_to(places[k], x);
    return near;
}

static void roots_are_found(void **state)
{
    (void)state;
    static double roots[] = {1.1, -0.3, 1e-20, -12345.678, 3e30};
    uint32_t places[ROOM];
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        const struct changes_function square = {squared_distance, NULL, &roots[i]},
                                      line = {distance, NULL, &roots[i]};
        assert_int_equal(changes_find_f32(places, ROOM, &square, CHANGES_TOUCHING), 1);
        assert_true(is_next_to(places[0], roots[i]));
        const size_t count =
            changes_find_f32(places, ROOM, &line, CHANGES_OF_KIND); /* The infinities are also places. */
        assert_int_equal(count_near(places, count, roots[i]), 1);
    }
}

static void valleys_are_no_roots(void **state)
{
    (void)state;
    double bottom = 1.1;
    uint32_t places[ROOM];
    const struct changes_function f = {valley, NULL, &bottom};
    assert_int_equal(changes_find_f32(places, ROOM, &f, CHANGES_TOUCHING), 0);
    assert_int_equal(changes_find_f32(places, ROOM, &f, CHANGES_TURNS), 1);
    assert_true(is_next_to(places[0], bottom));
}

static void roots_between_two_steps_are_two(void **state)
{
    (void)state;
    double scale = 2.3;
    uint32_t places[ROOM];
    const struct changes_function f = {two_roots, NULL, &scale};
    const size_t count =
        changes_find_f32(places, ROOM, &f, CHANGES_OF_KIND | CHANGES_TURNS | CHANGES_TOUCHING);
    assert_int_equal(count_near(places, count, 1.0001 * scale), 1);
    assert_int_equal(count_near(places, count, 1.0002 * scale), 1);
    assert_int_equal(count_near(places, count, 1.00015 * scale), 1);
}

static void noise_is_seen_through(void **state)
{
    (void)state;
    double root = 1.1;
    uint32_t places[ROOM];
    const struct changes_function f = {rough_square, sure_square, &root};
    const size_t count = changes_find_f32(places, ROOM, &f, CHANGES_ALL);
    assert_int_equal(count_near(places, count, root), 1);
    assert_true(count <= 3); /* The infinities are also places. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_found), cmocka_unit_test(valleys_are_no_roots),
        cmocka_unit_test(roots_between_two_steps_are_two), cmocka_unit_test(noise_is_seen_through)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
