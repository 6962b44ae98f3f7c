/* Tests of the table of element types: its columns against each other, and the ways of rounding to a
 * format against each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "element.h"
#include "interp.h"
#include "interval.h"
#include "rounded_half.h"

#include <math.h>

/* Rounds a double with MPFR. */
static double rounded_by_mpfr(const struct float_format *format, double x)
{
    mpfr_t value;
    mpfr_init2(value, 64);
    mpfr_set_d(value, x, MPFR_RNDN);
    round_to_format(value, value, format);
    const double result = mpfr_get_d(value, MPFR_RNDN);
    mpfr_clear(value);
    return result;
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || bits_of_f64(a) == bits_of_f64(b); }

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Returns true for floats and integers of at most 16 bits. */
static bool is_narrow(enum element_type type) { return element_is_half(type) || element_is_nibble(type); }

/* Returns a number with a few bits more than the format has. Its size is any that the format has, or
 * somewhat beyond. */
static double number_near(const struct float_format *f, uint64_t *seed)
{
    const uint64_t bits = next_random(seed);
    const int exponents = f->max_exponent - f->min_exponent + f->precision + 6;
    const int exponent = f->min_exponent - f->precision - 2 + (int)(bits % (unsigned)exponents);
    const double units =
        /* The number has two bits more than the format. */
        floor(ldexp(1 + (double)(bits >> 12) * 0x1p-52, f->precision + 1));
    return ldexp(bits >> 11 & 1 ? -units : units, exponent - f->precision - 1);
}

/* Checks formats, which types that this version refuses also have. */
static void test_formats(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const struct element_type_info *t = &element_types[type];
        const struct float_format *f = &t->format;
        if (!f->precision) continue;
        const double last = f->has_infinity ? float_spacing(f, f->largest) : 0;
        assert_true(same(float_limit(f) - last, f->largest) || type == ELEMENT_F64);
        assert_true(same(rounded_by_mpfr(f, f->largest), f->largest));
        const double beyond = type == ELEMENT_F64 ? (double)INFINITY : rounded_by_mpfr(f, 2 * float_limit(f));
        assert_true(f->has_infinity ? beyond > f->largest : beyond == f->largest);
        for (int n = 0; n < 20000 && f->precision <= 24; n++) {
            const double x = number_near(f, &seed), right = rounded_by_mpfr(f, x);
            if (!same(float_round(f, x), right)) fail_msg("%s: %a", t->name, x);
            if (is_narrow(type) && !same((double)t->rounded((float)x), right))
                fail_msg("%s stores %a", t->name, x);
            if (isfinite(right) && float_ulps(f, right, x) > 0.5) fail_msg("%s: error at %a", t->name, x);
        }
    }
    assert_true(float_limit(&element_types[ELEMENT_E4M3].format) == 448);
}

/* Checks the conversion of all bits of small types to lanes and back, one by one and in rows. */
static void test_conversions(void **state)
{
    (void)state;
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const struct element_type_info *t = &element_types[type];
        if (!is_narrow(type)) continue;
        const float largest = (float)t->format.largest;
        for (uint64_t bits = 0; bits >> t->bits == 0; bits++) {
            uint64_t given = 0, stored[2] = {0};
            float lane;
            element_set(&given, type, 0, bits);
            t->read(&lane, &given, 1, 1);
            t->write(stored, 1, &lane, 1);
            const bool right = element_same(type, t->near(t->value(bits)), bits) &&
                               same((double)lane, t->value(bits)) &&
                               same((double)t->rounded(lane), t->value(bits)) &&
                               element_same(type, element_get(stored, type, 0), bits) && !stored[1];
            if (!right) fail_msg("%s %#x", t->name, (unsigned)bits);
            if (isfinite(lane) && fabsf(lane) > largest)
                fail_msg("%s: %g is beyond the largest", t->name, (double)lane);
        }
        if (element_is_integer(type)) continue;
        assert_true(t->value(t->near(t->format.largest)) == t->format.largest);
        const double after = t->value(t->near(t->format.largest) + 1);
        assert_true(t->format.has_infinity ? isinf(after) : isnan(after) || !element_has_nan(type));
    }
}

