/* Tests that printed formulas, read back, give the same nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "language.h"

static const char *print_value(arena *memory, const struct spec *s)
{
    struct text t = text_new(memory);
    expr_print(&t, s->kernels[0].results[0].value, NULL);
    return t.data;
}

/* Returns true if two nodes of different DAGs are equal formulas. */
static bool equal(arena *memory, const expr *a, const expr *b)
{
    expr_dag *dag = expr_dag_create(memory, SPEC_MAX_NODES);
    const expr *roots[2] = {a, b}, *copies[2];
    /* Both are copied into a third DAG, where equal formulas have the same pointer. */
    for (int r = 0; r < 2; r++) {
        uint32_t count;
        const expr **nodes = expr_walk(memory, roots[r], &count);
        const expr **images = arena_alloc(memory, ((size_t)roots[r]->id + 1) * sizeof *images);
        for (uint32_t i = 0; i < count; i++) {
            const expr *e = nodes[i], *operand[3] = {NULL};
            for (unsigned k = 0; k < expr_arity(e->kind); k++) operand[k] = images[e->operand[k]->id];
            images[e->id] = e->kind == EXPR_NUMBER     ? expr_number(dag, e->number)
                            : e->kind == EXPR_PI       ? expr_pi(dag)
                            : e->kind == EXPR_INFINITY ? expr_infinity(dag)
                            : e->kind == EXPR_INPUT    ? expr_input(dag, e->input)
                                                       : expr_rebuild(dag, e, operand);
        }
        copies[r] = images[roots[r]->id];
    }
    return copies[0] == copies[1];
}

struct example {
    const char *formula, *printed;
};

static const struct example examples[] = {
    {"x", "x"},
    {"-x^2", "-x^2"},
    {"(-x)^2", "(-x)^2"},
    {"2^-22*x", "2^-22 * x"},
    {"x^(1/2)", "x^(1/2)"},
    {"x^2^3", "x^8"},
    {"(x^2)^3", "(x^2)^3"},
    {"x^-1.5", "x^(-3/2)"},
    {"x - (x - 1) - 1", "x - (x - 1) - 1"},
    {"x/(2*x)/3", "x / (2 * x) / 3"},
    {"x*-x", "x * -x"},
    {"-(x*x)", "-(x * x)"},
    {"--x", "--x"},
    {"if x > 0 then x else -x", "if 0 < x then x else -x"},
    {"1 + (if x >= 0 then x else -x)", "1 + (if 0 <= x then x else -x)"},
    {"if not (x < 1 and x > -1) or x == 3 then x else 0",
     "if not (x < 1 and -1 < x) or x == 3 then x else 0"},
    {"if x != 3 then x else 0", "if not x == 3 then x else 0"},
    {"if (not x < 1) and x < 3 then x else 0", "if not x < 1 and x < 3 then x else 0"},
    {"clamp(x, -1, 1)", "min(max(x, -1), 1)"},
    {"x*e + pi - inf", "x * exp(1) + pi - inf"},
    {"x*0x1.8p-4", "x * 0.09375"},
    {"x*1e-30", "x * 1e-30"},
    {"x*1.25e+30", "x * 1.25e30"},
    {"x*0.000001", "x * 0.000001"},
    {"x*0x1p-1074", "x * 0x1p-1074"},
    {"x*120000", "x * 120000"},
    {"x*00.50", "x * 0.5"},
    {"f32(x)*2", "f32(x) * 2"},
    {"erf(x) + abs(x)", "erf(x) + abs(x)"},
};

static struct spec *parse(arena *memory, const char *formula)
{
    struct spec *s;
    struct diag error = {0};
    if (spec_parse_expression(&s, memory, formula, strlen(formula), &error))
        fail_msg("%s: %s", formula, error.message);
    return s;
}

static void check_example(const struct example *example)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s = parse(memory, example->formula);
    const char *printed = print_value(memory, s);
    assert_string_equal(printed, example->printed);
    struct spec *again = parse(memory, printed);
    assert_true(equal(memory, s->kernels[0].results[0].value, again->kernels[0].results[0].value));
    arena_free(memory);
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check_example(&examples[i]);
}

