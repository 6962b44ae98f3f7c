/* Tests of how the interpreter cuts calls into blocks: block boundaries, calls in place, results on inputs
 * that are loaded later, programs of many values, and values that a choice drops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "formulas.h"
#include "interp.h"
#include "one_arena.h"

#include <math.h>
#include <string.h>

enum { MAX_LANES = 6000 };

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};
static uint64_t random_state = 88172645463325252u;

/* Builds a program of many values: 24 lanes of arithmetic that all stay alive, bitcasts, and a constant
 * used at the end. */
static lane_value many_values(lane_program *p, lane_value x)
{
    lane_value v[24];
    lane_value sum = lane_const(p, LANE_F32, 0.25);
    const lane_value last = lane_const(p, LANE_F32, 3);
    for (int k = 0; k < 24; k++) v[k] = lane_binary(p, LANE_MUL, x, lane_const(p, LANE_F32, k + 1));
    for (int k = 0; k < 24; k++) {
        lane_value bits = lane_unary(p, LANE_BITCAST, v[k]);
        lane_unary(p, LANE_NEG, v[k]); /* Nothing uses this value. */
        bits = lane_binary(p, LANE_XOR, bits, lane_const_bits(p, LANE_I32, (uint64_t)k));
        sum = lane_binary(p, LANE_ADD, sum, lane_unary(p, LANE_BITCAST, bits));
        sum = lane_binary(p, LANE_ADD, lane_binary(p, LANE_MUL, v[23 - k], v[23 - k]), sum);
    }
    /* The last instruction to use `sum` reads it twice. Then two values are alive together. */
    const lane_value square = lane_binary(p, LANE_MUL, sum, sum);
    const lane_value more = lane_binary(p, LANE_ADD, square, last), root = lane_unary(p, LANE_SQRT, square);
    return lane_binary(p, LANE_DIV, lane_binary(p, LANE_SUB, more, root), last);
}

static float many_values_of(float x)
{
    float v[24], sum = 0.25f;
    for (int k = 0; k < 24; k++) v[k] = x * (float)(k + 1);
    for (int k = 0; k < 24; k++) {
        sum = sum + f32_of_bits(bits_of_f32(v[k]) ^ (uint32_t)k);
        sum = v[23 - k] * v[23 - k] + sum;
    }
    return (sum * sum + 3 - sqrtf(sum * sum)) / 3;
}

static const size_t counts[] = {0, 1, 2, 127, 128, 129, 255, 256, 257, 1000, 5000};

/* Checks that exactly `count` elements are written, out of place and in place, at an unaligned address. */
static void check_count(interp *i, size_t count)
{
    static float in[MAX_LANES], place[MAX_LANES + 1], out[MAX_LANES + 2], wanted[MAX_LANES];
    for (size_t k = 0; k < count; k++) {
        in[k] = (float)((double)(next_random(&random_state) >> 40) * 0x1p-20 - 8);
        wanted[k] = many_values_of(in[k]);
    }
    memset(out, 0x5a, sizeof out);
    interp_run(i, (void *[]){in, out + 1}, count);
    assert_memory_equal(out + 1, wanted, count * sizeof *out);
    assert_int_equal(bits_of_f32(out[0]), 0x5a5a5a5a);
    assert_int_equal(bits_of_f32(out[count + 1]), 0x5a5a5a5a);
    unsigned char *odd = (unsigned char *)place + 1;
    memcpy(odd, in, count * sizeof *in);
    interp_run(i, (void *[]){odd, odd}, count);
    assert_memory_equal(odd, wanted, count * sizeof *out);
}

static void test_counts_and_in_place(void **state)
{
    (void)state;
    assert_false(setjmp(*arena_escape(memory)));
    lane_program *p = lane_create(memory, &profile);
    lane_store(p, many_values(p, lane_load(p, LANE_F32, 0)), 1);
    interp *variants[] = {interp_create(p), interp_create_plain(p)};
    for (size_t v = 0; v < 2; v++) {
        assert_non_null(variants[v]);
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) check_count(variants[v], counts[n]);
        interp_free(variants[v]);
    }
}

/* Checks a result that lies on an input which the program loads only after the store. The input's
 * old values count. */
