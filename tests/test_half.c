/* Tests functions of one operand of 8 or 16 bits. For each of its 256 or 65,536 values, the result is the
 * exact value rounded to nearest, ties to even. This includes subnormals, infinities, NaN and the signs of
 * zeros.
 *
 * usage: test_half TYPE ISA [STEP]
 *
 * The test takes every built-in of one operand and the formulas below, or each STEP-th of them. Operand and
 * result have that TYPE. The plan is for the instruction set, and the interpreter runs it in its own types.
 * The plans stay in the cache, where test_matrix finds them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "answers.h"
#include "element.h"
#include "interp.h"
#include "part.h"
#include "store.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static enum element_type type;
static const struct target_isa *isa;
static cache *plans; /* The cache in ACTGEN_CACHE_DIR, or NULL. */
static unsigned seen, step = 1;

enum { MOST_INPUTS = 1 << 16 };

/* Formulas with derivatives, poles, kinks or cancellation, and formulas without symmetry. */
static const char *const formulas[] = {
    "diff(gelu(x), x)",
    "diff(silu(x), x)",
    "diff(tanh(x), x)",
    "diff(gelu_tanh(x), x)",
    "diff(sigmoid(x), x)",
    "1/x",
    "x/3",
    "exp(-x^2)",
    "x*exp(-x)",
    "log(1 + x^2)",
    "1 - x",
    "x*1e-3",
    "if x > 1 then silu(x) else x/2",
    "gelu(2*x - 1)", /* Some values are within 2^-188000 of a tie. */
    "mish(2*x - 1)",
    "logsigmoid(2*x - 1)",
    "exp(x) - 1 - x", /* Some values differ from a tie only by the second term of the series. */
    /* Small and large x come near ties, which different terms break. */
    "x*tanh(0.625*x) + 0.375*x",
    "sin(3*x)",
    "x*gelu(x)",
    "sqrt(x)*3",
    "expm1(x)/2",
    "sin(x)/x",
};

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct planning planning = {.cache = plans, .search = {text_new(expr_dag_memory(request->dag))}};
    const struct planner planner = planner_of(&planning);
    *(struct plan_request *)context = *request;
    const int status = planner.find(planner.context, out, request, error);
    planning_clear(&planning);
    return status;
}

static bool report(const char *formula, const char *what, double x, double y, double right)
{
    fprintf(stderr, "%s, %s, %s: %s: %.9g gives %.9g, not %.9g\n", formula, element_types[type].name,
            isa->name, what, x, y, right);
    return false;
}

/* Returns the number of the instruction set in a cycle of `sets` sets. */
static uint32_t place_among(uint32_t sets)
{
    uint32_t number = 0;
    while (target_isa_at(number) != isa) number++;
    return number % sets;
}

/* Checks at every 61st input that the quick ways to the right answers agree with the reference. Answers
 * are the same for all instruction sets, so each set checks a third of them. */
static bool check_answers(const char *formula, const struct answers *a, const struct plan_request *request)
{
    enum { STRIDE = 61, SETS = 3 };
    const struct element_type_info *t = &element_types[type];
    reference *truth = reference_create(request->piece.written, request->piece.simplified, 1);
    bool good = true;
    assert_non_null(truth);
    for (uint32_t n = STRIDE * place_among(SETS); n < a->count && good; n += STRIDE * SETS) {
        const double x = (double)a->x[n];
        double right;
        if (isnan(x) || reference_rounded_far(truth, &x, &t->format, &right) != REFERENCE_DECIDED) continue;
        const bool same = isnan(right) ? isnan(a->right[n]) : (double)a->right[n] == right;
        if (!same) good = report(formula, "the planner's answer", x, (double)a->right[n], right);
    }
    reference_free(truth);
    return good;
}

