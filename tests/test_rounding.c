/* Tests of the analysis that decides which plans are accepted: the effect of roundings on a result, and
 * the inputs where waves come near their roots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "formulas.h"
#include "interp.h"
#include "rounding.h"

#include <math.h>

enum { POINTS = ROUNDING_POINTS };
static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};

/* -- programs -- */

typedef lane_value (*writer)(lane_program *p, enum lane_type type, lane_value x);

static lane_value constant(lane_program *p, enum lane_type type, double c)
{
    return lane_const(p, type, (double)(float)c);
}

static lane_value polynomial(lane_program *p, enum lane_type type, lane_value x)
{
    lane_value y = constant(p, type, -0.0423);
    for (int k = 1; k < 7; k++) y = lane_fma(p, y, x, constant(p, type, 0.37 + 0.11 * k));
    return y;
}

static lane_value quotient(lane_program *p, enum lane_type type, lane_value x)
{
    const lane_value square = lane_binary(p, LANE_MUL, x, x);
    const lane_value root =
        lane_unary(p, LANE_SQRT, lane_binary(p, LANE_ADD, square, constant(p, type, 1.7)));
    const lane_value below = lane_binary(p, LANE_SUB, root, constant(p, type, 0.3));
    return lane_binary(p, LANE_MAX, lane_binary(p, LANE_DIV, x, below), constant(p, type, -1e3));
}

/* Cancels two of three bits. */
static lane_value difference(lane_program *p, enum lane_type type, lane_value x)
{
    const lane_value product = lane_binary(p, LANE_MUL, x, constant(p, type, 0.3));
    return lane_binary(p, LANE_SUB, product, lane_binary(p, LANE_MUL, x, constant(p, type, 0.27)));
}

/* Computes one value for all inputs below 2. */
static lane_value behind_a_clamp(lane_program *p, enum lane_type type, lane_value x)
{
    return polynomial(p, type, lane_binary(p, LANE_MAX, constant(p, type, 2), x));
}

static const lane_program *program_of(arena *memory, writer write, enum lane_type type)
{
    lane_program *p = lane_create(memory, &profile);
    lane_value x = lane_load(p, LANE_F32, 0);
    if (type == LANE_F64) x = lane_unary(p, LANE_WIDEN, x);
    lane_store(p, write(p, type, x), 1);
    return p;
}

static void run(const lane_program *p, const float *x, void *y)
{
    void *operands[2] = {(void *)x, y};
    interp *i = interp_create(p);
    assert_non_null(i);
    interp_run(i, operands, POINTS);
    interp_free(i);
}

static void inputs_from(float *x, float first)
{
    for (uint32_t k = 0; k < POINTS; k++) x[k] = f32_of_bits(bits_of_f32(first) + 12345 * k + (k * k & 63));
}

static double half_spacing(float y)
{
    int exponent;
    frexp((double)y, &exponent);
    return ldexp(1, exponent - 25);
}

static void what_roundings_make_is_the_distance_to_exact_arithmetic(void **state)
{
    (void)state;
    static const writer writers[] = {polynomial, quotient, difference};
    for (size_t w = 0; w < sizeof writers / sizeof *writers; w++)
        for (float first = 0.013f; first < 30; first *= 2.7f) {
            arena *memory = arena_create(0);
            float x[POINTS], y[POINTS], again[POINTS];
            double exact[POINTS];
            struct rounding_reach reach[POINTS];
            const lane_program *narrow = program_of(memory, writers[w], LANE_F32);
            struct roundings *r = roundings_create(narrow, memory);
            assert_non_null(r);
            inputs_from(x, first);
            roundings_at(r, x, y, reach);
            run(narrow, x, again);
            run(program_of(memory, writers[w], LANE_F64), x, exact);
            assert_memory_equal(y, again, sizeof y);
            for (unsigned k = 0; k < POINTS; k++) {
                const double made = (double)y[k] - exact[k],
                             most = reach[k].most + reach[k].last * half_spacing(y[k]);
                assert_true(fabs(reach[k].made - made) <= 1e-5 * most);
                assert_true(fabs(made) <= most && most < 100 * half_spacing(y[k]));
            }
            roundings_free(r);
            arena_free(memory);
        }
}

/* Computes x^2 and its error. The result uses both, so the rounding of neither counts. */
static lane_value compensated(lane_program *p, enum lane_type type, lane_value x)
{
    const lane_value square = lane_binary(p, LANE_MUL, x, x), three = constant(p, type, 3);
    const lane_value error = lane_fma(p, x, x, lane_unary(p, LANE_NEG, square));
    return lane_fma(p, error, three, lane_binary(p, LANE_MUL, square, three));
}

/* Computes x minus its nearest integer. Both steps of that rounding are exact for what follows. */
static lane_value fraction(lane_program *p, enum lane_type type, lane_value x)
{
    const lane_value shifter = constant(p, type, 0x1.8p23);
    const lane_value nearest = lane_binary(p, LANE_SUB, lane_binary(p, LANE_ADD, x, shifter), shifter);
    return lane_binary(p, LANE_SUB, x, nearest);
}

/* Puts the sign of x on a rounded product. */
static lane_value with_sign(lane_program *p, enum lane_type type, lane_value x)
{
    const lane_value size = lane_binary(p, LANE_MUL, lane_unary(p, LANE_ABS, x), constant(p, type, 1.3));
    const lane_value sign =
        lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x), lane_const_bits(p, LANE_I32, 0x80000000));
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, lane_unary(p, LANE_BITCAST, size), sign));
}

static void only_roundings_that_reach_the_result_count(void **state)
{
    (void)state;
    static const struct {
        writer write;
        float first;
        /* The limits in half units of the result's last place. */
        double least, most;
    } rows[] = {{compensated, 1.1f, 1.2, 2.5}, {fraction, 3.1f, 0, 0}, {with_sign, -2.3f, 1, 1}};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        arena *memory = arena_create(0);
        float x[POINTS], y[POINTS];
        struct rounding_reach reach[POINTS];
        struct roundings *r = roundings_create(program_of(memory, rows[n].write, LANE_F32), memory);
        assert_non_null(r);
        inputs_from(x, rows[n].first);
        roundings_at(r, x, y, reach);
        for (unsigned k = 0; k < POINTS; k++) {
            const double halves = reach[k].most / half_spacing(y[k]) + reach[k].last;
            assert_true(rows[n].least <= halves && halves <= rows[n].most);
        }
        roundings_free(r);
        arena_free(memory);
    }
}

static void behind_a_clamp_there_is_no_noise(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    struct roundings *r = roundings_create(program_of(memory, behind_a_clamp, LANE_F32), memory);
    struct rounding_reach reach[POINTS];
    float x[POINTS], y[POINTS];
    assert_non_null(r);
    inputs_from(x, 1.125f);
    roundings_at(r, x, y, reach);
    for (unsigned k = 0; k < POINTS; k++) {
        assert_true(y[k] == y[0] && reach[k].most == 0 && reach[k].made == 0);
        assert_int_equal(reach[k].last, 0);
    }
    inputs_from(x, 2.5f);
    roundings_at(r, x, y, reach);
    for (unsigned k = 0; k < POINTS; k++) assert_true(reach[k].most > 0 && reach[k].last > 0);
    roundings_free(r);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(behind_a_clamp_there_is_no_noise),
        cmocka_unit_test(what_roundings_make_is_the_distance_to_exact_arithmetic),
        cmocka_unit_test(only_roundings_that_reach_the_result_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