static void test_result_on_later_input(void **state)
{
    (void)state;
    assert_false(setjmp(*arena_escape(memory)));
    lane_program *p = lane_create(memory, &profile);
    lane_store(p, lane_unary(p, LANE_NEG, lane_load(p, LANE_F32, 0)), 2);
    lane_store(p, lane_binary(p, LANE_ADD, lane_load(p, LANE_F32, 0), lane_load(p, LANE_F32, 1)), 3);
    interp *i = interp_create(p);
    assert_non_null(i);
    float a[300], b[300], sum[300];
    for (int k = 0; k < 300; k++) a[k] = (float)k, b[k] = (float)(1000 * k);
    interp_run(i, (void *[]){a, b, b, sum}, 300);
    for (int k = 0; k < 300; k++) {
        assert_true(b[k] == (float)-k);
        assert_true(sum[k] == (float)(1001 * k));
    }
    interp_free(i);
}

/* Checks conversions out of range, which may give any result but must not trap or write elsewhere. Also
 * checks a NaN in a value that select drops. */
static void test_out_of_range(void **state)
{
    (void)state;
    assert_false(setjmp(*arena_escape(memory)));
    lane_program *p = lane_create(memory, &profile);
    const lane_value x = lane_load(p, LANE_F64, 0);
    const lane_value n = lane_unary(p, LANE_F2I, x);
    const lane_value small =
        lane_binary(p, LANE_LT, lane_unary(p, LANE_ABS, x), lane_const(p, LANE_F64, 100));
    lane_store(p, lane_select(p, small, n, lane_const(p, LANE_I64, -1)), 1);
    const double in[] = {NAN, INFINITY, -INFINITY, 1e300, 2.5, -3.5, 0x1p63};
    const int64_t wanted[] = {-1, -1, -1, -1, 2, -4, -1};
    int64_t out[7];
    interp *variants[] = {interp_create(p), interp_create_plain(p)};
    for (size_t v = 0; v < 2; v++) {
        interp_run(variants[v], (void *[]){(void *)in, out}, 7);
        assert_memory_equal(out, wanted, sizeof wanted);
        interp_free(variants[v]);
    }
    interp_free(NULL);
}

/* Writes the rounding error of the product x y, which lane_plus_product finds with fma and without. */
static interp *product_errors(enum lane_type type, bool has_fma)
{
    const struct target_profile own = {.name = "products", .fma = has_fma};
    lane_program *p = lane_create(memory, &own);
    const lane_value x = lane_load(p, type, 0), y = lane_load(p, type, 1), product = lane_mul(p, x, y);
    lane_store(p, lane_plus_product(p, lane_unary(p, LANE_NEG, product), x, y), 2);
    return interp_create(p);
}

/* In f32 the error is exact without fma, too. In f64 the smallest product of two halves is rounded. */
static void test_products_in_halves(void **state)
{
    (void)state;
    assert_false(setjmp(*arena_escape(memory)));
    static float x[MAX_LANES], y[MAX_LANES], lost[2][MAX_LANES];
    static double wide[2][MAX_LANES], wide_lost[2][MAX_LANES];
    for (size_t k = 0; k < MAX_LANES; k++) {
        wide[0][k] = ldexp((double)next_random(&random_state), -64) + 1;
        wide[1][k] = ldexp((double)next_random(&random_state), -64) - 2;
        x[k] = (float)wide[0][k], y[k] = (float)wide[1][k];
    }
    for (unsigned fma = 0; fma < 2; fma++) {
        interp *const i = product_errors(LANE_F32, fma), *const of_f64 = product_errors(LANE_F64, fma);
        interp_run(i, (void *[]){x, y, lost[fma]}, MAX_LANES);
        interp_run(of_f64, (void *[]){wide[0], wide[1], wide_lost[fma]}, MAX_LANES);
        interp_free(i);
        interp_free(of_f64);
    }
    assert_memory_equal(lost[0], lost[1], sizeof *lost);
    for (size_t k = 0; k < MAX_LANES; k++) assert_true(fabs(wide_lost[0][k] - wide_lost[1][k]) <= 0x1p-104);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_and_in_place),
        cmocka_unit_test(test_result_on_later_input),
        cmocka_unit_test(test_out_of_range),
        cmocka_unit_test(test_products_in_halves),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
