/* Tests of derivatives at kinks. The value is the limit of the whole derivative where both sides agree on
 * a limit, in whatever order the terms are written. Elsewhere the rules of docs/language.md apply. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

/* Returns the value of `e` as verification sees it: from the written formula, or from the simplified one
 * where the written one has no value. */
static double value_of(const char *what, const expr *e, const double *inputs, unsigned count)
{
    double value = NAN;
    expr_dag *dag = expr_dag_create(e->memory, MOST_NODES);
    reference *r = reference_create(e, expr_simplify(dag, e, NULL), count);
    assert_non_null(r);
    if (reference_value(r, inputs, &value, NULL)) fail_msg("%s at %g: undecided", what, inputs[0]);
    reference_free(r);
    return value;
}

/* ---- functions of one value ---- */

static const struct {
    const char *formula; /* The formula whose derivative is tested. */
    double at, slope;
} kinks[] = {
    /* Both sides agree. */
    {"max(x, 0) + log(1 + exp(-abs(x)))", 0, 0.5},
    {"max(0, x) + log1p(exp(-abs(x)))", 0, 0.5},
    {"max(x, 0) + log1p(exp(-abs(x)))", -0.0, 0.5},
    {"max(0, x) + min(0, exp(x) - 1)", 0, 1},
    {"max(x, 0) + min(exp(x) - 1, 0)", 0, 1},
    {"max(0, x) + min(0, 2*(exp(x/2) - 1))", 0, 1},
    {"relu(x) - relu(-x)", 0, 1},
    {"relu(x) - relu(-x)", 1, 1},
    {"max(x, 0) + min(x, 0)", 0, 1},
    {"max(0, x) + min(0, x)", 0, 1},
    {"sign(x)*log1p(abs(x))", 0, 1},
    {"log(1 + abs(x))*sign(x)", 0, 1},
    {"max(x - 1, 0) - max(1 - x, 0)", 1, 1},
    {"max(x, 3) + min(3, x)", 3, 1},
    {"abs(x - 1)*(x - 1)", 1, 0},
    {"sign(x - 0.5)*(x - 0.5)^2 + 3*x", 0.5, 3},
    {"max(0, x^3)*2 + min(0, x^3)", 0, 0},
    {"max(x^2, x) + min(x^2, x)", 1, 3},
    {"max(x^2, x) + min(x, x^2)", 0, 1},
    {"max(0, x^2 - 4) - max(0, 4 - x^2)", -2, -4},
    {"max(0, x^2 - 4) - max(0, 4 - x^2)", 2, 4},
    {"clamp(x, -1, 1) + max(x, 1) + min(-1, x)", 1, 1},
    {"clamp(x, -1, 1) + max(1, x) + min(x, -1)", -1, 1},
    {"max(abs(x), 1) + min(1, abs(x))", -1, -1},
    {"if x > 3 then x^2 - 4 else max(6*x - 13, -50)", 3, 6},
    {"if x == 3 then 9 else x^2", 3, 6},
    {"(if floor(x) > 2 then x - 3 else 0) + min(0, x - 3)", 3, 1},
    {"(if not x < 1 and x < 5 then x else 1) + min(x, 1)", 1, 1},
    {"max(exp(x), 1) + min(1, exp(x))", 0, 1},
    {"abs(sin(x))*sin(x) + x", 0, 1},
    {"if x > 1 then x*e else exp(x)", 1, 2.7182818284590452354},
    {"if x > 2 then exp(1)*(exp(1)*x - exp(1)) else min(exp(x), 99)", 2, 7.3890560989306502272},
    {"max(x, 0)*sqrt(2) + min(0, x)/sqrt(1/2)", 0, 1.4142135623730950488},
    {"if x > 3 then 8*log(2)*(x - 3) + min(8, 99*x) else 2^x", 3, 5.5451774444795624753},
    /* 0 times infinity and 0/0: the value is the limit of the whole derivative. */
    {"sqrt(x)^2", 0, 1},
    {"sqrt(x^4)", 0, 0},
    {"sqrt(x^4) + x", 0, 1},
    {"sqrt(x^3)", 0, 0},
    {"if x == 0 then 1 else sin(x)/x", 0, 0},
    {"if x == 0 then 1 else (exp(x) - 1)/x", 0, 0.5},
    {"if x == 1 then 1 else log(x)/(x - 1)", 1, -0.5},
    {"x^2*log(x)", 0, 0},
    {"exp(-1/x^2)", 0, 0},
    {"(x^2)^(3/4) + x", 0, 1},
    {"sqrt(abs(x))^4", 0, 0},
    {"x*tanh(1/x^2)", 0, 1},
    /* Derivatives of derivatives, as functions. */
    {"diff(max(x, 0) + log1p(exp(-abs(x))), x)", 0, 0.25},
    {"diff(x*abs(x)*x, x)", 0, 0},
    {"diff(sign(x)*log1p(abs(x)) + x, x)", 0, 0},
    {"diff(if x == 0 then 1 else sin(x)/x, x)", 0, -1.0 / 3},
    {"diff(max(0, x)^3 + min(0, x)^3, x)", 0, 0},
    /* The sides differ, and the rules apply. */
    {"max(x, 0)", 0, 0},
    {"max(0, x)", 0, 1},
    {"max(x, 0) + abs(x)", 0, 0},
    {"max(0, x) + abs(x)", 0, 1},
    {"max(x, 0) + 2*min(x, 0)", 0, 0},
    {"max(0, x) + 2*min(0, x)", 0, 3},
    {"x*floor(x)", 1, 1},
    {"clamp(x, 0, 6)", 6, 0},
    {"diff(max(0, x) + min(0, exp(x) - 1), x)", 0, 1}, /* The derivative is written `if x <= 0 then 0`. */
};

