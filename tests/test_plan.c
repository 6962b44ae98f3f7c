/* Tests of which plan the planner chooses, that the plan keeps the bound, and of what the planner refuses.
 * Golden files hold whole programs.
 *
 * usage: test_plan [STEP]    only each STEP-th row of each table
 *
 * ACTGEN_GOLDEN=write rewrites the golden files from the results. Read the difference before
 * you commit it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp.h"
#include "lower.h"
#include "part.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static size_t step = 1; /* The step between the rows that are tested. */

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

static struct spec_bound bound_of(arena *memory, const char *text)
{
    struct spec_bound bound;
    struct diag error = {0};
    if (spec_parse_bound(&bound, memory, text, strlen(text), &error)) fail_msg("%s: %s", text, error.message);
    return bound;
}

/* Finds the plan of a formula of x, which is one piece. */
static int plan(const struct plan **out, arena *memory, const char *formula, const char *bound,
                const char *isa_name, struct diag *error)
{
    const struct spec *s = parse_expression(memory, formula);
    const struct target_isa *isa = target_isa_find(isa_name);
    struct plan_search search = {text_new(memory)};
    struct lowered *l;
    assert_non_null(isa);
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = bound_of(memory, bound),
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {find, &search}};
    *out = NULL;
    int status = lower_kernel(&l, &request, error);
    if (status) return status;
    assert_int_equal(l->piece_count, 1);
    *out = l->pieces[0].plan;
    return DIAG_OK;
}

/* ---- shapes and bounds ---- */

static const struct {
    const char *formula, *bound, *isa, *shape;
} plans[] = {
    {"relu(x)", "3 ulp", "avx512", "direct"},        {"relu(x)", "3 ulp", "x86-64", "direct"},
    {"leaky_relu(x)", "3 ulp", "avx2", "direct"},    {"hardtanh(x)", "1 ulp", "x86-64", "direct"},
    {"x^3 + 0*x", "3 ulp", "avx512", "direct"},      {"gelu(x)", "abs 2^-22", "avx512", "piecewise"},
    {"tanh(x)", "abs 2^-16", "avx512", "piecewise"}, {"silu(x)", "abs 2^-12", "avx2", "factored"},
    {"gelu(x)", "abs 2^-10", "avx2", "piecewise"},   {"gelu(x)", "3 ulp", "avx512", "factored"},
    {"gelu(x)", "3 ulp", "x86-64", "factored"},      {"erfc(x)", "3 ulp", "avx2", "factored"},
};

static float evaluate(const lane_program *p, float x)
{
    float y = 0;
    void *operands[2] = {&x, &y};
    interp *run = interp_create(p);
    assert_non_null(run);
    interp_run(run, operands, 1);
    interp_free(run);
    return y;
}