/* Checks that different formulas are not taken for equal. */
static void test_equal_can_fail(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    const expr *a = parse(memory, "x + 1")->kernels[0].results[0].value;
    assert_false(equal(memory, a, parse(memory, "1 + x")->kernels[0].results[0].value));
    assert_true(equal(memory, a, parse(memory, "(x) + 1.0")->kernels[0].results[0].value));
    arena_free(memory);
}

static void check_kernel(arena *memory, const struct spec *s)
{
    const struct spec_kernel *k = &s->kernels[0];
    struct text t = text_new(memory);
    spec_print(&t, s);
    struct spec *again;
    struct diag error = {0};
    /* The name of a built-in elementary function is reserved, so its text has another name here. */
    char *text = arena_text(memory, t.data, t.length), *name = strstr(text, "kernel ") + 7;
    *name = 'K';
    if (spec_parse(&again, memory, "printed", text, t.length, &error))
        fail_msg("%s\n%s", error.message, t.data);
    assert_int_equal(again->kernel_count, 1);
    assert_int_equal(again->kernels[0].input_count, k->input_count);
    assert_int_equal(again->kernels[0].result_count, k->result_count);
    for (uint32_t r = 0; r < k->result_count; r++)
        if (!equal(memory, k->results[r].value, again->kernels[0].results[r].value)) fail_msg("%s", t.data);
}

static void check_builtin(const char *name)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct spec *s;
    struct diag error = {0};
    if (spec_builtin(&s, memory, name, &error)) fail_msg("%s: %s", name, error.message);
    check_kernel(memory, s);
    arena_free(memory);
}

static void test_templates(void **state)
{
    (void)state;
    arena *list_memory = arena_create(0);
    if (setjmp(*arena_escape(list_memory))) fail_msg("no memory");
    const struct spec_builtin_info *list;
    size_t count;
    struct diag error = {0};
    assert_int_equal(spec_builtins(&list, &count, list_memory, &error), 0);
    assert_true(count > 40);
    for (size_t i = 0; i < count; i++) check_builtin(list[i].name);
    arena_free(list_memory);
}

static const struct example in_c[] = {
    {"x*normcdf(x)", "x * (0.5f * erfcf(-x * 0.70710678118654752440f))"},
    {"x*sigmoid(1.702*x)", "x * (1.0f / (1.0f + expf(-(1.702f * x))))"},
    {"x^3 + x^(1/3)", "x * x * x + powf(x, 1.0f / 3.0f)"},
    {"if x > 0 and x < 1e30 then x else -x", "0.0f < x && x < 1e30f ? x : -x"},
    {"max(x, 0)*2", "largerf(x, 0.0f) * 2.0f"},
    {"abs(x)/(1 + pi)", "fabsf(x) / (1.0f + 3.14159265358979323846f)"},
    {"-(if x > 0 then x else 1)", "-(0.0f < x ? x : 1.0f)"},
    {"softplus(x - 1)*x", "log1pf(expf(x - 1.0f)) * x"},
    {"sign(x + 1)/x", "((x + 1.0f > 0) - (x + 1.0f < 0)) / x"},
    {"x*rsqrt(x + 1)^2", "x * powf((1.0f / sqrtf(x + 1.0f)), 2.0f)"},
    {"round(x)", "rintf(x)"},
};

static void check_c(const struct example *example)
{
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    struct text t = text_new(memory);
    expr_print_c(&t, parse(memory, example->formula)->kernels[0].results[0].value, NULL, "f");
    assert_string_equal(t.data, example->printed);
    arena_free(memory);
}

static void test_c(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof in_c / sizeof in_c[0]; i++) check_c(&in_c[i]);
}

/* Checks that printing cuts a formula whose text would be exponentially long. */
static void test_shared(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    if (setjmp(*arena_escape(memory))) fail_msg("no memory");
    expr_dag *dag = expr_dag_create(memory, 1000);
    const expr *e = expr_input(dag, 0);
    for (int i = 0; i < 100; i++) e = expr_binary(dag, EXPR_MUL, e, e);
    struct text t = text_new(memory);
    expr_print(&t, e, NULL);
    assert_true(t.length < 4000000);
    assert_string_equal(t.data + t.length - 3, "...");
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),  cmocka_unit_test(test_equal_can_fail),
        cmocka_unit_test(test_templates), cmocka_unit_test(test_c),
        cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
