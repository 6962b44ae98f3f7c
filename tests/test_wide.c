/* Tests of plans of f64. Every listed function keeps its bound on inputs that the planner has not seen, on
 * every profile, by the interpreter against MPFR.
 *
 * ACTGEN_WIDE_REPORT=1 prints the plans of all. ACTGEN_WIDE_ONLY=text tries only the formulas with that
 * text, on all profiles. ACTGEN_WIDE_INPUTS=n measures on that many inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isas.h"
#include "judge.h"
#include "llvm_subject.h"
#include "lower.h"
#include "measure.h"
#include "plan.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

/* Plans y = formula of x, both f64. */
static int plan(struct lowered **out, arena *memory, const char *formula, const char *bound,
                const char *isa_name, struct plan_search *search, struct diag *error)
{
    char text[400];
    struct spec *s;
    const struct target_isa *isa = target_isa_find(isa_name);
    snprintf(text, sizeof text, "kernel k(x: f64) -> (y: f64) { accuracy %s; y = %s }", bound, formula);
    int status = spec_parse(&s, memory, NULL, text, strlen(text), error);
    if (status) return status;
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = s->kernels[0].bound,
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {find, search}};
    return lower_kernel(out, &request, error);
}

enum profiles { ALL, AVX512, AVX2, X86_64 };
static const char *const isa_names[] = {"", "avx512", "avx2", "x86-64"};

static const struct {
    const char *formula, *bound;
    enum profiles profile;
} cases[] = {
    {"relu(x)", "3 ulp", AVX512},
    {"leaky_relu(x)", "3 ulp", AVX512},
    {"prelu(x)", "3 ulp", AVX512},
    {"relu6(x)", "3 ulp", AVX512},
    {"relu2(x)", "3 ulp", AVX512},
    {"threshold(x)", "3 ulp", AVX512},
    {"hardtanh(x)", "3 ulp", AVX512},
    {"hardsigmoid(x)", "3 ulp", AVX512},
    {"hardswish(x)", "3 ulp", AVX512},
    {"hardshrink(x)", "3 ulp", AVX512},
    {"softshrink(x)", "3 ulp", AVX512},
    {"elu(x)", "3 ulp", AVX512},
    {"celu(x)", "3 ulp", AVX512},
    {"selu(x)", "3 ulp", AVX512},
    {"xielu(x)", "3 ulp", AVX512},
    {"logsigmoid(x)", "3 ulp", AVX512},
    {"softplus_threshold(x)", "3 ulp", AVX512},
    {"softsign(x)", "3 ulp", AVX512},
    {"tanhshrink(x)", "3 ulp", AVX512},
    {"gelu(x)", "3 ulp", ALL},
    {"gelu_tanh(x)", "3 ulp", X86_64},
    {"gelu_sigmoid(x)", "3 ulp", AVX512},
    {"silu(x)", "3 ulp", AVX2},
    {"mish(x)", "3 ulp", AVX512},
    {"exp(x)", "1 ulp", X86_64},
    {"expm1(x)", "1 ulp", X86_64},
    {"log(x)", "1 ulp", AVX2},
    {"log1p(x)", "1 ulp", AVX2},
    {"tanh(x)", "1 ulp", AVX2},
    {"sigmoid(x)", "1.25 ulp", X86_64},
    {"erf(x)", "1 ulp", AVX2},
    {"erfc(x)", "1.25 ulp", X86_64},
    {"normcdf(x)", "1.25 ulp", AVX512},
    {"softplus(x)", "1.25 ulp", AVX2},
    {"sin(x)", "1 ulp", X86_64},
    {"cos(x)", "1 ulp", AVX512},
    {"sqrt(x)", "0.5 ulp", X86_64},
    {"1/sqrt(x)", "1.2 ulp", ALL},
    {"diff(gelu(x), x)", "3 ulp", AVX512},
    {"diff(silu(x), x)", "3 ulp", AVX2},
    {"diff(mish(x), x)", "3 ulp", X86_64},
    {"diff(sigmoid(x), x)", "3 ulp", AVX512},
    {"diff(softplus(x), x)", "3 ulp", AVX512},
    {"diff(elu(x), x)", "3 ulp", AVX512},
    {"gelu(x)", "abs 2^-50", AVX512},
    {"tanh(x)", "abs 2^-45", X86_64},
    {"x^0.3", "3 ulp", AVX2},
    {"sin(x)/x", "3 ulp", AVX512},
    {"exp(-x^2/2)", "3 ulp", X86_64},
};