/* Checks all values of the type, through the kernel as a caller would call it. */
static bool check_results(const char *formula, const struct answers *a, const struct lane_kernel *kernel)
{
    static uint16_t in[MOST_INPUTS], out[MOST_INPUTS]; /* Arrays with room for either size. */
    const struct element_type_info *t = &element_types[type];
    const uint32_t inputs = plan_input_count(type);
    const struct kernel_row rows[2] = {{in, 1, 0}, {out, 1, 0}};
    interp *run = interp_create_kernel(kernel);
    bool good = true;
    assert_non_null(run);
    assert_int_equal(a->count, inputs);
    for (uint32_t n = 0; n < inputs; n++) element_set(in, type, n, n);
    interp_run_row(run, rows, inputs);
    /* Answers come in the order of the bits. */
    for (uint32_t n = 0; n < inputs && good; n++) {
        const uint64_t right = t->near((double)a->right[n]), y = element_get(out, type, n);
        const bool same =
            element_same(type, y, right) || (a->any_sign[n] && t->value(y) == 0 && t->value(right) == 0);
        if (!same) good = report(formula, "result", t->value(n), t->value(y), t->value(right));
    }
    interp_free(run);
    return good;
}

/* Finds the answers of a formula that needs no plan, such as -x: the reference decides each. */
static void find_plain_answers(struct answers *out, arena *memory, const struct spec *s)
{
    const struct element_type_info *t = &element_types[type];
    const expr *value = s->kernels[0].results[0].value;
    const uint32_t inputs = plan_input_count(type);
    reference *truth = reference_create(value, value, 1);
    assert_non_null(truth);
    *out = (struct answers){.count = inputs,
                            .right = arena_alloc(memory, inputs * sizeof *out->right),
                            .any_sign = arena_alloc(memory, inputs * sizeof *out->any_sign)};
    for (uint32_t n = 0; n < inputs; n++) {
        const double x = t->value(n);
        double right = NAN;
        if (!isnan(x))
            assert_int_equal(reference_rounded_far(truth, &x, &t->format, &right), REFERENCE_DECIDED);
        out->right[n] = (float)right;
    }
    reference_free(truth);
}

static bool check(arena *memory, const char *formula)
{
    char text[256];
    struct plan_request asked;
    struct lowered *l;
    struct diag error = {0};
    struct answers answers;
    struct answers_asked asked_values = {0};
    const char *name = element_types[type].name;
    if (seen++ % step) return true;
    snprintf(text, sizeof text, "kernel k(x: %s) -> (y: %s) { y = %s }", name, name, formula);
    const struct spec *s = parse_text(memory, text);
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, &asked}};
    if (lower_kernel(&l, &request, &error)) {
        fprintf(stderr, "%s, %s, %s: %s\n", formula, name, isa->name, error.message);
        return false;
    }
    if (!l->piece_count) {
        find_plain_answers(&answers, memory, s);
        return check_results(formula, &answers, &l->kernel);
    }
    reference *truth = reference_create(asked.piece.written, asked.piece.simplified, 1);
    assert_non_null(truth);
    assert_true(answers_find(&answers, &asked, truth, &asked_values));
    answers_settle(&answers);
    answers_free(&answers);
    reference_free(truth);
    const struct tally *m = &l->pieces[0].plan->measured;
    return m->max_ulp <= 0.5 && !m->wrong && !answers.unknown &&
           l->pieces[0].plan->swept == plan_input_count(type) && check_answers(formula, &answers, &asked) &&
           check_results(formula, &answers, &l->kernel);
}

static void check_builtin(void *context, const struct spec_builtin_info *info, const struct spec *spec,
                          arena *memory)
{
    char formula[64];
    if (spec->kernels[0].input_count > 1) return;
    snprintf(formula, sizeof formula, "%s(x)", info->name);
    *(unsigned *)context += !check(memory, formula);
}

static void results_are_correctly_rounded(void **state)
{
    unsigned wrong = 0;
    (void)state;
    if (type == ELEMENT_TYPE_COUNT) fail_msg("no such type");
    assert_true(for_each_builtin(check_builtin, &wrong) > 40);
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        arena *memory = test_memory();
        wrong += !check(memory, formulas[i]);
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_correctly_rounded)};
    struct diag why = {0};
    if (count < 3 || !(isa = target_isa_find(arguments[2]))) {
        fprintf(stderr, "usage: test_half TYPE ISA [STEP]\n");
        return 2;
    }
    plans = cache_open(NULL, 0, &why);
    step = step_argument(count, arguments, 3);
    while (type < ELEMENT_TYPE_COUNT && strcmp(arguments[1], element_types[type].name)) type++;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cache_close(plans);
    return failed;
}
