/* Tests of correct rounding: the repair of programs, what is known near 0, and sweeps that find
 * wrong results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact_sweep.h"
#include "factored_exp.h"
#include "interp.h"
#include "judge.h"
#include "plan.h"
#include "shape.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct subject {
    arena *memory;
    struct plan_request request;
    struct traits *traits;
};

static void open_subject(struct subject *s, const char *formula, const char *bound)
{
    const struct target_isa *isa = target_isa_find("avx512");
    struct diag error = {0};
    s->memory = test_memory();
    expr_dag *dag = expr_dag_create(s->memory, MOST_NODES);
    const expr *written = parse_formula(dag, formula);
    s->request = (struct plan_request){.dag = dag,
                                       .piece.written = written,
                                       .piece.simplified = expr_simplify(dag, written, NULL),
                                       .profile = isa->profile,
                                       .costs = isa->costs};
    if (spec_parse_bound(&s->request.piece.bound, s->memory, bound, strlen(bound), &error))
        fail_msg("%s", error.message);
    s->traits = traits_create(s->memory, written, s->request.piece.simplified, false, NULL);
    assert_non_null(s->traits);
}

static void close_subject(struct subject *s)
{
    traits_free(s->traits);
    arena_free(s->memory);
}

static float run(const lane_program *p, float x)
{
    float y = 0;
    double value = 0;
    void *operands[3] = {&x, &y, &value};
    interp *i = interp_create(p);
    assert_non_null(i);
    interp_run(i, operands, 1);
    interp_free(i);
    return y;
}

static float rounded(struct subject *s, float x)
{
    double value, input = (double)x;
    assert_int_equal(reference_rounded(s->traits->truth, &input, &element_types[ELEMENT_F32].format, &value),
                     REFERENCE_DECIDED);
    return (float)value;
}

/* ---- plans ---- */

static const struct {
    const char *formula, *bound, *shape;
    /* Hard cases that sweeps found, inputs next to ties of tiny inputs, and inputs with subnormal results. */
    float inputs[6];
} plans[] = {
    {"relu(x)", "0.5 ulp", "direct", {0, -1, 0x1p-149f, 3, -0x1p-140f, INFINITY}},
    {"x/3", "0.5 ulp", "direct", {1, 0x1p-149f, 0x3p-149f, 0x1.fffffep127f, 10, -7}},
    {"x/2", "0.5 ulp", "direct", {0x1p-149f, 0x3p-149f, 0x5p-149f, 0x7p-149f, -0x3p-149f, 1}},
    {"1/x", "0.5 ulp", "direct", {3, 0x1.fffffep127f, -0x1p127f, 0x1p-149f, 7, 10}},
    {"sqrt(x)", "0.5 ulp", "direct", {2, 3, 0x1p-149f, 0x1.fffffep127f, 5, 10}},
    {"x*x", "0.5 ulp", "direct", {0x1p-75f, 0x1.8p-75f, 0x1.000002p0f, 0x1.fffffep63f, 3, -0x1.234566p1f}},
    {"exp(x)", "0.5 ulp on [-104, -103]", "wide", {-103.5f, -103.25f, -103.97f, -103.98f, -104, -103}},
    {"gelu(x)", "0.5 ulp on [-14.5, -14]", "wide", {-14.25f, -14.3f, -14.35f, -14.36f, -14.5f, -14.0f}},
    /* The formula is 0.7 x + ... near 0: about every tenth input is a tie of 0.7 x. */
    {"x*sigmoid(1.7*x) + 0.2*sin(x)",
     "0.5 ulp on [0x1p-146, 0x1p-126]",
     "wide",
     {0x1.ep-146f, 0x1.18p-144f, 0x1.b8p-144f, 0x1.2cp-143f, 0x1.7cp-143f, 0x1.ccp-143f}},
};