static bool is_wanted(const char *formula, enum profiles row, enum profiles isa)
{
    const char *only = getenv("ACTGEN_WIDE_ONLY");
    if (only) return strstr(formula, only);
    return row == ALL || row == isa || getenv("ACTGEN_WIDE_REPORT");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set_inputs(double *x, unsigned inputs)
{
    uint64_t state = 12345;
    for (unsigned i = 0; i < inputs; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double u = (double)(state >> 11) * 0x1p-53;
        const int kind = (int)(i % 8);
        x[i] = kind < 4   ? (u - 0.5) * 16
               : kind < 6 ? (u - 0.5) * 1500
                          : ldexp(u - 0.5, (int)(state >> 3 & 2047) - 1023);
        if (kind == 7) x[i] = ldexp(u - 0.5, -(int)(state >> 3 & 63));
    }
    /* The nearest double to a multiple of pi/2. */
    x[0] = 0x1.6ac5b262ca1ffp+849;
    /* A subnormal number, whose root has a square with a rounding error below all doubles. */
    x[1] = 5.68329729351484e-309;
}

/* Measures the error on inputs of its own. */
static struct tally measure(const struct lowered *l, arena *memory, unsigned inputs)
{
    const struct piece *piece = &l->pieces[0];
    struct tally t = {0};
    struct judge *j = arena_alloc(memory, sizeof *j);
    assert_true(judge_init(j, piece));
    double *x = arena_alloc(memory, inputs * sizeof *x), *y = arena_alloc(memory, inputs * sizeof *y);
    set_inputs(x, inputs);
    assert_true(program_values(piece->plan->program, ELEMENT_F64, x, y, inputs));
    judge_f64_block(j, x, y, inputs, true, &t);
    judge_clear(j);
    return t;
}

/* ---- the judge ---- */

static const struct {
    double computed, high;
    long exponent;
    double low, x, ulp;
} errors[] = {
    {1, 1, 0, 0, 0.5, 0},
    {1, 1, 0, 0x1p-53, 0.5, 0.5},
    {1.5, 1.5, 0, -0x1p-53, 0.5, 0.5},
    {0x1.0000000000001p0, 1, 0, 0, 0.5, 1},
    {1, 0x1.fffffffffffffp0, -1, 0, 0.5, 1}, /* Below a power of two, ulps are half as large. */
    {0x1p-1074, 1, -1074, 0, 0.5, 0},
    {0x1p-1074, 1, -1075, 0, 0.5, 0.5},
    {0, 1, -1075, 0, 0.5, 0.5},
    {0, 1, -3000, 0, 0.5, 0},
    {-0.0, 1, -3000, 0, 0.5, INFINITY}, /* The sign of the zero is wrong. */
    {INFINITY, 1, 1024, 0, 0.5, 0},     /* Infinity counts as 2^1024. */
    {INFINITY, 0x1.fffffffffffffp0, 1023, 0, 0.5, 1},
    {0x1.fffffffffffffp1023, 1, 5000, 0, 0.5, 1},
    /* A limit must be exact. */
    {0x1.fffffffffffffp1023, INFINITY, 0, 0, INFINITY, INFINITY},
    {NAN, NAN, 0, 0, 0.5, 0},
    {1, NAN, 0, 0, 0.5, INFINITY},
    {NAN, 1, 0, 0, 0.5, INFINITY},
};

static void errors_are_in_the_exact_values_ulps(void **state)
{
    (void)state;
    unsigned wrong = 0;
    const struct float_format *format = &element_types[ELEMENT_F64].format;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const struct exact_value exact = {
            .high = errors[i].high, .low = errors[i].low, .exponent = errors[i].exponent};
        const struct result_error e = result_error_of(format, errors[i].computed, &exact, errors[i].x, true);
        const struct result_error free_sign =
            result_error_of(format, errors[i].computed, &exact, errors[i].x, false);
        if (e.ulp == errors[i].ulp && (free_sign.ulp == e.ulp || errors[i].computed == 0)) continue;
        fprintf(stderr, "%g for %g 2^%ld: %g ulp, not %g\n", errors[i].computed, errors[i].high,
                errors[i].exponent, e.ulp, errors[i].ulp);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* Checks that a wrong result anywhere is counted: the last bits of a constant, a sign of zero,
 * and a lost NaN. */
static void wrong_results_are_counted(void **state)
{
    (void)state;
    arena *memory = test_memory();
    const struct spec *s = parse_expression(memory, "exp(x)");
    const expr *e = s->kernels[0].results[0].value;
    const double x[] = {1, -800, NAN, -(double)INFINITY, 710, 0.5};
    const double y[] = {0x1.5bf0a8b145769p+1, -0.0, 1, 0, INFINITY, 0x1.a61298e1e069cp+0};
    struct piece piece = {.written = e,
                          .simplified = e,
                          .bound = {.kind = BOUND_ULP, .value = 1},
                          .argument = ELEMENT_F64,
                          .result = ELEMENT_F64};
    struct judge *j = arena_alloc(memory, sizeof *j);
    struct tally t = {0};
    assert_true(judge_init(j, &piece));
    judge_f64_block(j, x, y, 6, true, &t);
    assert_int_equal(t.inputs, 6);
    assert_int_equal(t.wrong, 2);
    assert_true(t.max_ulp == INFINITY);
    piece.bound.value = 0.5;
    t = (struct tally){0};
    judge_f64_block(j, x + 5, y + 5, 1, true, &t);
    assert_int_equal(t.wrong, 0);
    const double next = 0x1.a61298e1e069dp+0;
    judge_f64_block(j, x + 5, &next, 1, true, &t);
    assert_int_equal(t.wrong, 1);
    judge_clear(j);
    arena_free(memory);
}

/* ---- plans ---- */

static void refusals_say_the_best(void **state)
{
    (void)state;
    arena *memory = test_memory();
    struct lowered *l;
    struct diag error = {0};
    struct plan_search search = {text_new(memory)};
    assert_int_equal(plan(&l, memory, "exp(x)", "0.5 ulp", "avx512", &search, &error), DIAG_ACCURACY);
    assert_non_null(strstr(error.message, "the best found: extended, 0."));
    arena_free(memory);
}

static void plans_keep_their_bounds(void **state)
{
    (void)state;
    unsigned wrong = 0;
    const bool report = getenv("ACTGEN_WIDE_REPORT");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum profiles isa = AVX512; isa <= X86_64; isa++) {
            if (!is_wanted(cases[i].formula, cases[i].profile, isa) || !is_row_tried(i, 6)) continue;
            arena *memory = test_memory();
            struct lowered *l = NULL;
            struct diag error = {0};
            struct plan_search search = {text_new(memory)};
            const double start = seconds();
            int status = plan(&l, memory, cases[i].formula, cases[i].bound, isa_names[isa], &search, &error);
            const double took = seconds() - start;
            if (report && search.log.data) fprintf(stderr, "%s", search.log.data);
            if (status) {
                fprintf(stderr, "%s, %s on %s: %s (%.2f s)\n", cases[i].formula, cases[i].bound,
                        isa_names[isa], error.message, took);
                wrong++;
            } else {
                const char *inputs = getenv("ACTGEN_WIDE_INPUTS");
                const struct tally t = measure(l, memory, inputs ? (unsigned)atoi(inputs) : 400);
                const struct plan *p = l->pieces[0].plan;
                const bool bad = t.wrong || t.undecided;
                wrong += bad;
                if (bad || report)
                    fprintf(stderr,
                            "%s %s, %s on %s: %.3g ulp at %.17g (%.3g planning), %.2g abs, %u ops, cost "
                            "%.1f, %s, %.2f s\n",
                            bad ? "WRONG" : "good", cases[i].formula, cases[i].bound, isa_names[isa],
                            t.max_ulp, tally_place(t.max_ulp_at, ELEMENT_F64), p->measured.max_ulp, t.max_abs,
                            p->program->count, p->cost, p->shape, took);
            }
            arena_free(memory);
        }
    assert_int_equal(wrong, 0);
}

/* ---- machine code ---- */

static void machine_code_gives_the_interpreters_bits(void **state)
{
    (void)state;
    static const struct {
        const char *formula, *isa;
    } rows[] = {{"gelu(x)", "avx512"}, {"gelu(x)", "avx2"},  {"gelu(x)", "x86-64"}, {"silu(x)", "x86-64"},
                {"mish(x)", "avx512"}, {"log1p(x)", "avx2"}, {"sin(x)", "x86-64"}};
    enum { INPUTS = 1000 };
    struct diag error = {0};
    struct backend_options options = {0};
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!target_isa_runs_here(target_isa_find(rows[i].isa)) || !is_row_tried(i, 3)) continue;
        arena *memory = test_memory();
        struct lowered *l;
        struct plan_search search = {text_new(memory)};
        if (plan(&l, memory, rows[i].formula, "3 ulp", rows[i].isa, &search, &error))
            fail_msg("%s", error.message);
        double x[INPUTS], expected[INPUTS], computed[INPUTS];
        set_inputs(x, INPUTS);
        assert_true(program_values(l->kernel.program, ELEMENT_F64, x, expected, INPUTS));
        struct subject s = {.kernel = l->kernel, .memory = memory};
        s.function = (struct backend_function){
            .kernel = &s.kernel, .symbol = "kernel", .isa = target_isa_find(rows[i].isa)};
        compile(&s, &options);
        const struct operand operands[2] = {{x, 0}, {computed, 0}};
        s.run(1, INPUTS, operands);
        for (size_t k = 0; k < INPUTS; k++) {
            if (!memcmp(&computed[k], &expected[k], sizeof *x) || (isnan(computed[k]) && isnan(expected[k])))
                continue;
            if (wrong++ < 5)
                fprintf(stderr, "%s on %s: %.17g for %.17g at %.17g\n", rows[i].formula, rows[i].isa,
                        computed[k], expected[k], x[k]);
        }
        dispose(&s);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_in_the_exact_values_ulps), cmocka_unit_test(wrong_results_are_counted),
        cmocka_unit_test(refusals_say_the_best), cmocka_unit_test(machine_code_gives_the_interpreters_bits),
        cmocka_unit_test(plans_keep_their_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
