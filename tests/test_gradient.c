/* Tests of gradient kernels. Finite differences at high precision check them for every built-in and for
 * kernels that the templates do not have. Other tests cover gradients of gradients, and compare gradients
 * from the result with those from the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

/* The error of a difference of step 2^-60 is f'''/6 * 2^-120, plus the 2^-300 of the values
 * divided by the step. */
enum { STEP_EXPONENT = -60, PRECISION = 400, CORRECT_BITS = 300, POINTS = 6, MOST_INPUTS = 64 };
static const double tolerance = 0x1p-80;

static void precise_value(const char *what, const expr *e, const double *inputs, unsigned count, mpfr_t out)
{
    reference *r = reference_create(e, e, count);
    assert_non_null(r);
    if (reference_precise(r, inputs, CORRECT_BITS, out)) fail_msg("%s: undecided", what);
    reference_free(r);
}

/* Computes the difference quotient of `e` by an input. The formula moves the input, because
 * inputs are doubles. */
static void difference(expr_dag *dag, const char *what, const expr *e, uint32_t by, const double *inputs,
                       unsigned count, mpfr_t out)
{
    mpfr_t low;
    mpfr_init2(low, PRECISION);
    const expr *input = expr_input(dag, by),
               *step = expr_power_ratio(dag, expr_integer(dag, 2), STEP_EXPONENT, 1);
    for (int side = 0; side < 2; side++) {
        const expr *moved = expr_binary(dag, side ? EXPR_ADD : EXPR_SUB, input, step);
        precise_value(what, expr_substitute(dag, e, input, moved), inputs, count, side ? out : low);
    }
    mpfr_sub(out, out, low, MPFR_RNDN);
    mpfr_div_2si(out, out, STEP_EXPONENT + 1, MPFR_RNDN);
    mpfr_clear(low);
}

static void assert_near(const char *what, const char *name, const double *inputs, mpfr_t value, mpfr_t wanted)
{
    const double got = mpfr_get_d(value, MPFR_RNDN), right = mpfr_get_d(wanted, MPFR_RNDN);
    mpfr_sub(value, value, wanted, MPFR_RNDN);
    const double off = fabs(mpfr_get_d(value, MPFR_RNDN));
    if (!(off <= tolerance * fmax(1, fabs(right))))
        fail_msg("%s: %s at %.17g, ... is %.17g, the slope is %.17g", what, name, inputs[0], got, right);
}

/* Returns the formula with each cast replaced by its operand. */
static const expr *without_casts(expr_dag *dag, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i]->kind == EXPR_CAST)
            return without_casts(dag, expr_substitute(dag, e, nodes[i], nodes[i]->operand[0]));
    return e;
}

/* Returns an odd multiple of 2^-21. No formula here has a kink at such a point. */
static double point(uint64_t *random, double low, double high)
{
    return ldexp(rint(ldexp(low + (high - low) * random_unit(random), 20)), -20) + 0x1p-21;
}

/* Checks that d_<input> of `gradient` is the slope, by that input, of the sum of d_<result> *
 * result of `of`. */
static void check_gradient(const char *what, const struct spec_kernel *of, const struct spec *s,
                           const struct spec_kernel *gradient, double low, double high)
{
    mpfr_t value, slope;
    mpfr_inits2(PRECISION, value, slope, (mpfr_ptr)0);
    double inputs[MOST_INPUTS];
    uint64_t random = 1;
    const expr *sum = NULL;
    assert_int_equal(gradient->input_count, of->operand_count);
    for (uint32_t r = 0; r < of->result_count; r++) {
        const expr *result = expr_import(s->dag, of->results[r].value);
        const expr *term = expr_binary(s->dag, EXPR_MUL, expr_input(s->dag, of->input_count + r), result);
        sum = sum ? expr_binary(s->dag, EXPR_ADD, sum, term) : term;
    }
    sum = without_casts(s->dag, sum);
    for (int round = 0; round < POINTS; round++) {
        for (uint32_t i = 0; i < gradient->input_count; i++) inputs[i] = point(&random, low, high);
        for (uint32_t r = 0; r < gradient->result_count; r++) {
            const char *name = gradient->operands[gradient->results[r].operand].name;
            uint32_t by = 0;
            while (by < of->input_count && strcmp(of->operands[by].name, name + 2) != 0) by++;
            if (by == of->input_count) fail_msg("%s: %s of no input", what, name);
            precise_value(what, without_casts(s->dag, gradient->results[r].value), inputs,
                          gradient->input_count, value);
            difference(s->dag, what, sum, by, inputs, gradient->input_count, slope);
            assert_near(what, name, inputs, value, slope);
        }
    }
    mpfr_clears(value, slope, (mpfr_ptr)0);
}

