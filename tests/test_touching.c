/* Searches for formulas that touch zero and whose plans break their bound there. The formulas are made of
 * the parts in touching.txt. A plan must keep its bound at the floats next to each such zero, or its refusal
 * must name one.
 *
 * The test finds the zeros without the planner's finder: where f touches zero, another formula of the table
 * changes its sign.
 *
 * Without an argument it tries each 16th formula. "test_touching 1", or ACTGEN_TEST_ALL=1 in the
 * environment, tries all of them, which takes some minutes. "test_touching 1 print" says what
 * became of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "float_bits.h"
#include "part.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512, MOST_PARTS = 64, NEIGHBOURS = 64, MOST_ZEROS = 8 };
enum { FIRST_BINADE = -10, LAST_BINADE = 12, STEPS = 16 /* in a binade */ };
static const char bound[] = "3 ulp";
static const double allowed = 3 * (1 + 0x1p-20);

static unsigned step = 16;
static bool prints;

struct outer {
    char touches[LINE], changes[LINE];
};
struct parts {
    struct outer outer[MOST_PARTS];
    char inner[MOST_PARTS][LINE];
    unsigned outer_count, inner_count;
};

/* -- the table -- */

static void trim(char *out, const char *from, size_t length)
{
    while (length && *from == ' ') from++, length--;
    while (length && strchr(" \n", from[length - 1])) length--;
    snprintf(out, LINE, "%.*s", (int)length, from);
}

static void read_parts(struct parts *p)
{
    char line[LINE];
    FILE *file = fopen(TEST_DATA "/touching.txt", "r");
    if (!file) fail_msg("touching.txt cannot be read");
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || *line == '\n') continue;
        const char *first = strchr(line, '|'), *second = first ? strchr(first + 1, '|') : NULL;
        if (second && !strncmp(line, "outer ", 6) && p->outer_count < MOST_PARTS) {
            struct outer *o = &p->outer[p->outer_count++];
            trim(o->touches, first + 1, (size_t)(second - first - 1));
            trim(o->changes, second + 1, strlen(second + 1));
        } else if (first && !second && !strncmp(line, "inner ", 6) && p->inner_count < MOST_PARTS) {
            trim(p->inner[p->inner_count++], first + 1, strlen(first + 1));
        } else {
            fail_msg("touching.txt: no row: %s", line);
        }
    }
    fclose(file);
}

/* Fills inner functions into the places of $h and $g. */
static void fill(char *out, const char *text, const char *h, const char *g)
{
    size_t n = 0;
    for (; *text && n < LINE - 1; text++) {
        if (*text != '$') {
            out[n++] = *text;
            continue;
        }
        n += (size_t)snprintf(out + n, LINE - n, "(%s)", *++text == 'h' ? h : g);
    }
    assert_true(n < LINE - 1);
    out[n] = 0;
}

/* -- one formula -- */

static int compile(actgen_kernel **out, actgen_engine *engine, const char *formula, const char *accuracy,
                   actgen_error *error)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    options.accuracy = accuracy;
    options.tier = ACTGEN_TIER_INTERPRETER; /* Its bits equal those of machine code. */
    *out = NULL;
    int status = actgen_spec_expression(&spec, formula, error);
    if (!status) status = actgen_compile(out, engine, spec, NULL, &options, error);
    actgen_spec_free(spec);
    return status;
}

static double value(const actgen_kernel *kernel, float x)
{
    const double in = (double)x;
    double y;
    actgen_error error;
    return actgen_reference(kernel, 0, &in, &y, &error) ? (double)NAN : y;
}

static bool differ(double a, double b) { return (a < 0 && b > 0) || (a > 0 && b < 0); }

/* Finds the floats after changes of the formula's sign, among those with one sign. Returns how many
 * there are now. */
static unsigned find_zeros(uint32_t *zeros, unsigned count, const actgen_kernel *kernel, uint32_t sign)
{
    enum { LOG2_STEP = 23 - 4 };
    const unsigned room = count + MOST_ZEROS;
    uint32_t low = sign | (uint32_t)(127 + FIRST_BINADE) << 23;
    double before = value(kernel, f32_of_bits(low));
    for (int n = 0; n < (LAST_BINADE - FIRST_BINADE) * STEPS && count < room; n++) {
        const uint32_t next = low + (1u << LOG2_STEP);
        const double now = value(kernel, f32_of_bits(next));
        uint32_t a = low, b = next;
        while (differ(before, now) && b - a > 1) {
            const uint32_t middle = a + (b - a) / 2;
            *(differ(before, value(kernel, f32_of_bits(middle))) ? &b : &a) = middle;
        }
        if (differ(before, now)) zeros[count++] = b;
        low = next;
        before = now;
    }
    return count;
}

