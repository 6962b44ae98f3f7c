/* Plans of f64: every function that is listed keeps its bound on inputs that the planner has not seen, on every profile,
 * by the interpreter against MPFR.
 *
 * ACTGEN_WIDE_REPORT=1 prints the plans; ACTGEN_WIDE_ONLY=text tries the formulas with that text alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "f64_plan.h"
#include "lower.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

/* y = formula of x, both f64. */
static int plan(struct lowered **out, arena *memory, const char *formula, const char *bound,
                const char *isa_name, struct plan_search *search, struct diag *error)
{
    char text[400];
    struct spec *s;
    const struct target_isa *isa = target_isa_find(isa_name);
    snprintf(text, sizeof text, "kernel k(x: f64) -> (y: f64) { accuracy %s; y = %s }", bound, formula);
    int status = spec_parse(&s, memory, NULL, text, strlen(text), error);
    if (status) return status;
    struct lower_request request = {
        .spec = s,
        .kernel = &s->kernels[0],
        .bound = s->kernels[0].bound,
        .profile = {isa->profile.name, isa->profile.fma, isa->profile.lookup_f32, isa->profile.lookup_f64},
        .costs = &isa->costs,
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
    {"silu(x)", "3 ulp", ALL},
    {"mish(x)", "3 ulp", AVX512},
    {"laplace(x)", "3 ulp", AVX512},
    {"exp(x)", "1 ulp", ALL},
    {"expm1(x)", "1 ulp", X86_64},
    {"log(x)", "1 ulp", ALL},
    {"log1p(x)", "1 ulp", AVX2},
    {"tanh(x)", "1 ulp", AVX2},
    {"sigmoid(x)", "1.25 ulp", X86_64},
    {"erf(x)", "1 ulp", AVX2},
    {"erfc(x)", "1.25 ulp", X86_64},
    {"normcdf(x)", "1.25 ulp", AVX512},
    {"softplus(x)", "1.25 ulp", AVX2},
    {"sin(x)", "1 ulp", ALL},
    {"cos(x)", "1 ulp", AVX512},
    {"sqrt(x)", "0.5 ulp", X86_64},
    {"diff(gelu(x), x)", "3 ulp", ALL},
    {"diff(silu(x), x)", "3 ulp", AVX2},
    {"diff(mish(x), x)", "3 ulp", X86_64},
    {"diff(tanh(x), x)", "3 ulp", AVX512},
    {"diff(sigmoid(x), x)", "3 ulp", AVX512},
    {"diff(softplus(x), x)", "3 ulp", AVX512},
    {"diff(elu(x), x)", "3 ulp", AVX512},
    {"diff(tanhshrink(x), x)", "3 ulp", AVX512},
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

/* On inputs of its own. */
static struct tally measure(const struct lowered *l, arena *memory, unsigned inputs)
{
    const struct lowered_piece *piece = &l->pieces[0];
    struct tally t = {0};
    struct judged_piece judged = {
        .written = piece->written, .simplified = piece->simplified, .bound = piece->bound};
    reference *truth = reference_create(piece->written, piece->simplified, 1);
    assert_non_null(truth);
    double *x = arena_alloc(memory, inputs * sizeof *x), *y = arena_alloc(memory, inputs * sizeof *y);
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
    x[0] = 0x1.6ac5b262ca1ffp+849; /* the nearest to a multiple of pi/2 */
    assert_true(f64_run(piece->plan->program, x, y, inputs));
    f64_judge_block(&t, &judged, truth, x, y, inputs);
    reference_free(truth);
    return t;
}

static void plans_keep_their_bounds(void **state)
{
    (void)state;
    unsigned wrong = 0;
    const bool report = getenv("ACTGEN_WIDE_REPORT");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum profiles isa = AVX512; isa <= X86_64; isa++) {
            if (!is_wanted(cases[i].formula, cases[i].profile, isa)) continue;
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
                const struct tally t = measure(l, memory, report ? 8000 : 400);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_keep_their_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