static void shapes_are_as_expected_and_keep_the_bound(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i += step) {
        arena *memory = test_memory();
        const struct plan *p;
        struct diag error = {0};
        if (plan(&p, memory, plans[i].formula, plans[i].bound, plans[i].isa, &error))
            fail_msg("%s", error.message);
        struct spec_bound bound = bound_of(memory, plans[i].bound);
        double measured = bound.kind == BOUND_ABS ? p->measured.max_abs : p->measured.max_ulp;
        bool right = !strcmp(p->shape, plans[i].shape) && measured <= bound.value && !p->measured.wrong &&
                     !p->measured.undecided && p->measured.inputs > 1000 &&
                     isnan(evaluate(p->program, NAN)) && p->cost > 0 && p->description && *p->description;
        if (!right) {
            fprintf(stderr, "%s, %s on %s: %s, error %g\n", plans[i].formula, plans[i].bound, plans[i].isa,
                    p->shape, measured);
            wrong++;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

/* The inputs to try, where NaN is always tried and these are the limits. A zero has the sign of the exact
 * value, if that has one. */
enum { MOST_POINTS = 4 };
static const struct {
    const char *formula, *bound;
    unsigned count;
    struct {
        float x, y;
    } points[MOST_POINTS];
} specials[] = {
    {"gelu(x)", "3 ulp", 4, {{-INFINITY, -0.0f}, {INFINITY, INFINITY}, {-100, -0.0f}, {0, 0}}},
    {"gelu(x)", "abs 2^-22", 1, {{INFINITY, INFINITY}}},
    {"tanh(x)", "3 ulp", 3, {{INFINITY, 1}, {-INFINITY, -1}, {0, 0}}},
    {"exp(x)", "3 ulp", 4, {{-INFINITY, 0}, {89, INFINITY}, {0, 1}, {-200, 0}}},
    {"log(x)", "3 ulp", 4, {{0, -INFINITY}, {-1, NAN}, {INFINITY, INFINITY}, {1, 0}}},
    {"sqrt(x)", "3 ulp", 3, {{-1, NAN}, {INFINITY, INFINITY}, {4, 2}}},
    {"relu(x)", "3 ulp", 3, {{-INFINITY, 0}, {INFINITY, INFINITY}, {-1, 0}}},
    {"softsign(x)", "3 ulp", 2, {{-INFINITY, -1}, {INFINITY, 1}}},
};

static void special_values_are_the_limits(void **state)
{
    (void)state;
    static const char *const isas[] = {"avx512", "x86-64"};
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i += step)
        for (size_t n = 0; n < 2; n++) {
            arena *memory = test_memory();
            const struct plan *p;
            struct diag error = {0};
            if (plan(&p, memory, specials[i].formula, specials[i].bound, isas[n], &error))
                fail_msg("%s", error.message);
            for (unsigned k = 0; k < specials[i].count; k++) {
                float x = specials[i].points[k].x, y = specials[i].points[k].y,
                      found = evaluate(p->program, x);
                if (isnan(y) ? isnan(found) : found == y && signbit(found) == signbit(y)) continue;
                fprintf(stderr, "%s, %s on %s at %g: %g, not %g\n", specials[i].formula, specials[i].bound,
                        isas[n], (double)x, (double)found, (double)y);
                wrong++;
            }
            if (!isnan(evaluate(p->program, NAN))) wrong++;
            arena_free(memory);
        }
    assert_int_equal(wrong, 0);
}

/* ---- refusals ---- */

static void refusals_name_the_best_found(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *bound;
    } rows[] = {{"sin(1/x)", "3 ulp"}, {"tanh(x)", "abs 2^-40"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        arena *memory = test_memory();
        const struct plan *p;
        struct diag error = {0};
        assert_int_equal(plan(&p, memory, rows[i].formula, rows[i].bound, "avx512", &error), DIAG_ACCURACY);
        assert_null(p);
        if (!strstr(error.message, rows[i].bound) || !strstr(error.message, "best found") ||
            !strstr(error.message, "at x ="))
            fail_msg("%s: %s", rows[i].formula, error.message);
        arena_free(memory);
    }
}

/* ---- programs ---- */

static const char *program_text(arena *memory, const char *formula, const char *bound, const char *isa)
{
    const struct plan *p;
    struct diag error = {0};
    struct text t = text_new(memory);
    if (plan(&p, memory, formula, bound, isa, &error)) fail_msg("%s: %s", formula, error.message);
    text_add(&t, "%s, %s on %s: %s (%s)\n", formula, bound, isa, p->shape, p->description);
    lane_print(&t, p->program);
    return t.data;
}

static void other_spellings_end_in_the_same_program(void **state)
{
    (void)state;
    static const char *const spellings[2] = {"gelu(x)", "0.5*x*(1 + erf(x/sqrt(2)))"};
    static const char *const bounds[] = {"3 ulp", "abs 2^-22"}, *const isas[] = {"avx512", "avx2", "x86-64"};
    unsigned wrong = 0;
    for (size_t b = 0; b < 2; b++)
        for (size_t n = 0; n < 3; n += step) {
            arena *memory = test_memory();
            const char *first = strchr(program_text(memory, spellings[0], bounds[b], isas[n]), '\n');
            const char *second = strchr(program_text(memory, spellings[1], bounds[b], isas[n]), '\n');
            if (strcmp(first, second) != 0) {
                fprintf(stderr, "%s and %s, %s on %s: other programs\n", spellings[0], spellings[1],
                        bounds[b], isas[n]);
                wrong++;
            }
            arena_free(memory);
        }
    assert_int_equal(wrong, 0);
}

static const struct {
    const char *file, *formula, *bound, *isa;
} golden[] = {
    {"gelu_abs_avx512", "gelu(x)", "abs 2^-22", "avx512"},
    {"gelu_ulp_x86_64", "gelu(x)", "3 ulp", "x86-64"},
    {"silu_ulp_avx2", "silu(x)", "3 ulp", "avx2"},
    {"silu_2_ulp_avx2", "silu(x)", "2 ulp", "avx2"},
    {"tanh_abs_avx2", "tanh(x)", "abs 2^-16", "avx2"},
    {"relu_ulp_avx512", "relu(x)", "3 ulp", "avx512"},
    {"hardtanh_ulp_x86_64", "hardtanh(x)", "3 ulp", "x86-64"},
};

static char *read_text(const char *path, arena *memory)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    enum { LARGEST = 1 << 16 };
    char *text = arena_alloc(memory, LARGEST);
    size_t length = fread(text, 1, LARGEST - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fputs(text, file) < 0, 0);
    assert_int_equal(fclose(file), 0);
}