static void kinks_have_the_stated_slope(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof kinks / sizeof *kinks; i++) {
        arena *memory = test_memory();
        struct text t = text_new(memory);
        text_add(&t, "diff(%s, x)", kinks[i].formula);
        const struct spec *s = parse_expression(memory, t.data);
        const double slope = value_of(t.data, s->kernels[0].results[0].value, &kinks[i].at, 1);
        if (slope != kinks[i].slope && ++wrong)
            fprintf(stderr, "%s at %g: slope %.17g, not %.17g\n", kinks[i].formula, kinks[i].at, slope,
                    kinks[i].slope);
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

/* ---- smooth functions, written with kinks at u = -1, 0 and 1 ---- */

static const char *const smooth[] = {"exp(x)",       "tanh(x)",         "sin(2*x)",      "x/(1 + x^2)",
                                     "erf(x)",       "softplus(x)",     "sqrt(1 + x^2)", "x^3 - 2*x",
                                     "x*sigmoid(x)", "atan(x) + cos(x)"};

/* Formulas that equal g(u) for every function g. */
static const char *const disguises[] = {
    "g(max(u, 0)) + g(min(u, 0)) - g(0)",
    "g(max(0, u)) + g(min(u, 0)) - g(0)",
    "g(max(0, u)) + g(min(0, u)) - g(0)",
    "if u > 0 then g(u) else g(min(0, u))",
    "if u >= 0 then g(max(0, u)) else g(u)",
    "g(clamp(u, -1, 1)) - g(-1) + g(max(1, u)) - g(1) + g(min(u, -1))",
    "g((abs(u) + u)/2) + g((u - abs(u))/2) - g(0)",
    "sign(u)*(g(abs(u)) - g(-abs(u)))/2 + (g(abs(u)) + g(-abs(u)))/2",
    "if floor(u) >= 0 then g(u) else g(min(0, u))",
};

static void check_disguise(const char *g, const char *disguise, const char *centre)
{
    arena *memory = test_memory();
    struct text t = text_new(memory);
    text_add(&t,
             "function g(x) = %s\nfunction f(u) = %s\n"
             "kernel k(x: f64) -> (y: f64, z: f64) { y = diff(f(x - %s), x); z = diff(g(x - %s), x) }",
             g, disguise, centre, centre);
    const struct spec *s = parse_text(memory, t.data);
    for (int step = -2; step <= 2; step++) {
        const double x = strtod(centre, NULL) + step / 2.0;
        const double slope = value_of(t.data, s->kernels[0].results[0].value, &x, 1);
        const double wanted = value_of(t.data, s->kernels[0].results[1].value, &x, 1);
        if (!(slope == wanted)) fail_msg("%s\nat %g: slope %.17g, not %.17g", t.data, x, slope, wanted);
    }
    arena_free(memory);
}

static void smooth_functions_have_their_slopes(void **state)
{
    (void)state;
    static const char *const centres[] = {"0", "3", "-0.25"};
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth; i++)
        for (size_t k = 0; k < sizeof disguises / sizeof *disguises; k++)
            check_disguise(smooth[i], disguises[k], centres[(i + k) % (sizeof centres / sizeof *centres)]);
}

/* ---- random formulas: where both sides of a place have the same limit, the value is that ---- */

enum { FORMULAS = 400, DEPTH = 4, STEP_EXPONENT = -300 };
#define LARGEST 0x1p40 /* Larger values count as infinite. */