static struct spec *parse_with(arena *memory, const char *format, const char *name)
{
    struct text t = text_new(memory);
    text_add(&t, format, name);
    return parse_text(memory, t.data);
}

static void check_builtin(void *context, const struct spec_builtin_info *info, const struct spec *spec,
                          arena *memory)
{
    (void)context;
    /* The slopes of a kernel with draws are tested by test_draws. */
    if (spec->kernels[0].made_count) return;
    double low, high;
    range_of_builtin(info->name, &low, &high);
    /* digamma has one gradient, and trigamma has none. */
    if (!strcmp(info->name, "digamma") || !strcmp(info->name, "trigamma")) return;
    const struct spec *s =
        parse_with(memory, "kernel first = gradient %s\nkernel second = gradient first", info->name);
    check_gradient(info->name, &spec->kernels[0], s, &s->kernels[0], low, high);
    check_gradient(info->name, &s->kernels[0], s, &s->kernels[1], low, high);
}

/* Parses a file that needs the slope of trigamma, and returns true if it is refused as not yet known. */
static bool is_refused(const char *text)
{
    arena *memory = test_memory();
    struct spec *spec;
    struct diag d = {0};
    const int status = spec_parse(&spec, memory, "test.act", text, strlen(text), &d);
    const bool names_it = strstr(d.message, "`trigamma` has no derivative in this version") != NULL;
    arena_free(memory);
    return status == DIAG_NOT_YET && names_it;
}

static void trigamma_has_no_gradient(void **state)
{
    (void)state;
    static const char k[] = "kernel k(x: f32) -> (y: f32) { y = ";
    static const char *const refused[] = {"trigamma(x)*x }\nkernel g = gradient k",
                                          "diff(trigamma(2*x), x) }",
                                          "digamma(x) }\nkernel f = gradient k\nkernel g = gradient f",
                                          "diff(diff(diff(lgamma(x), x), x), x) }"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", k, refused[i]);
        if (!is_refused(text)) fail_msg("%s", text);
    }
    arena *memory = test_memory();
    const char *accepted =
        "kernel k(x: f32, z: f32) -> (y: f32) { y = trigamma(z)*x }\n"
        "kernel g = gradient k of x\nkernel c(x: f32) -> (y: f32) { y = if trigamma(x) > 1 then x^2 else x "
        "}\n"
        "kernel d = gradient c\nkernel s(x: f32) -> (y: f32) { y = x*floor(trigamma(x)) }\n"
        "kernel t = gradient s\nkernel h(x: f32) -> (y: f32) { y = diff(diff(lgamma(x), x), x) }";
    parse_text(memory, accepted);
    arena_free(memory);
}

static void builtins_have_their_gradients(void **state)
{
    (void)state;
    assert_true(for_each_builtin(check_builtin, NULL) > 45);
}

/* ---- kernels: several results, chains, casts, packed operands ---- */

static const char *const kernels[] = {
    "kernel k(a: f32, b: f64) -> (y: f32, z: f32) { y = a*exp(b)\n z = a/(1 + b^2) }",
    "kernel k([gate | up]: bf16, old: f32) -> ([y, z]: bf16) { g = gate*old\n y = gelu(g)*up\n z = silu(g + "
    "up) }",
    "kernel k(a: f16, b: f16) -> (y: f16) { y = f16(tanh(a*b))*softplus(bf16(a - b)) }",
    "kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = max(a*b, min(c, sigmoid(a/(3 + b^2))))/(2 + sin(c)) "
    "}",
    "kernel k(x: f32, s: f32) -> (y: f32, dx: f32) { y = swish(x, beta = s)\n dx = diff(swish(x, beta = s), "
    "x) }",
    "kernel k(x: f32, s: f32) -> (y: f32) { y = if x*s > 0 then x else s*expm1(x) }",
};