static void plans_round_correctly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        struct subject s;
        struct plan *plan;
        struct diag error = {0};
        open_subject(&s, plans[i].formula, plans[i].bound);
        struct plan_search search = {text_new(s.memory)};
        if (plan_find(&plan, &s.request, &search, &error))
            fail_msg("%s: %s", plans[i].formula, error.message);
        if (strncmp(plan->shape, plans[i].shape, strlen(plans[i].shape)) != 0)
            fail_msg("%s: %s", plans[i].formula, plan->shape);
        for (int k = 0; k < 6; k++)
            if (run(plan->program, plans[i].inputs[k]) != rounded(&s, plans[i].inputs[k]))
                fail_msg("%s at %a", plans[i].formula, (double)plans[i].inputs[k]);
        assert_true(isnan(run(plan->program, NAN)));
        close_subject(&s);
    }
}

static void what_one_rounding_keeps(void **state)
{
    static const struct {
        const char *formula;
        bool exact;
    } cases[] = {{"relu(x)", true}, {"x*x", true},      {"max(x, 0.25)/3 ", true}, {"x*x*x", false},
                 {"0.1*x", false},  {"x/3 + 1", false}, {"2*x + 1", true},         {"sqrt(x) - 1", false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject s;
        open_subject(&s, cases[i].formula, "0.5 ulp");
        struct candidate list[16];
        struct polynomial_cache cache = {.memory = s.memory};
        const struct shape_context context = {
            .request = &s.request, .traits = s.traits, .cache = &cache, .memory = s.memory};
        assert_true(composed_candidates(list, 16, &context) > 0);
        if (exact_by_construction(list[0].program, s.request.piece.written) != cases[i].exact)
            fail_msg("%s", cases[i].formula);
        close_subject(&s);
    }
}

/* ---- near 0 ---- */

static void how_functions_begin(void **state)
{
    static const struct {
        const char *formula;
        double c[2];
        int next[2];
    } cases[] = {{"gelu(x)", {0.5, 0.5}, {1, -1}},
                 {"tanh(x)", {1, 1}, {-1, -1}},
                 {"x/2", {0.5, 0.5}, {0, 0}},
                 {"expm1(x)", {1, 1}, {1, -1}},
                 {"exp(x)", {0, 0}, {0, 0}},
                 {"erf(x)", {0, 0}, {0, 0}},
                 {"x*tanh(x)", {1, 1}, {-1, -1}},
                 {"tanh(x)*1.7159", {1.7159, 1.7159}, {-1, -1}},
                 {"x/3 + x^2", {1.0 / 3, 1.0 / 3}, {1, -1}},
                 {"-0.75*x^2 + x^3", {-0.75, -0.75}, {-1, 1}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject s;
        struct exact_tiny tiny;
        open_subject(&s, cases[i].formula, "0.5 ulp");
        exact_tiny_find(&tiny, s.traits->truth);
        for (int side = 0; side < 2; side++) {
            const struct exact_side *t = &tiny.side[side];
            if (cases[i].c[side] == 0) {
                assert_true(t->limit == 0);
                continue;
            }
            if (!(t->limit > 0x1p-60f) || t->top / t->bottom != cases[i].c[side] ||
                t->next != cases[i].next[side])
                fail_msg("%s: %g/%g up to %g, %d", cases[i].formula, t->top, t->bottom, (double)t->limit,
                         t->next);
            /* 5000 * 2^-149 is a tie of 1.7159 x. 4099^2 has 25 bits. */
            static const float inputs[] = {0x1p-149f,     0x3p-149f,        0x5p-149f, 0x1.388p-137f,
                                           0x1.86ap-135f, 0x1.234568p-120f, 0x1p-60f,  0x1.003p-70f,
                                           0x1.003p-61f,  0x1.8p-75f};
            for (int k = 0; k < 10; k++) {
                const float x = side ? -inputs[k] : inputs[k];
                if (exact_tiny_value(t, x) != rounded(&s, x))
                    fail_msg("%s at %a", cases[i].formula, (double)x);
            }
        }
        close_subject(&s);
    }
}

/* Checks the start in double words by itself, at ties of its leading term, where f64 cannot hold
 * the next term. */
static void starts_see_the_next_term(void **state)
{
    static const struct {
        const char *formula;
        /* Every such input is a tie, or nearly. */
        float first, step;
    } cases[] = {{"tanh(x)*1.7159", 0x1.388p-137f, 0x1.388p-136f},
                 {"x*sigmoid(1.7*x) + 0.2*sin(x)", 0x1.4p-147f, 0x1.4p-146f},
                 {"x*tanh(x)", 0x1.001p-54f, 0x1p-65f},
                 {"x - tanh(x)", 0x1.8p-42f, 0x1.8p-50f}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned stage = 3; stage <= 4; stage++) {
            struct subject s;
            struct candidate list[4];
            struct polynomial_cache cache = {0};
            open_subject(&s, cases[i].formula, "0.5 ulp");
            cache.memory = s.memory;
            const struct shape_context context = {.request = &s.request,
                                                  .traits = s.traits,
                                                  .cache = &cache,
                                                  .memory = s.memory,
                                                  .stage = stage};
            const size_t count = started_candidates(list, 4, &context);
            assert_true(count > 0);
            for (size_t n = 0; n < count; n++)
                for (int k = -40; k <= 40; k++) {
                    const float x = cases[i].first + (float)k * cases[i].step;
                    if (x != 0 && run(list[n].program, x) != rounded(&s, x))
                        fail_msg("%s, %s, at %a", cases[i].formula, list[n].description, (double)x);
                }
            close_subject(&s);
        }
}

/* ---- mending ---- */

/* Computes x/2 + x^2/4 in f64. For tiny x, a term that f64 cannot hold breaks a tie of x/2. */
static lane_program *half_and_more(struct subject *s)
{
    lane_program *p = lane_create(s->memory, &s->request.profile);
    const lane_value x = lane_unary(p, LANE_WIDEN, lane_load(p, LANE_F32, 0));
    const lane_value square = lane_binary(p, LANE_MUL, x, x);
    const lane_value half = lane_binary(p, LANE_MUL, x, lane_const(p, LANE_F64, 0.5));
    lane_store(p, lane_unary(p, LANE_NARROW, lane_fma(p, square, lane_const(p, LANE_F64, 0.25), half)), 1);
    return lane_canonical(p);
}

static int mend(struct exact_result *out, struct subject *s, const lane_program *p)
{
    struct exact_tiny tiny;
    struct diag error = {0};
    exact_tiny_find(&tiny, s->traits->truth);
    const struct exact_request request = {&s->request, s->traits->truth, &tiny, s->memory};
    return exact_mend(out, &request, p, &error);
}

static void ties_of_tiny_inputs_are_nudged(void **state)
{
    static const float inputs[] = {0x1p-149f,  0x3p-149f,  0x5p-149f,  0x7p-149f, 0x1.000002p-126f,
                                   -0x1p-149f, -0x3p-149f, -0x5p-149f, 0,         -0x1.000002p-126f};
    struct subject s;
    struct exact_result result;
    (void)state;
    open_subject(&s, "x/2 + x^2/4", "0.5 ulp on [-0x1p-125, 0x1p-125]");
    const lane_program *plain = half_and_more(&s);
    unsigned wrong = 0;
    assert_int_equal(mend(&result, &s, plain), DIAG_OK);
    if (!result.program) fail_msg("%s", result.what);
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) {
        wrong += run(plain, inputs[k]) != rounded(&s, inputs[k]);
        assert_true(run(result.program, inputs[k]) == rounded(&s, inputs[k]));
    }
    assert_true(wrong > 2); /* Otherwise there was nothing to mend. */
    close_subject(&s);
}

/* Checks what the judge learns from the start of the function: right results pass, also next to ties, and
 * no other result does. */
static void ties_of_tiny_inputs_are_judged(void **state)
{
    enum { COUNT = 64 };
    struct subject s;
    struct judge j;
    float x[COUNT], y[COUNT];
    (void)state;
    open_subject(&s, "x/2 + x^2/4", "0.5 ulp");
    const struct piece piece = {.written = s.request.piece.written,
                                .simplified = s.request.piece.simplified,
                                .program = half_and_more(&s),
                                .bound = s.request.piece.bound};
    assert_true(judge_init(&j, &piece));
    for (int sign = -1; sign <= 1; sign += 2)
        for (int broken = -1; broken < COUNT; broken++) {
            struct tally t = {0};
            for (int k = 0; k < COUNT; k++) {
                x[k] = (float)(sign * (k + 1)) * 0x1p-149f;
                y[k] = rounded(&s, x[k]);
            }
            if (broken >= 0) y[broken] = nextafterf(y[broken], (float)sign);
            judge_block(&j, x, y, COUNT, false, &t);
            assert_true(t.inputs == COUNT && t.wrong == (broken >= 0) && !t.undecided);
            assert_true(broken >= 0 || t.max_ulp == 0.5);
        }
    judge_clear(&j);
    close_subject(&s);
}

static void patches_do_what_they_say(void **state)
{
    const struct exact_nudge none = {0};
    const struct exact_patch patches[] = {{1.5f, 7, false, 0}, {0.25f, 0, true, -1}};
    struct subject s;
    (void)state;
    open_subject(&s, "x/2 + x^2/4", "0.5 ulp");
    const lane_program *plain = half_and_more(&s);
    const lane_program *p = exact_program(plain, &none, patches, 2, EXTRA_NONE);
    struct diag error = {0};
    assert_int_equal(lane_verify(p, &error), DIAG_OK);
    assert_true(run(p, 1.5f) == 7 && run(p, -1.5f) == run(plain, -1.5f) && run(p, 1) == run(plain, 1));
    assert_true(run(p, 0.25f) == nextafterf(run(plain, 0.25f), 0));
    assert_true(run(p, -0.25f) == nextafterf(run(plain, -0.25f), 0));
    assert_true(isnan(run(p, NAN)));
    close_subject(&s);
}

/* Counts wrong results of x/2 + x^2/4 for x in [1, 1.125). The exact value has at most 50 bits, so a
 * double gives the right result. */
static unsigned wrong_results(const lane_program *p)
{
    enum { COUNT = 1 << 20 };
    float *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    void *operands[2] = {x, y};
    interp *i = interp_create(p);
    unsigned wrong = 0;
    assert_true(x && y && i);
    for (int k = 0; k < COUNT; k++) x[k] = 1 + (float)k * 0x1p-23f;
    interp_run(i, operands, COUNT);
    for (int k = 0; k < COUNT; k++)
        wrong += y[k] != (float)((double)x[k] / 2 + (double)x[k] * (double)x[k] / 4);
    interp_free(i);
    free(x);
    free(y);
    return wrong;
}

/* Checks that a sweep patches a few wrong results and refuses many. */
static void sweeps_find_what_is_wrong(void **state)
{
    const struct exact_nudge slightly = {.below = 2, .factor = {1 + 0x1p-41, 1}};
    const struct exact_nudge grossly = {.below = 2, .factor = {1 + 0x1p-30, 1}};
    struct subject s;
    struct exact_result result;
    (void)state;
    open_subject(&s, "x/2 + x^2/4", "0.5 ulp on [1, 1.125]");
    const lane_program *off = exact_program(half_and_more(&s), &slightly, NULL, 0, EXTRA_NONE);
    assert_true(wrong_results(off) > 0); /* Otherwise there is nothing to find. */
    assert_int_equal(mend(&result, &s, off), DIAG_OK);
    if (!result.program) fail_msg("%s", result.what);
    assert_int_equal(wrong_results(result.program), 0);
    off = exact_program(half_and_more(&s), &grossly, NULL, 0, EXTRA_NONE);
    assert_int_equal(mend(&result, &s, off), DIAG_OK);
    assert_null(result.program);
    assert_true(strlen(result.what) > 0);
    close_subject(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_round_correctly),
        cmocka_unit_test(what_one_rounding_keeps),
        cmocka_unit_test(how_functions_begin),
        cmocka_unit_test(starts_see_the_next_term),
        cmocka_unit_test(ties_of_tiny_inputs_are_nudged),
        cmocka_unit_test(ties_of_tiny_inputs_are_judged),
        cmocka_unit_test(patches_do_what_they_say),
        cmocka_unit_test(sweeps_find_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