/* Checks elements of 4 bits against OCP's table, and that two of them share a byte. */
static void test_nibbles(void **state)
{
    static const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    const struct element_type_info *e2m1 = &element_types[ELEMENT_E2M1], *i4 = &element_types[ELEMENT_I4];
    static const float numbers[] = {0.25f, 0.75f, -2.5f, 5, 5.5f, 1e9f, -7.6f};
    static const double rounded[] = {0, 1, -2, 4, 6, 6, -6}, whole[] = {0, 1, -2, 5, 6, 7, -8};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    (void)state;
    for (uint64_t bits = 0; bits < 16; bits++) {
        assert_true(same(e2m1->value(bits), bits < 8 ? sizes[bits] : -sizes[bits - 8]));
        assert_true(i4->value(bits) == (double)bits - (bits < 8 ? 0 : 16));
    }
    assert_true(e2m1->value(e2m1->near((double)NAN)) == 6 && i4->value(i4->near((double)NAN)) == 0);
    uint8_t row[16];
    memset(row, 0xff, sizeof row);
    e2m1->write(row, 1, numbers, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(e2m1->value(element_get(row, ELEMENT_E2M1, i)) == rounded[i]);
    assert_true(row[0] == 0x20 && row[3] == 0x0f && row[4] == 0xff); /* the even element is in the low half */
    i4->write(row, 1, numbers, COUNT);
    for (size_t i = 0; i < COUNT; i++) assert_true(i4->value(element_get(row, ELEMENT_I4, i)) == whole[i]);
    element_set(row, ELEMENT_I4, 1, 5);
    assert_true(row[0] == 0x50 && element_bytes(ELEMENT_I4, COUNT) == 4);
}

/* Checks that lanes hold integers of 32 bits as the nearest f32. */
static void test_accumulators(void **state)
{
    (void)state;
    const struct element_type_info *t = &element_types[ELEMENT_I32];
    uint64_t seed = 1;
    for (int n = 0; n < 100000; n++) {
        const uint64_t random = next_random(&seed);
        const int32_t element = (int32_t)(random >> 32) >> (random & 31);
        const double right = rounded_by_mpfr(&element_types[ELEMENT_F32].format, (double)element);
        float lane;
        t->read(&lane, &element, 1, 1);
        if (!same((double)lane, right) || !same(t->value((uint32_t)element), right))
            fail_msg("%d becomes %a, not %a", element, (double)lane, right);
        if (!same(t->value(t->near(right)), right)) fail_msg("no element is near %a", right);
    }
    assert_true(element_least(ELEMENT_I32) == -0x1p31 && element_most(ELEMENT_I32) == 0x1p31);
}

/* Checks the powers of two of scales: their bits, and what becomes of numbers between them. */
static void test_powers(void **state)
{
    (void)state;
    const struct element_type_info *t = &element_types[ELEMENT_E8M0];
    for (uint64_t bits = 0; bits < 256; bits++) {
        const double value = t->value(bits);
        assert_true(bits == 255 ? isnan(value) : value == ldexp(1, (int)bits - 127));
        assert_int_equal(t->near(value), bits);
        assert_int_equal(t->near(-value), bits);
        if (bits < 254) assert_int_equal(t->near(1.99 * value), bits);
        assert_true(bits == 255 || (double)t->rounded((float)value) == value);
    }
    assert_int_equal(t->near(0), 0);
    assert_int_equal(t->near(0x1p-149), 0);
    assert_int_equal(t->near(0x1.fffffep127), 254);
    assert_int_equal(t->near((double)INFINITY), 255);
    assert_int_equal(t->near((double)-INFINITY), 255);
}

/* The lane of a narrow type that holds x, and the value that a store leaves, with integers clamped to
 * their limits. Both come from arithmetic in double. Both rise with x, except for NaN. */
struct narrowed {
    double lane, stored;
};

static struct narrowed narrowed_of(enum element_type type, float x)
{
    const struct float_format *f = &element_types[type].format;
    const double near = nearest_of_type(x, f->precision, f->min_exponent, f->largest);
    const double lane = f->has_infinity ? near : saturated(near, f->largest);
    if (isnan(x) && type == ELEMENT_E2M1) return (struct narrowed){6, 6};
    if (!element_is_integer(type)) return (struct narrowed){lane, lane};
    return (struct narrowed){lane, integer_within((double)x, element_least(type), element_most(type))};
}

static void fail_at(enum element_type type, double stored, double right, uint32_t bits)
{
    fail_msg("%s stores %a, not %a, of %a", element_types[type].name, stored, right,
             (double)f32_of_bits(bits));
}

enum { BLOCK = 4096 };

/* Checks that all of these numbers round to `right`: one by one, in a row, and as doubles. */
static void check_block(enum element_type type, uint32_t first, uint32_t count, struct narrowed right)
{
    const struct element_type_info *t = &element_types[type];
    static float lanes[BLOCK];
    static uint16_t row[BLOCK];
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = f32_of_bits(first + i);
        const double lane = (double)t->rounded(lanes[i]);
        if (!same(lane, right.lane)) fail_at(type, lane, right.lane, first + i);
    }
    t->write(row, 1, lanes, count);
    const uint64_t all = element_get(row, type, 0), near = t->near((double)lanes[0]);
    if (!same(t->value(all), right.stored)) fail_at(type, t->value(all), right.stored, first);
    if (!same(t->value(near), right.stored)) fail_at(type, t->value(near), right.stored, first);
    for (uint32_t i = 1; i < count; i++) {
        const uint64_t stored = element_get(row, type, i);
        if (stored != all && !(isnan(right.stored) && isnan(t->value(stored))))
            fail_at(type, t->value(stored), right.stored, first + i);
    }
}