static void programs_are_the_golden_ones(void **state)
{
    (void)state;
    const char *mode = getenv("ACTGEN_GOLDEN");
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i += step) {
        arena *memory = test_memory();
        char path[512];
        snprintf(path, sizeof path, "%s/golden/plan/%s.txt", TEST_DATA, golden[i].file);
        const char *text = program_text(memory, golden[i].formula, golden[i].bound, golden[i].isa);
        if (mode && !strcmp(mode, "write")) write_text(path, text);
        const char *expected = read_text(path, memory);
        if (!expected || strcmp(expected, text) != 0) {
            fprintf(stderr, "golden/plan/%s.txt %s; found\n%s", golden[i].file,
                    expected ? "differs" : "is missing", text);
            wrong++;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

/* -- decisions: the rows of golden/formulas.txt, each `formula | bound | instruction set | decision` -- */

static void add_decision(struct text *out, arena *memory, const char *line, size_t length)
{
    static const char between[] = " | ";
    enum { FORMULA, BOUND, ISA, KEYS };
    char *key[KEYS], *rest = arena_alloc(memory, length + 1);
    const struct plan *p;
    struct diag error = {0};
    memcpy(rest, line, length);
    for (int k = 0; k < KEYS; k++) {
        char *end = strstr(rest, between);
        if (!end) fail_msg("golden/formulas.txt: %.*s has no decision", (int)length, line);
        *end = 0;
        key[k] = rest;
        rest = end + strlen(between);
    }
    if (plan(&p, memory, key[FORMULA], key[BOUND], key[ISA], &error))
        fail_msg("%s: %s", key[FORMULA], error.message);
    text_add(out, "%s | %s | %s | %s, cost %.2f: %s\n", key[FORMULA], key[BOUND], key[ISA], p->shape, p->cost,
             p->description);
}

static void decisions_are_the_golden_ones(void **state)
{
    (void)state;
    static const char path[] = TEST_DATA "/golden/formulas.txt";
    const char *mode = getenv("ACTGEN_GOLDEN");
    arena *memory = test_memory();
    const char *expected = read_text(path, memory);
    struct text found = text_new(memory);
    size_t row = 0;
    assert_true(expected && *expected);
    for (const char *line = expected; *line; line += strspn(line, "\n")) {
        const size_t length = strcspn(line, "\n");
        /* The rows have many of one kind. */
        if (row++ % (step > 1 ? 4 * step : 1))
            text_add(&found, "%.*s\n", (int)length, line);
        else
            add_decision(&found, memory, line, length);
        line += length;
    }
    if (mode && !strcmp(mode, "write"))
        write_text(path, found.data);
    else if (strcmp(expected, found.data))
        fail_msg("golden/formulas.txt differs; found\n%s", found.data);
    arena_free(memory);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_as_expected_and_keep_the_bound),
        cmocka_unit_test(special_values_are_the_limits),
        cmocka_unit_test(refusals_name_the_best_found),
        cmocka_unit_test(other_spellings_end_in_the_same_program),
        cmocka_unit_test(programs_are_the_golden_ones),
        cmocka_unit_test(decisions_are_the_golden_ones),
    };
    step = step_argument(argument_count, arguments, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