static void kernels_have_their_gradients(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        arena *memory = test_memory();
        struct spec *s =
            parse_with(memory, "%s\nkernel first = gradient k\nkernel second = gradient first", kernels[i]);
        check_gradient(kernels[i], &s->kernels[0], s, &s->kernels[1], -4, 8);
        check_gradient(kernels[i], &s->kernels[1], s, &s->kernels[2], -4, 8);
        arena_free(memory);
    }
}

/* ---- from the result ---- */

static const double points[] = {0, -0.0, 1,       -1,       2,   -2,   3,   -3,  4,
                                6, 7,    0x1p-30, -0x1p-30, 0.3, -0.7, 5.1, -5.1};

/* Checks that the gradient from y at y(x) is the gradient from x, also at kinks. */
static void check_from(const char *what, const struct spec *s, const struct spec_kernel *of,
                       const struct spec_kernel *direct, const struct spec_kernel *from)
{
    mpfr_t value, wanted;
    mpfr_inits2(PRECISION, value, wanted, (mpfr_ptr)0);
    const expr *y = expr_import(s->dag, of->results[0].value);
    const expr *at_y = expr_substitute(s->dag, from->results[0].value, expr_input(s->dag, 0), y);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const double inputs[2] = {points[i], 1.25};
        precise_value(what, without_casts(s->dag, at_y), inputs, 2, value);
        precise_value(what, without_casts(s->dag, direct->results[0].value), inputs, 2, wanted);
        assert_near(what, "from y", inputs, value, wanted);
    }
    mpfr_clears(value, wanted, (mpfr_ptr)0);
}

static const char *const with_form[] = {
    "tanh",       "sigmoid", "softplus",  "relu",   "relu6", "hardtanh",       "hardsigmoid",
    "leaky_relu", "prelu",   "threshold", "elu",    "celu",  "selu",           "logsigmoid",
    "exp",        "expm1",   "rrelu",     "linear", "neg",   "sparse_sigmoid", "softcap"};

/* Checks a built-in. The gradient from the result must be right where it exists, and it exists for the
 * formulas above. */
static void check_builtin_from(void *context, const struct spec_builtin_info *info, const struct spec *spec,
                               arena *memory)
{
    struct diag error = {0};
    struct spec *s;
    struct text t = text_new(memory);
    text_add(&t, "kernel direct = gradient %s\nkernel from = gradient %s from y", info->name, info->name);
    if (spec_parse(&s, memory, NULL, t.data, t.length, &error)) {
        for (size_t i = 0; i < sizeof with_form / sizeof *with_form; i++)
            if (!strcmp(info->name, with_form[i])) fail_msg("%s: %s", info->name, error.message);
        return;
    }
    check_from(info->name, s, &spec->kernels[0], &s->kernels[0], &s->kernels[1]);
    ++*(size_t *)context;
}

static const char *const formulas_with_form[] = {
    "if x <= 0 then x/2 else 3*x + 1",
    "if x < 3 then x - 1 else 2*x",
    "if x >= 1 then x else x/2",
    "if x > 0 then 2*x else 0",
    "-tanh(1 - 3*x)",
    "2 - sigmoid(x/2 + 1)*4",
    "leaky_relu(x, slope = 0)",
    "elu(x, alpha = 3)",
    "elu(x, alpha = 1/3)/7 - 2",
    "min(max(2*x, -1), 5)",
    "bf16(tanh(x))",
};

static void gradients_from_results(void **state)
{
    (void)state;
    size_t forms = 0;
    for_each_builtin(check_builtin_from, &forms);
    assert_int_equal(forms, sizeof with_form / sizeof *with_form);
    for (size_t i = 0; i < sizeof formulas_with_form / sizeof *formulas_with_form; i++) {
        arena *memory = test_memory();
        struct spec *s = parse_with(memory,
                                    "kernel k(x: f32) -> (y: f32) { y = %s }\n"
                                    "kernel direct = gradient k\nkernel from = gradient k from y",
                                    formulas_with_form[i]);
        check_from(formulas_with_form[i], s, &s->kernels[0], &s->kernels[1], &s->kernels[2]);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builtins_have_their_gradients),
        cmocka_unit_test(trigamma_has_no_gradient),
        cmocka_unit_test(kernels_have_their_gradients),
        cmocka_unit_test(gradients_from_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
