/* Tests of what the compiler knows of the values of a lane program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "lane.h"
#include "low_bits.h"
#include "sum_behind.h"

#include <math.h>

static const struct target_profile profile = {.name = "test"};
static arena *memory;

static int set_up(void **state)
{
    (void)state;
    memory = arena_create(0);
    return !memory || setjmp(*arena_escape(memory));
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

/* Checks which constants are numbers of a type, or NaN where it has one. */
static void rounded_constants_are_known(void **state)
{
    (void)state;
    static const struct {
        float number;
        enum element_type type;
        bool is_rounded;
    } rows[] = {{NAN, ELEMENT_F16, true},    {NAN, ELEMENT_I8, false},  {3, ELEMENT_I8, true},
                {3.5F, ELEMENT_I8, false},   {3.5F, ELEMENT_F16, true}, {0x1.002p0F, ELEMENT_F16, false},
                {-0.0F, ELEMENT_BF16, true}, {-0.0F, ELEMENT_I8, false}};
    lane_program *p = lane_create(memory, &profile);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (lane_is_rounded(p, lane_const(p, LANE_F32, (double)rows[i].number), rows[i].type) !=
            rows[i].is_rounded)
            fail_msg("row %zu", i);
}

/* Checks what is known of the low bits of constants and of logic on them. */
static void low_bits_are_known(void **state)
{
    (void)state;
    static const struct {
        enum lane_type type;
        uint64_t bits;
        enum low_bits known;
    } rows[] = {{LANE_F32, 0x3fc00000, LOW_ZERO},
                {LANE_F32, 0x3fc00002, LOW_ZERO_IN_NAN},
                {LANE_F32, 0x7f800002, LOW_ANY},
                {LANE_F64, 0x3ff8000000000000, LOW_ZERO},
                {LANE_F64, 0x3ff8000000000002, LOW_ZERO_IN_NAN},
                {LANE_F64, 0x3ff8100000000000, LOW_ZERO_IN_NAN},
                {LANE_F64, 0x7ff0000000000002, LOW_ANY}};
    enum { ROWS = sizeof rows / sizeof *rows };
    lane_program *p = lane_create(memory, &profile);
    uint8_t known[ROWS + 4];
    for (uint32_t i = 0; i < ROWS; i++) assert_int_equal(lane_const_bits(p, rows[i].type, rows[i].bits), i);
    const lane_value mask = lane_const_bits(p, LANE_I32, 0xffff0000),
                     bits = lane_unary(p, LANE_BITCAST, lane_load(p, LANE_F32, 0)),
                     masked = lane_binary(p, LANE_AND, bits, mask);
    struct kernel_operand operand = {.name = "x", .type = ELEMENT_F32, .parts = 1};
    const struct lane_kernel kernel = lane_kernel_make("k", &operand, 1, p);
    find_low_bits(known, &kernel, false);
    for (uint32_t i = 0; i < ROWS; i++)
        if (known[i] != rows[i].known) fail_msg("row %u: %d", i, known[i]);
    assert_int_equal(known[bits], LOW_ANY);
    assert_int_equal(known[masked], LOW_ZERO);
}

/* Checks that the sums that round are 1.5 times a power of two. */
static void sums_round_at_powers_of_two(void **state)
{
    (void)state;
    for (unsigned k = 0; k <= SUM_MOST_FRACTION; k++) {
        assert_true(f32_of_bits((uint32_t)sum_magic(LANE_F32, k)) == ldexpf(1.5F, 23 - (int)k));
        assert_true(f64_of_bits(sum_magic(LANE_F64, k)) == ldexp(1.5, 52 - (int)k));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounded_constants_are_known),
        cmocka_unit_test(low_bits_are_known),
        cmocka_unit_test(sums_round_at_powers_of_two),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
