/* Tests that verification notices what is broken on purpose: each rule of simplification, and each op
 * of the emitter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend.h"
#include "bits.h"
#include "isas.h"
#include "loader.h"
#include "lower.h"
#include "skipping.h"
#include "texts.h"

static const struct spec_bound coarse = {.kind = BOUND_ABS, .value = 0x1p-12};
/* The bound is 2^-6 of the value. */
static const struct spec_bound many_ulps = {.kind = BOUND_ULP, .value = 0x1p18};

/* ---- rules ---- */

static const struct {
    const char *rule, *formula;
} rules[] = {
    {"1 + tanh", "x*(1 + tanh(x))"},   {"1 - tanh", "1 - tanh(x)"},
    {"1 + erf", "0.5*x*(1 + erf(x))"}, {"1 - erf", "1 - erf(x)"},
    {"1 - erfc", "1 - erfc(x)"},       {"2 - erfc", "2 - erfc(x)"},
    {"1 - sigmoid", "1 - sigmoid(x)"}, {"exp - 1", "if x > 0 then x else exp(x) - 1"},
    {"1 + expm1", "1 + expm1(x)"},
};

/* Plans like a planner that believes the simplifier, because it measures against the simplified formula.
 * The real planner refuses. */
static int believe(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct plan_request trusting = *request;
    trusting.piece.written = request->piece.simplified;
    return plan_find(out, &trusting, context, error);
}

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

typedef int planner_find(void *context, struct plan **out, const struct plan_request *request,
                         struct diag *error);

static int lower(struct lowered **out, const struct spec *s, const struct target_isa *isa,
                 struct spec_bound bound, const char *broken_rule, planner_find *planner)
{
    struct plan_search search = {text_new(expr_dag_memory(s->dag))};
    struct diag error = {0};
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = bound,
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {planner, &search},
                                    .broken_rule = broken_rule};
    int status = lower_kernel(out, &request, &error);
    if (status && !broken_rule) fail_msg("%s: %s", s->text, error.message);
    return status;
}

/* Stops once the result is wrong. The rest would take long, because every input is in doubt. */
static int stop_once_wrong(void *payload, double done, double max_ulp)
{
    (void)done;
    const struct piece *piece = payload;
    return piece->bound.kind == BOUND_ULP && max_ulp > piece->bound.value;
}

static actgen_report verify(const struct lowered *l, const struct target_isa *isa, actgen_fn code,
                            struct spec_bound bound, int *status)
{
    actgen_report report = {0};
    struct diag error = {0};
    struct piece piece = l->pieces[0];
    piece.bound = bound;
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    options.progress = stop_once_wrong;
    options.progress_payload = &piece;
    struct verify_subject subject = {.kernel = &l->kernel,
                                     .code = code,
                                     .vector_lanes = isa->vector_bytes / 4,
                                     .pieces = &piece,
                                     .piece_count = 1};
    *status = verify_run(&subject, &options, &report, &error);
    return report;
}

static void a_broken_rule_is_noticed(void **state)
{
    (void)state;
    const struct target_isa *isa = target_isa_at(0);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        for (int broken = 0; broken < 2; broken++) {
            arena *memory = test_memory();
            const struct spec *s = parse_expression(memory, rules[i].formula);
            struct lowered *l;
            int status;
            assert_int_equal(lower(&l, s, isa, coarse, broken ? rules[i].rule : NULL, believe), DIAG_OK);
            actgen_report report = verify(l, isa, NULL, broken ? many_ulps : coarse, &status);
            if (!broken && (status || !report.ok || report.wrong))
                fail_msg("%s: %g abs at %g", rules[i].formula, report.max_abs, report.max_abs_at);
            if (broken && (report.ok || !report.wrong))
                fail_msg("breaking `%s` is not noticed", rules[i].rule);
            arena_free(memory);
        }
    }
}

/* Checks that the planner refuses composed plans, which are made from the simplified formula. The other
 * shapes are made from values of the reference, so their results are right whatever the rule. */
static void the_planner_refuses_a_broken_rule(void **state)
{
    (void)state;
    const struct spec_bound ulps = {.kind = BOUND_ULP, .value = 4};
    const struct target_isa *isa = target_isa_at(0);
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        arena *memory = test_memory();
        const struct spec *s = parse_expression(memory, rules[i].formula);
        struct lowered *l;
        int status = lower(&l, s, isa, ulps, rules[i].rule, find);
        if (status != DIAG_OK) {
            assert_int_equal(status, DIAG_ACCURACY);
            refused++;
        } else {
            if (strstr(l->pieces[0].plan->shape, "composed"))
                fail_msg("a composed plan was found with `%s` broken", rules[i].rule);
            /* The unbroken rules judge. With the broken ones, every input would need MPFR. */
            struct lowered *judge;
            assert_int_equal(lower(&judge, s, isa, ulps, NULL, find), DIAG_OK);
            judge->pieces[0].plan = l->pieces[0].plan;
            const actgen_report report = verify(judge, isa, NULL, ulps, &status);
            if (status || !report.ok) fail_msg("a wrong plan was found with `%s` broken", rules[i].rule);
        }
        arena_free(memory);
    }
    assert_true(refused >= sizeof rules / sizeof *rules / 2);
}

