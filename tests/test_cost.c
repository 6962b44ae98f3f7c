/* Tests of the cost of programs: what an operation costs beside its own row of cores.def. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cost.h"
#include "texts.h"

#include <math.h>

enum addend { A_VALUE, A_CONSTANT, A_VALUE_USED_AGAIN };

/* Returns the cost of (x + x) x + addend, whose addend is of that kind, plus x or the addend. */
static double cost_with(enum addend kind, enum target_core core)
{
    const struct target_costs *costs = &target_cores[core];
    arena *memory = test_memory();
    lane_program *p = lane_create(memory, &target_isa_find(costs->isa)->profile);
    const lane_value x = lane_load(p, LANE_F32, 0), twice = lane_binary(p, LANE_ADD, x, x),
                     value = lane_unary(p, LANE_SQRT, x);
    const lane_value addend = kind == A_CONSTANT ? lane_f32(p, 2) : value;
    const lane_value sum = lane_fma(p, twice, x, addend);
    const lane_value other = kind == A_VALUE ? x : value;
    lane_store(p, lane_binary(p, LANE_ADD, sum, other), 1);
    const double cost = plan_cost(p, costs);
    arena_free(memory);
    return cost;
}

/* A fmla of Advanced SIMD overwrites its addend, so that a constant is copied first. x86 overwrites a factor
 * instead. */
static void test_addends(void **state)
{
    (void)state;
    static const enum target_core copies[] = {CORE_NEOVERSE_N1, CORE_CORTEX_A76, CORE_NEOVERSE_V2,
                                              CORE_APPLE_M1};
    static const enum target_core others[] = {CORE_GENERIC_NEON, CORE_GENERIC_AVX2, CORE_ZEN5};
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        const double least = cost_with(A_VALUE, copies[i]), again = cost_with(A_VALUE_USED_AGAIN, copies[i]);
        assert_true(least + (double)target_cores[copies[i]].per_uop <= again);
        assert_true(fabs(again - cost_with(A_CONSTANT, copies[i])) < 1e-9);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const double least = cost_with(A_VALUE, others[i]);
        assert_true(fabs(least - cost_with(A_VALUE_USED_AGAIN, others[i])) < 1e-9);
        assert_true(fabs(least - cost_with(A_CONSTANT, others[i])) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_addends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