static void add_random(struct text *t, uint64_t *random, unsigned depth)
{
    static const char *const leaves[] = {"x", "x", "x", "0", "1", "2", "-1", "0.5", "(x - 1)", "pi"};
    static const char *const rules[] = {"(a + b)",
                                        "(a - b)",
                                        "(a*b)",
                                        "(a + b)",
                                        "(a*b)",
                                        "max(a, b)",
                                        "min(a, b)",
                                        "max(a, b)",
                                        "min(a, b)",
                                        "abs(a)",
                                        "sign(a)*b",
                                        "(if a > b then a else b)",
                                        "(if a <= 0 then b else a)",
                                        "clamp(a, -1, 1)",
                                        "relu(a)",
                                        "(a)^2",
                                        "(a)^3",
                                        "exp(a)",
                                        "tanh(a)",
                                        "sqrt(abs(a))",
                                        "a/(1 + abs(b))",
                                        "sin(a)",
                                        "log1p(abs(a))",
                                        "floor(a)*b",
                                        "softplus(a)"};
    const uint64_t drawn = next_random(random);
    const char *rule = depth ? rules[drawn % (sizeof rules / sizeof *rules)] : "a";
    for (const char *c = rule; *c; c++) {
        if (!depth) {
            text_add(t, "%s", leaves[drawn % (sizeof leaves / sizeof *leaves)]);
        } else if ((*c == 'a' || *c == 'b') && !(c > rule && c[-1] >= 'a' && c[-1] <= 'z') &&
                   !(c[1] >= 'a' && c[1] <= 'z')) {
            add_random(t, random, (unsigned)(next_random(random) % depth));
        } else {
            text_add(t, "%c", *c);
        }
    }
}

/* Returns the value at 2^-300 to one side of `at`. The number becomes a part of the formula, because
 * it is no double. */
static double value_beside(expr_dag *dag, const expr *e, double at, int side)
{
    const expr *step = expr_power_ratio(dag, expr_integer(dag, 2), STEP_EXPONENT, 1);
    const expr *there =
        expr_binary(dag, side < 0 ? EXPR_SUB : EXPR_ADD, expr_ratio(dag, lrint(4 * at), 4), step);
    const expr *moved = expr_substitute(dag, e, expr_input(dag, 0), there);
    const double none = 0;
    double value = NAN;
    reference *r = reference_create(moved, moved, 0);
    assert_non_null(r);
    if (reference_value(r, &none, &value, NULL)) value = NAN;
    reference_free(r);
    return value;
}

static void check_random(const char *formula, unsigned *agreeing)
{
    static const double places[] = {-1, 0, 0.5, 1, 2};
    arena *memory = test_memory();
    struct spec *s;
    struct diag error = {0};
    if (spec_parse_expression(&s, memory, formula, strlen(formula), &error)) {
        arena_free(memory);
        return; /* The derivative is a constant. */
    }
    const expr *d = s->kernels[0].results[0].value;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const double left = value_beside(s->dag, d, places[i], -1),
                     right = value_beside(s->dag, d, places[i], 1);
        if (!(fabs(right - left) <= 0x1p-40 * fmax(1, fabs(left))) || fabs(left) > LARGEST) continue;
        ++*agreeing;
        const double value = value_of(formula, d, &places[i], 1);
        if (!(fabs(value - left) <= 0x1p-39 * fmax(1, fabs(left))))
            fail_msg("%s at %g: %.17g, beside it %.17g", formula, places[i], value, left);
    }
    arena_free(memory);
}

static void random_formulas_have_their_limits(void **state)
{
    (void)state;
    uint64_t random = 1;
    unsigned agreeing = 0;
    for (unsigned i = 0; i < FORMULAS; i++) {
        arena *memory = test_memory();
        struct text t = text_new(memory);
        text_add(&t, "diff(");
        add_random(&t, &random, DEPTH);
        text_add(&t, ", x)");
        check_random(t.data, &agreeing);
        arena_free(memory);
    }
    assert_true(agreeing > FORMULAS);
}

/* ---- kernels of several operands ---- */

