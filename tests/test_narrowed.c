/* Tests of narrowed programs against the whole ones, bit for bit. Random programs show each of their
 * values, for each op, on intervals of every width. Another test measures how much of a program is left
 * where a function has settled. */
#include "interp.h"
#include "narrowed.h"
#include "random_program.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PROGRAMS = 6000, LENGTH = 12, INPUTS = 512 };

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 64, .lookup_f64 = 64};

/* Returns number `order` of the floats in order, with -0 before 0. */
static float at_order(int64_t order)
{
    return f32_of_bits(order >= 0 ? (uint32_t)order : UINT32_C(0x80000000) + (uint32_t)(-1 - order));
}

static int64_t order_of(float x)
{
    const uint32_t bits = bits_of_f32(x);
    return bits >> 31 ? -1 - (int64_t)(bits & 0x7fffffff) : (int64_t)bits;
}

struct interval {
    int64_t low, high;
};

/* Returns an interval around a random number: of one number, of a few, and up to most of all numbers. */
static struct interval random_interval(struct randomness *r)
{
    const int64_t largest = order_of(INFINITY);
    float x = random_float(r);
    while (isnan(x)) x = random_float(r);
    const int64_t reach = (int64_t)(random_bits(r) >> (32 + random_below(r, 32)));
    struct interval i = {order_of(x) - (random_below(r, 2) ? reach : 0), order_of(x) + reach};
    if (random_below(r, 8) == 0) i.low = i.high = order_of(x);
    i.low = i.low < -1 - largest ? -1 - largest : i.low;
    i.high = i.high > largest ? largest : i.high;
    return i;
}

static void fill_inputs(struct randomness *r, struct interval i, float *x)
{
    const uint64_t width = (uint64_t)(i.high - i.low) + 1;
    for (int k = 0; k < INPUTS; k++) x[k] = at_order(i.low + (int64_t)(random_bits(r) % width));
    x[0] = at_order(i.low);
    x[1] = at_order(i.high);
    if (i.low <= 0 && i.high >= 0) x[2] = 0.0F;
    if (i.low <= -1 && i.high >= -1) x[3] = -0.0F;
}

static uint64_t whole_length, narrowed_length; /* The lengths of all programs together. */

static void check_program(arena *memory, uint32_t n, struct randomness *r)
{
    const lane_program *p = random_program(memory, &profile, n, 1, 1, n * LENGTH, LENGTH);
    const struct interval i = random_interval(r);
    const lane_program *few = lane_narrowed(memory, p, at_order(i.low), at_order(i.high));
    struct diag error;
    assert_int_equal(lane_verify(few, &error), DIAG_OK);
    float x[INPUTS], whole[INPUTS], narrowed[INPUTS];
    fill_inputs(r, i, x);
    interp *a = interp_create(p), *b = interp_create(few);
    interp_run(a, (void *[]){x, whole}, INPUTS);
    interp_run(b, (void *[]){x, narrowed}, INPUTS);
    for (int k = 0; k < INPUTS; k++)
        if (bits_of_f32(whole[k]) != bits_of_f32(narrowed[k]))
            fail_msg("program %u on [%a, %a]: at %a, %a and not %a", (unsigned)n, (double)at_order(i.low),
                     (double)at_order(i.high), (double)x[k], (double)narrowed[k], (double)whole[k]);
    whole_length += p->count;
    narrowed_length += few->count;
    interp_free(a);
    interp_free(b);
}

static void test_random_programs(void **state)
{
    (void)state;
    struct randomness r = {1};
    for (uint32_t n = 0; n < PROGRAMS; n++) {
        arena *memory = arena_create(0);
        assert_non_null(memory);
        assert_false(setjmp(*arena_escape(memory)));
        check_program(memory, n, &r);
        arena_free(memory);
    }
    assert_true(narrowed_length < whole_length * 3 / 4); /* Many intervals are short. */
}

/* Tests x max(0, min(1, x / 4 + 1/2)), which is a constant on the left, the identity on the right, and a
 * linear factor around 0. */
static void test_settled_parts(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    assert_non_null(memory);
    assert_false(setjmp(*arena_escape(memory)));
    lane_program *p = lane_create(memory, &profile);
    const lane_value x = lane_load(p, LANE_F32, 0), zero = lane_const(p, LANE_F32, 0),
                     one = lane_const(p, LANE_F32, 1);
    const lane_value line = lane_fma(p, x, lane_const(p, LANE_F32, 0.25), lane_const(p, LANE_F32, 0.5));
    const lane_value gate = lane_binary(p, LANE_MAX, lane_binary(p, LANE_MIN, line, one), zero);
    lane_store(p, lane_binary(p, LANE_MUL, x, gate), 1);
    static const struct {
        float low, high;
        uint32_t instructions;
    } cases[] = {{-8, -4, 4}, {3, 100, 4}, {0x1p-80F, 0x1p-60F, 4}, {-1, 1, 6}, {5, 5, 2}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        assert_int_equal(lane_narrowed(memory, p, cases[n].low, cases[n].high)->count, cases[n].instructions);
    arena_free(memory);
}

/* Tests that the bits of numbers of both signs have no range: those of -0.5 lie beyond those of -1 and 1. */
static void test_bits_of_both_signs(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    assert_non_null(memory);
    assert_false(setjmp(*arena_escape(memory)));
    lane_program *p = lane_create(memory, &profile);
    const lane_value bits = lane_unary(p, LANE_BITCAST, lane_load(p, LANE_F32, 0));
    const lane_value is_half = lane_binary(p, LANE_ILT, bits, lane_const(p, LANE_I32, -0x40c00000));
    const lane_value one = lane_const(p, LANE_F32, 1), two = lane_const(p, LANE_F32, 2);
    lane_store(p, lane_select(p, is_half, one, two), 1);
    assert_int_equal(lane_narrowed(memory, p, -1, 1)->count, p->count);
    assert_true(lane_narrowed(memory, p, 0.5F, 1)->count < p->count);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                       cmocka_unit_test(test_settled_parts),
                                       cmocka_unit_test(test_bits_of_both_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
