/* Tests that a function and its derivative in one kernel share their table, and that nothing else
 * about them changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lower.h"
#include "texts.h"

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct plan_search search = {.log = text_new(expr_dag_memory(request->dag))};
    (void)context;
    return plan_find(out, request, &search, error);
}

static const struct lowered *lower(const struct spec *s, uint32_t kernel)
{
    struct lowered *l;
    struct diag error = {0};
    const struct target_isa *isa = target_isa_find("avx512");
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[kernel],
                                          .bound = s->kernels[kernel].bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, NULL}};
    if (lower_kernel(&l, &request, &error)) fail_msg("%s: %s", s->kernels[kernel].name, error.message);
    return l;
}

static unsigned lookups(const struct lowered *l)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < l->kernel.program->count; i++) n += l->kernel.program->code[i].op == LANE_LOOKUP;
    return n;
}

/* Returns the cost, which counts what a pair shares once, half with each. */
static double cost(const struct lowered *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->piece_count; i++) sum += l->pieces[i].plan->cost;
    return sum;
}

static const char *plan_text(arena *memory, const struct lowered *l, const char *formula)
{
    struct text t = text_new(memory);
    for (uint32_t i = 0; i < l->piece_count; i++) {
        struct text written = text_new(memory);
        expr_print(&written, l->pieces[i].written, NULL);
        if (!strncmp(written.data, formula, strlen(formula))) lane_print(&t, l->pieces[i].plan->program);
    }
    return t.data;
}

static void gradients_share_a_table(void **state)
{
    (void)state;
    arena *memory = test_memory();
    const struct spec *s = parse_text(
        memory, "kernel geglu(gate: bf16, up: bf16) -> (y: bf16) { accuracy 3 ulp; y = gelu(gate)*up }\n"
                "kernel both = gradient geglu\n"
                "kernel gate = gradient geglu of gate\n"
                "kernel up = gradient geglu of up\n"
                "kernel swapped(gate: bf16, up: bf16) -> (a: f32, b: f32) {\n"
                "    a = gelu(gate)*up\n    b = diff(gelu(gate), gate)*up\n}\n");
    const struct lowered *both = lower(s, 1), *gate = lower(s, 2), *up = lower(s, 3), *swapped = lower(s, 4);
    assert_int_equal(both->piece_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(both->pieces[i].plan->shape, "pair");
        assert_int_equal(both->pieces[i].plan->measured.wrong, 0);
        assert_true(both->pieces[i].plan->measured.max_ulp <= 3);
        assert_int_equal(both->pieces[i].plan->swept, 1 << 16);
    }
    assert_string_equal(gate->pieces[0].plan->shape, "factored");
    assert_string_equal(up->pieces[0].plan->shape, "factored");
    assert_int_equal(lookups(both), 5);
    assert_true(cost(both) < 33 && cost(both) <= 0.8 * (cost(gate) + cost(up)));
    /* The order of the two makes no difference. */
    assert_string_equal(plan_text(memory, both, "x * normcdf"), plan_text(memory, swapped, "x * normcdf"));
    assert_string_equal(plan_text(memory, both, "normcdf"), plan_text(memory, swapped, "normcdf"));
    arena_free(memory);
}

/* Checks that companions that offer nothing leave a plan as it is. */
static void others_stay_as_they_are(void **state)
{
    (void)state;
    arena *memory = test_memory();
    const struct spec *s =
        parse_text(memory, "kernel a(x: f32, u: f32) -> (y: f32) { y = tanh(x)*u }\n"
                           "kernel b(x: f32, u: f32) -> (y: f32) { y = tanh(x)*u + exp(x) }");
    const struct lowered *alone = lower(s, 0), *beside = lower(s, 1);
    assert_int_equal(beside->piece_count, 2);
    assert_string_equal(plan_text(memory, alone, "tanh"), plan_text(memory, beside, "tanh"));
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_share_a_table),
        cmocka_unit_test(others_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