enum { MOST_OPERANDS = 4 };
static const struct {
    const char *kernel, *result; /* The result is one of the gradient. */
    double inputs[MOST_OPERANDS], value;
} operands[] = {
    {"(x: f32, z: f32) -> (y: f32) { y = max(x, 0) - x*z + log1p(exp(-abs(x))) }", "d_x", {0, 0.25, 1}, 0.25},
    {"(x: f32, z: f32) -> (y: f32) { y = log1p(exp(-abs(x))) - x*z + max(0, x) }", "d_x", {0, 0.25, 1}, 0.25},
    {"(x: bf16, z: bf16) -> (y: f32) { y = max(0, x) - x*z + log1p(exp(-abs(x))) }",
     "d_x",
     {0, 0.25, 2},
     0.5},
    {"(x: f32, b: f32[cols], z: f32) -> (y: f32) { g = x + b; y = max(g, 0) - g*z + log1p(exp(-abs(g))) }",
     "d_b",
     {2, -2, 0.25, 1},
     0.25},
    {"(x: f32, s: f32[], z: f32) -> (y: f32) { g = x*s; y = max(g, 0) - g*z + log1p(exp(-abs(g))) }",
     "d_x",
     {0, 2, 0.25, 1},
     0.5},
    {"(x: f32, w: f32[], z: f32) -> (y: f32) { y = max(x, 0)*w - x*z + log1p(exp(-abs(x)))*w }",
     "d_x",
     {0, 3, 0.25, 1},
     1.25},
    {"(x: f32, w: f32, z: f32) -> (y: f32) { y = (1 - z)*x + (1 + (w - 1)*z)*(log1p(exp(-abs(x))) + max(-x, "
     "0)) }",
     "d_x",
     {0, 3, 0.25, 1},
     0},
    {"(a: f32, b: f32) -> (y: f32) { g = a - b; y = b*(max(0, g) + min(0, exp(g) - 1)) }",
     "d_a",
     {3, 3, 1},
     3},
    /* The input does not move u. */
    {"(x: f32, u: f32) -> (y: f32) { y = x*sign(u)^2 }", "d_x", {1, 0, 1}, 0},
    {"(x: f32, m: u1) -> (y: f32) { y = where(m, tanh(x), 0) }", "d_x", {0, 0, 1}, 0},
    {"(x: f32, z: f32) -> (y: f32) { y = max(x, 0)*z + min(x, 0) }",
     "d_x",
     {0, 1, 1},
     0}, /* The sides differ for most z. */
    /* Kinks where two operands meet. */
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + log1p(exp(-abs(x - b))) }", "d_x", {2, 2, 1}, 0.5},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + log1p(exp(-abs(x - b))) }", "d_b", {2, 2, 1}, 0.5},
    {"(x: f32, b: f32) -> (y: f32) { y = log1p(exp(-abs(b - x))) + max(b, x) }", "d_x", {2, 2, 1}, 0.5},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + log1p(exp(-abs(x - b))) }",
     "d_x",
     {3, 2, 1},
     0.73105857863000490},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) - max(b, x) + x }", "d_x", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) - max(b, x) + x }", "d_b", {2, 2, 1}, 0},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + min(b, x) }", "d_x", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + min(x, b) }", "d_x", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + min(x, b) }", "d_b", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + (x + b - abs(x - b))/2 }", "d_x", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) + (x + b - abs(x - b))/2 }", "d_b", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(2*x, b - 1) + min(2*x, b - 1) }", "d_x", {2, 5, 1}, 2},
    {"(x: f32, b: f32, c: f32) -> (y: f32) { y = max(x, b*c)*c + c*min(b*c, x) }", "d_x", {6, 2, 3, 1}, 3},
    {"(x: f32, s: f32[], b: f32) -> (y: f32) { g = x*s; y = max(g, b) + log1p(exp(-abs(g - b))) }",
     "d_x",
     {2, 3, 6, 1},
     1.5},
    {"(x: f32, b: f32) -> (y: f32) { y = relu(x) - relu(-x) + max(x, b) + min(x, b) }", "d_x", {2, 2, 1}, 2},
    {"(x: f32, b: f32) -> (y: f32) { y = relu(x) - relu(-x) + max(x, b) + min(x, b) }", "d_x", {0, 2, 1}, 2},
    /* The sides differ, and the rule applies. */
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) }", "d_x", {2, 2, 1}, 0},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b) }", "d_b", {2, 2, 1}, 1},
    {"(x: f32, b: f32) -> (y: f32) { y = max(x, b)*2 + min(b, x) }", "d_x", {2, 2, 1}, 1},
    /* The sides agree for every value of the operand. */
    {"(x: f32, a: f32) -> (y: f32) { y = max(0, x) + min(0, a*(exp(x/a) - 1)) }", "d_x", {0, 3, 1}, 1},
    {"(x: f32, a: f32) -> (y: f32) { y = max(0, x) + min(0, a*(exp(x/a) - 1)) }", "d_x", {0, -0.5, 1}, 1},
    {"(x: f32, a: f32[]) -> (y: f32) { y = max(x, 0) + min(a*expm1(x/a), 0) }", "d_x", {0, 3, 1}, 1},
    {"(x: f32, a: f32) -> (y: f32) { y = max(0, x) + a*min(0, x) + (a - 1)/2*abs(x) }", "d_x", {0, 3, 1}, 2},
    {"(x: f32, a: f32) -> (y: f32) { y = (1 + a)/2*x + (1 - a)/2*abs(x) - (1 - a)*max(0, x) }",
     "d_x",
     {0, 3, 1},
     3},
    {"(x: f32, a: f32) -> (y: f32) { y = max(x, 0)/(a + 1) - min(x, 0)/(a^2 - 1)*(1 - a) }",
     "d_x",
     {0, 3, 1},
     0.25},
    /* The rule applies. */
    {"(x: f32, a: f32) -> (y: f32) { y = max(0, x)*a^2 + min(0, x)*a }", "d_x", {0, 3, 1}, 12},
};