/* ---- ops ---- */

static actgen_fn link_code(loader_code **code, const struct lowered *l, const struct target_isa *isa,
                           const char *broken_op)
{
    struct backend_function f = {.kernel = &l->kernel, .symbol = "kernel", .isa = isa};
    struct backend_options options = {.broken_op = broken_op};
    struct backend_buffer object;
    struct diag error = {0};
    if (backend_emit(&f, 1, &options, BACKEND_OBJECT, &object, &error)) fail_msg("%s", error.message);
    if (loader_load(code, object.data, object.size, &error)) fail_msg("%s", error.message);
    backend_buffer_free(&object);
    void *address = loader_symbol(*code, "kernel", &error);
    assert_non_null(address);
    actgen_fn function;
    /* C has no cast from object to function pointers. */
    memcpy(&function, &address, sizeof function);
    return function;
}

static struct bits_count count_bits(const struct lowered *l, const struct target_isa *isa, actgen_fn code)
{
    struct bits_count found = {0};
    struct verify_subject subject = {
        .kernel = &l->kernel, .code = code, .vector_lanes = isa->vector_bytes / 4};
    arena *memory = test_memory();
    struct bits *b = bits_create(&subject, samples_create(memory, &subject));
    assert_non_null(b);
    for (uint64_t seed = 0; seed < 8; seed++) bits_compare_sample(b, seed, BITS_BLOCK, &found);
    bits_free(b);
    arena_free(memory);
    return found;
}

enum noticing { NOT_TRIED, UNNOTICED, NOTICED };

/* Breaks each op of the program that no earlier program has shown to be noticed. */
static void break_ops(const struct lowered *l, const struct target_isa *isa, enum noticing *noticing)
{
    const lane_program *p = l->kernel.program;
    bool tried[LANE_OP_COUNT] = {false};
    for (uint32_t i = 0; i < p->count; i++) {
        enum lane_op op = p->code[i].op;
        if (op == LANE_LOAD || op == LANE_STORE || tried[op] || noticing[op] == NOTICED) continue;
        loader_code *code;
        actgen_fn function = link_code(&code, l, isa, lane_ops[op].name);
        struct bits_count found = count_bits(l, isa, function);
        loader_free(code);
        tried[op] = true;
        noticing[op] = found.differ ? NOTICED : UNNOTICED;
    }
}

static const char *const formulas[] = {"gelu(x)", "tanh(x)",          "softplus(x)",
                                       "sin(x)",  "x^(1/2) + abs(x)", "clamp(x, -1, 1)/3 + hardshrink(x)",
                                       "log(x)",  "log(2 + abs(x))",  "sinh(x)"};

static void break_ops_of_formulas(const struct target_isa *isa, enum noticing *noticing)
{
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        arena *memory = test_memory();
        struct lowered *l;
        lower(&l, parse_expression(memory, formulas[i]), isa, coarse, NULL, find);
        loader_code *code;
        struct bits_count found = count_bits(l, isa, link_code(&code, l, isa, NULL));
        assert_true(found.compared > 0);
        assert_int_equal(found.differ, 0);
        loader_free(code);
        break_ops(l, isa, noticing);
        arena_free(memory);
    }
}

/* Returns true if the lowest bit of the op's result does not reach the kernel's result. Breaking an op
 * flips the lowest bit of integers, and in the long products of sin's reduction that bit is too low. */
static bool is_below_the_result(enum lane_op op) { return op == LANE_IMUL || op == LANE_IMULHI; }

static void a_broken_op_is_noticed(void **state)
{
    size_t sets = 0;
    (void)state;
    for (size_t n = 0; target_isa_at(n); n++) {
        const struct target_isa *isa = target_isa_at(n);
        enum noticing noticing[LANE_OP_COUNT] = {NOT_TRIED};
        unsigned noticed = 0;
        if (!target_isa_runs_here(isa) || !is_set_tried(sets++)) continue;
        break_ops_of_formulas(isa, noticing);
        for (enum lane_op op = 0; op < LANE_OP_COUNT; op++) {
            noticed += noticing[op] == NOTICED;
            if (noticing[op] == UNNOTICED && !is_below_the_result(op))
                fail_msg("%s: breaking `%s` is not noticed", isa->name, lane_ops[op].name);
        }
        if (noticed < 20) fail_msg("%s: only %u kinds of ops were broken", isa->name, noticed);
    }
}

/* Checks that the whole verification also counts the bits. */
static void a_report_counts_broken_bits(void **state)
{
    (void)state;
    const struct target_isa *isa = target_isa_find("host");
    if (!isa) SKIP_BECAUSE("no instruction set of actgen's on this processor");
    arena *memory = test_memory();
    loader_code *code;
    struct lowered *l;
    int status;
    lower(&l, parse_expression(memory, "relu(x)"), isa, coarse, NULL, find);
    actgen_report report = verify(l, isa, link_code(&code, l, isa, "max"), many_ulps, &status);
    assert_true(report.bits_differ > 0);
    assert_false(report.ok);
    loader_free(code);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_rule_is_noticed),
        cmocka_unit_test(the_planner_refuses_a_broken_rule),
        cmocka_unit_test(a_broken_op_is_noticed),
        cmocka_unit_test(a_report_counts_broken_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
