/* Tests of options.plan_limit. The planner takes the best plan so far, and the kernel says so. The plan
 * keeps its bound, is the same at each try, and never replaces a plan without the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "folder.h"

#include <stdbool.h>

/* A formula of 16 bits, for which the search goes on after the first plan. */
static const char goes_on[] = "kernel k(x: bf16) -> (y: bf16) { accuracy 2 ulp\ny = x/(1 + exp(-1.3*x)) }";
/* A formula of f32, for which the search ends with the first plan. */
static const char ends[] = "kernel k(x: f32) -> (y: f32) { accuracy abs 2^-12\ny = x/(1 + exp(-1.3*x)) }";
static const char said[] = "; the best within plan_limit 1";

static void in_turn(void *payload, size_t count, void (*task)(void *context, size_t i), void *context)
{
    (void)payload;
    /* The order differs from that of one thread. */
    for (size_t i = count; i-- > 0;) task(context, i);
}

static actgen_kernel *compile_within(const char *text, const char *cache, uint64_t limit,
                                     actgen_parallel_fn parallel)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    with.cache_directory = cache;
    options.plan_limit = limit;
    options.parallel = parallel;
    options.tier = ACTGEN_TIER_QUICK;
    assert_int_equal(actgen_engine_create_with(&engine, &with, &error), ACTGEN_OK);
    actgen_kernel *k = compile_with(text, &options);
    actgen_engine_free(engine);
    return k;
}

static bool says_so(const actgen_kernel *k)
{
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    assert_int_equal(actgen_kernel_certificate(k, &c), ACTGEN_OK);
    assert_string_equal(c.plan, actgen_kernel_plan(k));
    return strstr(c.plan, said);
}

static void the_best_so_far_is_taken_and_said(void **state)
{
    (void)state;
    const actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    actgen_kernel *k = compile_within(goes_on, "", 1, NULL), *again = compile_within(goes_on, "", 1, in_turn);
    assert_true(says_so(k));
    assert_string_equal(actgen_kernel_object_hash(k), actgen_kernel_object_hash(again));
    assert_int_equal(actgen_verify(k, &options, &report, &error), ACTGEN_OK);
    assert_true(report.ok);
    actgen_kernel_free(k);
    actgen_kernel_free(again);
}

static void what_the_limit_does_not_end_says_nothing(void **state)
{
    (void)state;
    actgen_kernel *k = compile_within(ends, "", 1, NULL), *whole = compile_within(ends, "", 0, NULL);
    assert_false(says_so(k));
    assert_string_equal(actgen_kernel_plan(k), actgen_kernel_plan(whole));
    actgen_kernel_free(k);
    actgen_kernel_free(whole);
}

/* Checks each row in the state that the rows above have left. */
static void the_cache_keeps_them_apart(void **state)
{
    (void)state;
    static const struct {
        uint64_t limit;
        bool is_said, is_ready;
    } turns[] = {{1, true, false}, {1, true, true}, {0, false, false}, {1, false, true}, {0, false, true}};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        actgen_kernel *k = compile_within(goes_on, folder, turns[i].limit, NULL);
        assert_int_equal(says_so(k), turns[i].is_said);
        assert_int_equal(actgen_kernel_plan_ms(k) <= 0, turns[i].is_ready);
        actgen_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_so_far_is_taken_and_said),
        cmocka_unit_test(what_the_limit_does_not_end_says_nothing),
        cmocka_unit_test_setup_teardown(the_cache_keeps_them_apart, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