static void gradients_have_the_stated_values(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++) {
        arena *memory = test_memory();
        struct text t = text_new(memory);
        text_add(&t, "kernel k%s\nkernel slopes = gradient k", operands[i].kernel);
        const struct spec_kernel *k = &parse_text(memory, t.data)->kernels[1];
        uint32_t r = 0;
        while (r < k->result_count && strcmp(k->operands[k->input_count + r].name, operands[i].result)) r++;
        assert_true(r < k->result_count);
        const double value = value_of(t.data, k->results[r].value, operands[i].inputs, k->input_count);
        if (value != operands[i].value) {
            print_error("%s: %s is %.17g, not %.17g\n", t.data, operands[i].result, value, operands[i].value);
            wrong++;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

/* ---- smooth functions, written with kinks where two operands meet: each is g(x), whatever g is ---- */

static const char *const meetings[] = {
    "g(max(x, b)) + g(min(x, b)) - g(b)",
    "g(max(b, x)) + g(min(x, b)) - g(b)",
    "g(max(b, x)) - g(b) + g(min(b, x))",
    "if x > b then g(x) else g(min(b, x))",
    "if b <= x then g(max(x, b)) else g(x)",
    "g((x + b + abs(x - b))/2) + g(min(x, b)) - g(b)",
    "g(max(x, b)) - g(b) + g((x + b - abs(b - x))/2)",
    "g(x) + sign(x - b)*((x - b)*g(x) - sign(x - b)*(max(b, x) - min(b, x))*g(x))",
    "g(x) + g(3*max(x - b, 0) + b) - g(max(3*x, 3*b) - 2*b)",
    "g(max(x, b)) + g(min(x, b)) - g(b) + relu(x) - max(x, 0)",
    "g(max(x, b + 1)) + g(min(b + 1, x)) - g(1 + b)",
    "g(max(x, -b/2)) + g(min(-b/2, x)) - g(-b/2)",
};

static void smooth_functions_have_their_slopes_where_operands_meet(void **state)
{
    (void)state;
    static const double centres[] = {0.75, 0, -0.5};
    for (size_t i = 0; i < sizeof smooth / sizeof *smooth * (sizeof meetings / sizeof *meetings); i++) {
        arena *memory = test_memory();
        struct text t = text_new(memory);
        text_add(&t,
                 "function g(x) = %s\n"
                 "kernel k(x: f64, b: f64) -> (y: f64, z: f64) { y = diff(%s, x); z = diff(g(x), x) + 0*b }",
                 smooth[i % (sizeof smooth / sizeof *smooth)],
                 meetings[i / (sizeof smooth / sizeof *smooth)]);
        const struct spec *s = parse_text(memory, t.data);
        const double b = centres[i % (sizeof centres / sizeof *centres)], places[] = {b, b + 1, -b / 2};
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            const double inputs[] = {places[k], b};
            const double slope = value_of(t.data, s->kernels[0].results[0].value, inputs, 2);
            const double wanted = value_of(t.data, s->kernels[0].results[1].value, inputs, 2);
            if (!(slope == wanted))
                fail_msg("%s\nat %g, %g: slope %.17g, not %.17g", t.data, places[k], b, slope, wanted);
        }
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinks_have_the_stated_slope),
        cmocka_unit_test(smooth_functions_have_their_slopes),
        cmocka_unit_test(random_formulas_have_their_limits),
        cmocka_unit_test(gradients_have_the_stated_values),
        cmocka_unit_test(smooth_functions_have_their_slopes_where_operands_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
