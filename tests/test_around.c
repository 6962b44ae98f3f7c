/* Tests that what stands around a function with a plan does not throw the plan away. The test plans a
 * built-in f within operations g, outside of f and inside, and fails where g(f) is refused or its estimated
 * cost exceeds what the table of operations allows.
 *
 * usage: test_around [FUNCTION]    plans all pairs of that function, and prints their costs
 *
 * Without arguments it plans one pair in SAMPLED. ACTGEN_TEST_ALL in the environment makes that all of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lower.h"
#include "part.h"
#include "store.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLED = 41 };

/* The operations, with f for the function of x. The cost may be `times` the cost of f, and `cycles` more for
 * operations of their own. A square may take two plans for tighter bounds, and a product a sigmoid besides.
 */
static const struct {
    const char *formula;
    double times, cycles;
} operations[] = {
    {"min(f(x), 10)", 1.1, 3},  {"max(f(x), 0.25)", 1.1, 3}, {"clamp(f(x), -0.5, 7)", 1.1, 4},
    {"abs(f(x))", 1.1, 3},      {"-f(x)", 1.1, 3},           {"if x > 1 then f(x) else x/2", 1.1, 4},
    {"f(min(x, 7))", 1.1, 3},   {"f(max(x, -3))", 1.1, 3},   {"f(clamp(x, -10, 10))", 1.1, 4},
    {"f(-x)", 1.1, 3},          {"f(abs(x))", 1.1, 4},       {"f(x)*1.7", 1.25, 4},
    {"f(x)/3", 1.25, 4},        {"min(f(x)/3, 5)", 1.25, 5}, {"f(x)^2", 2.3, 15},
    {"f(x)*sigmoid(x)", 3, 25},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Pairs that miss the limits, each with the limit that it keeps. Rational and composed plans of tanh for neon
 * have 2.5 to 2.8 ulp. Times 1.7 they have 3.01 ulp and more, and the next plan misses the limit by a tenth
 * of a cycle. The factor adds a rounding to hardswish, which then has 3.03 ulp and more, so that it takes a
 * factor with care. */
static const struct {
    const char *function, *formula;
    double times;
} exceptions[] = {
    {"tanh", "f(x)*1.7", 1.26},
    {"hardswish", "f(x)*1.7", 1.7},
    {"hardswish", "f(x)/3", 1.5},
    {"hardswish", "min(f(x)/3, 5)", 1.4},
};

static const char *const functions[] = {
    "gelu", "gelu_tanh", "gelu_sigmoid", "silu",      "sigmoid",  "tanh", "softplus",   "mish",
    "elu",  "selu",      "erf",          "hardswish", "softsign", "exp",  "logsigmoid", "atan",
};
static const char *const isas[] = {"avx512", "avx2", "neon"};

/* Returns the formula with the function's name in place of "f". */
static const char *formula_of(const char *function, const char *operation)
{
    static char text[200];
    size_t length = 0;
    for (const char *p = operation; *p && length < sizeof text - 40; p++) {
        const bool is_name = *p == 'f' && p[1] == '(';
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s", is_name ? 20 : 1,
                                   is_name ? function : p);
    }
    return text;
}

/* Returns the plan's cost, which is infinite where the planner refuses. */
static double cost_of(const char *formula, const char *type, const struct target_isa *isa)
{
    char text[400];
    struct lowered *l;
    struct diag error = {0};
    double cost = INFINITY;
    arena *memory = test_memory();
    snprintf(text, sizeof text, "kernel k(x: %s) -> (y: %s) { accuracy 3 ulp; y = %s }", type, type, formula);
    const struct spec *s = parse_text(memory, text);
    struct planning planning = {.search = {text_new(memory)}};
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .bound = s->kernels[0].bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = planner_of(&planning)};
    if (!lower_kernel(&l, &request, &error)) {
        cost = 0;
        for (uint32_t i = 0; i < l->piece_count; i++) cost += l->pieces[i].plan->cost;
    } else {
        fprintf(stderr, "%s: %s\n", formula, error.message);
    }
    arena_free(memory);
    return cost;
}

static const char *chosen; /* NULL: a sample of all functions */

static double times_of(const char *function, size_t operation)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!strcmp(function, exceptions[i].function) &&
            !strcmp(operations[operation].formula, exceptions[i].formula))
            return exceptions[i].times;
    return operations[operation].times;
}

/* Returns whether the pair keeps its limit. */
static bool keeps(const char *function, size_t operation, const struct target_isa *isa)
{
    char plain[40];
    snprintf(plain, sizeof plain, "%s(x)", function);
    const double own = cost_of(plain, "f32", isa);
    const char *formula = formula_of(function, operations[operation].formula);
    const double cost = cost_of(formula, "f32", isa),
                 limit = times_of(function, operation) * own + operations[operation].cycles;
    if (chosen || !(cost <= limit))
        fprintf(stderr, "%s%s on %s costs %.2f, %s %.2f, and %.2f are allowed\n",
                cost <= limit ? "" : "FAILED ", formula, isa->name, cost, plain, own, limit);
    return cost <= limit;
}

static void pairs(void **state)
{
    const unsigned one_in = chosen || takes_all() ? 1 : SAMPLED;
    unsigned number = 0, made = 0, dearer = 0;
    (void)state;
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (size_t g = 0; g < OPERATIONS; g++)
            for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
                if (number++ % one_in || (chosen && strcmp(chosen, functions[f]) != 0)) continue;
                made++;
                dearer += !keeps(functions[f], g, target_isa_find(isas[i]));
            }
    assert_true(made > 1);
    assert_int_equal(dearer, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs)};
    if (argc > 1) chosen = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
