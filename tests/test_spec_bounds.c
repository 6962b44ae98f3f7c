/* Tests of bounds as text: what is read, what is refused and where, and that a printed bound is read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "language.h"

struct bound_row {
    const char *text;
    enum spec_bound_kind kind;
    double value, low, high;
    const char *error; /* A text of the form "column-length: message". */
};

static const struct bound_row bounds[] = {
    {"3 ulp", BOUND_ULP, 3, 0, 0, NULL},
    {"abs 0.1", BOUND_ABS, 0.1, 0, 0, NULL}, /* The nearest double is above. */
    {"abs 2^-22", BOUND_ABS, 0x1p-22, 0, 0, NULL},
    {" abs 1e-6 ", BOUND_ABS, 1e-6, 0, 0, NULL},
    {"1 ulp on [-4, 4]", BOUND_ULP, 1, -4, 4, NULL},
    {"abs (1/3)*2^-10 on [-inf, 1/2]", BOUND_ABS, 1.0 / 3 * 0x1p-10, -(double)INFINITY, 0.5, NULL},
    {"max(2, 3) ulp", BOUND_ULP, 3, 0, 0, NULL},
    /* Plans are found by the text of their bound, so the text has all digits. */
    {"abs 0.12345678912345", BOUND_ABS, 0.12345678912345, 0, 0, NULL},
    {"3 ulp on [-4.000000000001, 1/3]", BOUND_ULP, 3, -4.000000000001, 1.0 / 3, NULL},
    {"", BOUND_DEFAULT, 0, 0, 0, "1-0: expected a formula, found the end of the text"},
    {"3", BOUND_DEFAULT, 0, 0, 0,
     "2-0: expected `ulp`, as in `3 ulp`, or `abs` in front, as in `abs 2^-20`, found the end of the text"},
    {"3 ulps", BOUND_DEFAULT, 0, 0, 0,
     "3-4: expected `ulp`, as in `3 ulp`, or `abs` in front, as in `abs 2^-20`, found `ulps`"},
    {"0.5 ulp", BOUND_ULP, 0.5, 0, 0, NULL},
    {"0.4 ulp", BOUND_DEFAULT, 0, 0, 0, "1-3: no rounded result is better than 0.5 ulp"},
    {"abs 0", BOUND_DEFAULT, 0, 0, 0, "5-1: an accuracy is a positive number"},
    {"abs -1", BOUND_DEFAULT, 0, 0, 0, "5-2: an accuracy is a positive number"},
    {"abs x", BOUND_DEFAULT, 0, 0, 0, "5-1: unknown name `x`"},
    {"abs pi", BOUND_DEFAULT, 0, 0, 0, "5-2: expected a number such as 3, 0.5 or 2^-22"},
    {"abs 1 on", BOUND_DEFAULT, 0, 0, 0, "9-0: expected `[`, as in `on [-4, 4]`, found the end of the text"},
    {"abs 1 on [2, 1]", BOUND_DEFAULT, 0, 0, 0, "11-4: the interval is empty"},
    {"abs 1 of", BOUND_DEFAULT, 0, 0, 0,
     "7-2: expected `on`, an operator or the end of the accuracy, found `of`"},
};

static void check_bound(const struct bound_row *row)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec_bound b;
    struct diag error = {0};
    int status = spec_parse_bound(&b, memory, row->text, strlen(row->text), &error);
    if (row->error) {
        char got[DIAG_MESSAGE_SIZE + 40];
        snprintf(got, sizeof got, "%u-%u: %s", error.column, error.length, error.message);
        assert_string_equal(got, row->error);
        assert_true(status < 0);
    } else {
        if (status) fail_msg("%s: %s", row->text, error.message);
        assert_int_equal(b.kind, row->kind);
        assert_true(b.value == row->value && b.has_interval == (row->low < row->high));
        assert_true(b.low == row->low && b.high == row->high);
        char printed[SPEC_BOUND_TEXT_SIZE];
        struct spec_bound again;
        spec_bound_text(printed, &b);
        assert_int_equal(spec_parse_bound(&again, memory, printed, strlen(printed), &error), DIAG_OK);
        if (!spec_bound_equal(&b, &again)) fail_msg("%s: printed as %s", row->text, printed);
    }
    arena_free(memory);
}

static void test_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) check_bound(&bounds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