/* Checks a range of numbers that rise or fall. Where the first and the last round to the same value, so do
 * all between them. */
static void check_range(enum element_type type, uint32_t first, uint32_t count)
{
    const struct narrowed right = narrowed_of(type, f32_of_bits(first)),
                          last = narrowed_of(type, f32_of_bits(first + count - 1));
    if (same(right.lane, last.lane) && same(right.stored, last.stored)) {
        check_block(type, first, count, right);
    } else {
        check_range(type, first, count / 2);
        check_range(type, first + count / 2, count - count / 2);
    }
}

/* Checks the first of each `step` blocks of all numbers of f32, for every narrow type. */
static void check_blocks(uint64_t step)
{
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++)
        for (uint64_t first = 0; is_narrow(type) && element_types[type].format.precision && first >> 32 == 0;
             first += step * BLOCK)
            check_range(type, (uint32_t)first, BLOCK);
}

static void test_numbers(void **state)
{
    (void)state;
    check_blocks(4099);
}

/* Compares rounding by arithmetic, for types without an op of their own, with the ops of the types
 * that have one. */
static void test_arithmetic(void **state)
{
    (void)state;
    static float x[BLOCK], by_op[BLOCK], by_arithmetic[BLOCK];
    void *operands[] = {x, by_op, by_arithmetic};
    const struct target_profile profile = {.name = "plain"};
    for (enum element_type type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const struct float_format *f = &element_types[type].format;
        if (!element_is_half(type) || f->max_exponent > 15) continue;
        assert_true(lane_rounding_to(type) != LANE_OP_COUNT);
        arena *memory = arena_create(0);
        lane_program *p = lane_create(memory, &profile);
        const lane_value v = lane_load(p, LANE_F32, 0);
        lane_store(p, lane_rounded_to(p, v, type), 1);
        lane_store(p, lane_rounded_by_arithmetic(p, v, type), 2);
        assert_int_equal(lane_verify(p, NULL), 0);
        interp *run = interp_create(p);
        assert_non_null(run);
        for (uint64_t first = 0; first >> 32 == 0; first += 511 * BLOCK / 8) {
            for (uint32_t i = 0; i < BLOCK; i++) x[i] = f32_of_bits((uint32_t)first + 4097 * i);
            interp_run(run, operands, BLOCK);
            for (uint32_t i = 0; i < BLOCK; i++)
                if (!same((double)by_op[i], (double)by_arithmetic[i]))
                    fail_at(type, (double)by_arithmetic[i], (double)by_op[i], bits_of_f32(x[i]));
        }
        interp_free(run);
        arena_free(memory);
    }
}

static void test_all_numbers(void **state)
{
    (void)state;
    check_blocks(1);
}

/* Runs the tests. `test_element_types all` converts every f32 to every narrow type, which
 * takes two minutes. */
int main(int count, char **arguments)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(test_all_numbers)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),      cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_accumulators), cmocka_unit_test(test_powers),
        cmocka_unit_test(test_nibbles),      cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_arithmetic),
    };
    return count > 1 && !strcmp(arguments[1], "all") ? cmocka_run_group_tests(all, NULL, NULL)
                                                     : cmocka_run_group_tests(tests, NULL, NULL);
}