static double spacing(double y)
{
    const int exponent = fabs(y) < 0x1p-126 ? -126 : ilogb(y);
    return ldexp(1, exponent - 23);
}

/* Returns the largest error in ulps at the floats around. */
static double worst_near(const actgen_kernel *kernel, uint32_t zero, float *at)
{
    float x[2 * NEIGHBOURS], y[2 * NEIGHBOURS];
    actgen_operand operands[2] = {{x, 0}, {y, 0}};
    actgen_error error;
    double worst = 0;
    for (uint32_t i = 0; i < 2 * NEIGHBOURS; i++) x[i] = f32_of_bits(zero + i - NEIGHBOURS);
    assert_int_equal(actgen_interpret(kernel, 1, 2 * NEIGHBOURS, operands, 2, &error), ACTGEN_OK);
    for (unsigned i = 0; i < 2 * NEIGHBOURS; i++) {
        const double exact = value(kernel, x[i]);
        const double ulps = fabs((double)y[i] - exact) / spacing(exact);
        if (!(ulps > worst) || isnan(exact)) continue;
        worst = ulps;
        *at = x[i];
    }
    return worst;
}

static bool report(const char *formula, const char *what)
{
    fprintf(stderr, "%s: %s\n", formula, what);
    return false;
}

/* Returns false where the plan is wrong. */
static bool judge(const actgen_kernel *kernel, const char *formula, const uint32_t *zeros, unsigned count)
{
    char text[128];
    float at = 0;
    double worst = 0;
    for (unsigned i = 0; i < count; i++) {
        const double near = worst_near(kernel, zeros[i], &at);
        if (near > worst) worst = near;
        snprintf(text, sizeof text, "accepted, and off by %.4g ulp at %.9g, next to a zero", near,
                 (double)at);
        if (near > allowed) return report(formula, text);
    }
    if (prints) printf("kept    %-60s %.3g ulp next to %u zeros\n", formula, worst, count);
    return true;
}

/* Returns false where the plan is wrong, or the refusal names no place. */
static bool try_formula(actgen_engine *engine, const struct outer *outer, const char *h, const char *g,
                        unsigned *zeros_seen)
{
    char touches[LINE], changes[LINE];
    uint32_t zeros[2 * MOST_ZEROS];
    actgen_kernel *kernel, *crossing = NULL;
    actgen_error error;
    bool right = true;
    fill(touches, outer->touches, h, g);
    fill(changes, outer->changes, h, g);
    if (compile(&kernel, engine, touches, bound, &error)) {
        right = strstr(error.message, " x = ") ? true : report(touches, error.message);
        if (prints)
            printf("refused %-60s %s\n", touches,
                   strstr(error.message, "best found") ? strstr(error.message, "best found") : error.message);
    } else if (compile(&crossing, engine, changes, "abs 2^-2", &error)) {
        right = report(changes, error.message);
    } else {
        unsigned count = find_zeros(zeros, 0, crossing, 0);
        count = find_zeros(zeros, count, crossing, UINT32_C(1) << 31);
        *zeros_seen += count;
        right = judge(kernel, touches, zeros, count);
    }
    actgen_kernel_free(kernel);
    actgen_kernel_free(crossing);
    return right;
}

static void plans_keep_their_bounds_next_to_zeros(void **state)
{
    (void)state;
    static struct parts p;
    unsigned wrong = 0, zeros = 0, number = 0;
    actgen_engine *engine;
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = ""; /* The planner is the subject of the test. */
    assert_int_equal(actgen_engine_create_with(&engine, &options, NULL), ACTGEN_OK);
    read_parts(&p);
    for (unsigned i = 0; i < p.outer_count; i++)
        for (unsigned k = 0; k < p.inner_count; k++)
            if (number++ % step == 0)
                wrong +=
                    !try_formula(engine, &p.outer[i], p.inner[k], p.inner[(k + 1) % p.inner_count], &zeros);
    actgen_engine_free(engine);
    assert_true(zeros > 10);
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_keep_their_bounds_next_to_zeros)};
    if (takes_all()) step = 1;
    if (count > 1) step = (unsigned)atoi(arguments[1]);
    prints = count > 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
