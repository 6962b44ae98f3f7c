/* Tests the formulas of one table (tests/formulas/<argument>.txt), which are as nasty as users' formulas. The
 * planner keeps each within its bounds, or refuses it with a reason.
 *
 * A row is "formula | kept, both or refused | bounds | part of the reason". For `both`, the formula and its
 * gradient are kept. A table for which tests/CMakeLists.txt names a step tests a sample of its rows, unless
 * ACTGEN_TEST_ALL is in the environment. The test compiles a kept formula for
 * the host. It judges the results against actgen_reference with arithmetic of its own, and they must have the
 * interpreter's bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "fields.h"
#include "float_bits.h"
#include "part.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, RANDOM = 256, NEAR = 8, INPUTS = 2048, LARGEST_BINADE = 127, MANTISSA = 23 };

struct row {
    char *formula, *verdict, *bounds, *reason;
};

/* -- inputs -- */

/* Fills the inputs with special values, multiples of 1/4 and of pi/4 with their neighbours, random bits,
 * and random numbers of usual sizes. */
static size_t make_inputs(float *x)
{
    static const uint32_t specials[] = {0,          0x80000000, 1,          0x80000001,
                                        0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff,
                                        0xff7fffff, 0x00800000, 0x80800000, 0xffc12345};
    size_t n = 0;
    uint32_t random = 12345;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) x[n++] = f32_of_bits(specials[i]);
    for (int i = -24; i <= 24; i++)
        for (uint32_t k = 0; k < NEAR; k++) {
            x[n++] = f32_of_bits(bits_of_f32((float)i * 0.25f) + k - NEAR / 2);
            x[n++] = f32_of_bits(bits_of_f32((float)(i * 0.78539816339744831)) + k - NEAR / 2);
        }
    for (int i = 0; i < RANDOM; i++) {
        random = random * 1664525u + 1013904223u;
        x[n++] = f32_of_bits(random ^ random >> 16);
        random = random * 1664525u + 1013904223u;
        x[n++] =
            /* Up to 128, and down to 2^-8. */
            ldexpf((float)(int32_t)random, (int)(random >> 7 & 15) - 39);
    }
    return n;
}

/* -- errors -- */

static double spacing(double y)
{
    int exponent = -126;
    if (fabs(y) >= 0x1p-126) exponent = ilogb(y);
    return ldexp(1, (exponent > LARGEST_BINADE ? LARGEST_BINADE : exponent) - MANTISSA);
}

static double clamped(double y) { return fmin(fmax(y, -0x1p128), 0x1p128); }

/* Returns true if y keeps the bound "abs E" or "N ulp", with E = 2^-k. */
static bool is_within(double y, double exact, float x, const char *bound)
{
    if (isnan(exact) || isnan(y)) return isnan(exact) && isnan(y);
    if (isinf(x) && isinf(exact)) return y == exact;
    const double error = fabs(clamped(y) - clamped(exact));
    if (!strncmp(bound, "abs 2^", 6))
        return error <= ldexp(1, atoi(bound + 6)) * fmax(1, fabs(clamped(exact)));
    const bool sign = y != 0 || exact == 0 || !signbit(y) == !signbit(exact);
    return error <= atof(bound) * spacing(clamped(exact)) * (1 + 0x1p-20) && sign;
}

/* -- rows -- */

static bool report(const struct row *r, const char *bound, const char *what)
{
    fprintf(stderr, "%s, %s: %s\n", r->formula, bound, what);
    return false;
}

static bool judge(const struct row *r, const char *bound, const actgen_kernel *kernel)
{
    static float x[INPUTS], y[INPUTS], z[INPUTS];
    const size_t n = make_inputs(x);
    actgen_operand machine[2] = {{x, 0}, {y, 0}}, interpreted[2] = {{x, 0}, {z, 0}};
    actgen_error error = {0};
    char text[128];
    if (actgen_run(kernel, 1, n, machine, 2, &error) ||
        actgen_interpret(kernel, 1, n, interpreted, 2, &error))
        return report(r, bound, error.message);
    for (size_t i = 0; i < n; i++) {
        double in = (double)x[i], exact;
        if (bits_of_f32(y[i]) != bits_of_f32(z[i]) && !(isnan(y[i]) && isnan(z[i])))
            return report(r, bound, "machine code and interpreter differ");
        if (actgen_reference(kernel, 0, &in, &exact, &error)) return report(r, bound, error.message);
        if (is_within((double)y[i], exact, x[i], bound)) continue;
        snprintf(text, sizeof text, "%.9g is %.9g, not %.17g", in, (double)y[i], exact);
        return report(r, bound, text);
    }
    return true;
}

static bool check(actgen_engine *engine, const struct row *r, const char *bound)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    actgen_kernel *kernel;
    actgen_error error = {0};
    bool right;
    options.accuracy = bound;
    if (actgen_spec_expression(&spec, r->formula, &error)) return report(r, bound, error.message);
    int status = actgen_compile(&kernel, engine, spec, NULL, &options, &error);
    if (!strcmp(r->verdict, "refused"))
        right = status == ACTGEN_EACCURACY && r->reason && strstr(error.message, r->reason)
                    ? true
                    : report(r, bound, status ? error.message : "is kept");
    else
        right = status ? report(r, bound, error.message) : judge(r, bound, kernel);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    return right;
}

static const char *table;
/* The planner gets each step-th formula and bound, and others each day. */
static unsigned step = 1, rows;

/* Checks the formula of the row, if its turn has come. Returns 1 if it is wrong. */
static unsigned check_in_turn(actgen_engine *engine, const struct row *r, const char *bound)
{
    return is_row_of_today(rows++, step) && !check(engine, r, bound);
}

/* Checks the row at a bound. Returns the number of wrong formulas. */
static unsigned check_row(actgen_engine *engine, const struct row *r, const char *bound)
{
    char gradient[LINE + 16];
    struct row kept = *r;
    if (strcmp(r->verdict, "both") != 0) return check_in_turn(engine, r, bound);
    kept.verdict = "kept";
    const unsigned wrong = check_in_turn(engine, &kept, bound);
    snprintf(gradient, sizeof gradient, "diff(%s, x)", r->formula);
    kept.formula = gradient;
    return wrong + check_in_turn(engine, &kept, bound);
}

static bool is_verdict(const char *text)
{
    return !strcmp(text, "kept") || !strcmp(text, "both") || !strcmp(text, "refused");
}

static void formulas_are_kept_or_refused(void **state)
{
    (void)state;
    char path[LINE], line[LINE];
    unsigned wrong = 0;
    actgen_engine *engine;
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = ""; /* The planner is the subject of the test. */
    assert_int_equal(actgen_engine_create_with(&engine, &options, NULL), ACTGEN_OK);
    snprintf(path, sizeof path, "%s/formulas/%s.txt", TEST_DATA, table);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || *line == '\n') continue;
        char *rest = line;
        struct row r = {.formula = field(&rest, '|')};
        r.verdict = field(&rest, '|');
        r.bounds = field(&rest, '|');
        r.reason = field(&rest, '|');
        if (!r.bounds || !is_verdict(r.verdict)) fail_msg("%s: not a row: %s", path, line);
        for (char *bound; (bound = field(&r.bounds, ','));) wrong += check_row(engine, &r, bound);
    }
    fclose(file);
    actgen_engine_free(engine);
    assert_true(rows > 5);
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formulas_are_kept_or_refused)};
    if (count < 2) {
        fprintf(stderr, "usage: test_formulas TABLE [STEP], a name in tests/formulas\n");
        return 2;
    }
    table = arguments[1];
    step = step_argument(count, arguments, 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
