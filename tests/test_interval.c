/* Tests of images of intervals: they hold all values that they must hold, and no more than necessary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "interval.h"

#include <math.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* Checks sin and cos of intervals of any width. The image holds the value of every point inside, and is no
 * wider than necessary. */
static void waves_of_wide_intervals(void **state)
{
    (void)state;
    uint64_t seed = 4;
    interval a, r, scratch[INTERVAL_SCRATCH];
    interval_init(&a, 60);
    interval_init(&r, 60);
    for (int i = 0; i < INTERVAL_SCRATCH; i++) interval_init(&scratch[i], 60);
    for (int i = 0; i < 2000; i++) {
        double from = -10 + 20 * random_unit(&seed), width = 0.99 * random_unit(&seed), lo = 1, hi = -1;
        mpfr_set_d(a.lo, from, MPFR_RNDD);
        mpfr_set_d(a.hi, from + width, MPFR_RNDU);
        a.state = INTERVAL_DEFINED;
        (i % 2 ? interval_sin : interval_cos)(&r, &a, scratch);
        for (int k = 0; k <= 200; k++) {
            double x = from + width * (k / 200.0), y = i % 2 ? sin(x) : cos(x);
            lo = fmin(lo, y);
            hi = fmax(hi, y);
        }
        double low = mpfr_get_d(r.lo, MPFR_RNDD), high = mpfr_get_d(r.hi, MPFR_RNDU);
        assert_true(low <= lo + 1e-15 && high >= hi - 1e-15);
        assert_true(low >= lo - 1e-5 && high <= hi + 1e-5);
    }
    interval_clear(&a);
    interval_clear(&r);
    for (int i = 0; i < INTERVAL_SCRATCH; i++) interval_clear(&scratch[i]);
}

#define FUNCTION(name, ...) interval_##name,
static interval_function *const images[] = {
#include "functions.def"
};
#undef FUNCTION

/* Computes the image by an elementary function. Numbers past those functions stand for powers. */
static void apply(size_t which, interval *r, const interval *a, interval *scratch)
{
    static const long powers[][2] = {{2, 1}, {3, 1}, {-1, 1}, {-2, 1}, {1, 3}, {-5, 7}};
    if (which < COUNT(images)) {
        images[which](r, a, scratch);
        return;
    }
    mpq_t q;
    mpq_init(q);
    mpq_set_si(q, powers[which - COUNT(images)][0], (unsigned long)powers[which - COUNT(images)][1]);
    interval_power(r, a, q, scratch);
    mpq_clear(q);
}

/* Checks that the image of an interval, narrow or wide, holds the images of its ends and its middle. */
static void images_hold_points(void **state)
{
    (void)state;
    uint64_t seed = 5;
    interval a, r, point, image,
        scratch[INTERVAL_SCRATCH], *const all[] = {&a,          &r,          &point,     &image,
                                                   &scratch[0], &scratch[1], &scratch[2]};
    for (size_t i = 0; i < COUNT(all); i++) interval_init(all[i], 96);
    a.state = point.state = INTERVAL_DEFINED;
    for (size_t i = 0; i < 100 * (COUNT(images) + 6); i++) {
        mpfr_set_d(a.lo, -4 + 8 * random_unit(&seed), MPFR_RNDD);
        mpfr_add_d(a.hi, a.lo, exp2(-80 * random_unit(&seed)), MPFR_RNDU);
        apply(i / 100, &r, &a, scratch);
        if (r.state != INTERVAL_DEFINED) continue;
        for (int k = 0; k < 3; k++) {
            mpfr_add(point.lo, k < 2 ? a.lo : a.hi, k < 1 ? a.lo : a.hi, MPFR_RNDD);
            mpfr_div_2ui(point.lo, point.lo, 1, MPFR_RNDD);
            mpfr_set(point.hi, point.lo, MPFR_RNDU);
            apply(i / 100, &image, &point, scratch);
            assert_int_equal(image.state, INTERVAL_DEFINED);
            if (mpfr_greater_p(r.lo, image.hi) || mpfr_less_p(r.hi, image.lo))
                fail_msg("function %zu", i / 100);
        }
    }
    for (size_t i = 0; i < COUNT(all); i++) interval_clear(all[i]);
}

/* -- open ends -- */

static void (*const binary[])(interval *, const interval *, const interval *) = {
    interval_add, interval_sub, interval_mul, interval_div, interval_min, interval_max, interval_hull,
};

/* Chooses small integers and halves as ends, which sums and products reach exactly. Chance decides which
 * ends are open. */
static void choose_ends(interval *a, uint64_t *seed)
{
    const double low = floor(-6 + 12 * random_unit(seed)) / 2, width = floor(4 * random_unit(seed)) / 2;
    mpfr_set_d(a->lo, low, MPFR_RNDD);
    mpfr_set_d(a->hi, low + width, MPFR_RNDU);
    a->state = INTERVAL_DEFINED;
    a->lo_open = width > 0 && random_unit(seed) < 0.5;
    a->hi_open = width > 0 && random_unit(seed) < 0.5;
}

/* Chooses a number of the interval at one of its ends, or next to an open end. */
static void choose_point(interval *point, const interval *a, bool high)
{
    mpfr_set(point->lo, high ? a->hi : a->lo, MPFR_RNDD);
    if (high ? a->hi_open : a->lo_open)
        mpfr_add_d(point->lo, point->lo, high ? -0x1p-70 : 0x1p-70, MPFR_RNDD);
    mpfr_set(point->hi, point->lo, MPFR_RNDU);
    point->state = INTERVAL_DEFINED;
    point->lo_open = point->hi_open = false;
}

/* Checks that an open end lies below or above all values. The values at the operands' ends
 * come next to it. */
static void open_ends_are_not_reached(void **state)
{
    (void)state;
    enum { CASES = 400 };
    enum { A, B, RESULT, X, Y, IMAGE, SCRATCH };
    uint64_t seed = 6;
    interval all[SCRATCH + INTERVAL_SCRATCH], *r = &all[RESULT], *image = &all[IMAGE];
    unsigned open = 0;
    for (size_t i = A; i < COUNT(all); i++) interval_init(&all[i], 192);
    for (size_t i = 0; i < CASES * (COUNT(images) + COUNT(binary)); i++) {
        const size_t which = i / CASES;
        choose_ends(&all[A], &seed);
        choose_ends(&all[B], &seed);
        if (which < COUNT(images))
            images[which](r, &all[A], &all[SCRATCH]);
        else
            binary[which - COUNT(images)](r, &all[A], &all[B]);
        for (unsigned k = 0; k < 4 && r->state == INTERVAL_DEFINED; k++) {
            choose_point(&all[X], &all[A], k & 1);
            choose_point(&all[Y], &all[B], k & 2);
            if (which < COUNT(images))
                images[which](image, &all[X], &all[SCRATCH]);
            else
                binary[which - COUNT(images)](image, &all[X], &all[Y]);
            /* A pole has one sign. */
            if (image->state != INTERVAL_DEFINED || mpfr_inf_p(image->lo)) continue;
            const int above = mpfr_cmp(image->hi, r->lo), below = mpfr_cmp(r->hi, image->lo);
            if (above < 0 || below < 0 || (r->lo_open && !above) || (r->hi_open && !below))
                fail_msg("operation %zu, case %zu", which, i % CASES);
        }
        open += r->state == INTERVAL_DEFINED && (r->lo_open || r->hi_open);
    }
    assert_true(open > CASES);
    for (size_t i = A; i < COUNT(all); i++) interval_clear(&all[i]);
}

/* Checks e^x - 1 at the precisions used for ties. The exact value is inside, above -1, with e^x known to a
 * thousand bits. */
static void expm1_far_from_zero(void **state)
{
    (void)state;
    static const struct {
        double x;
        mpfr_prec_t bits;
    } rows[] = {{-64.5, 32768}, {-1000, 32768}, {-20000.25, 32768}, {-65504, 131072}, {-3e38, 131072}};
    for (size_t n = 0; n < COUNT(rows); n++) {
        interval a, r;
        mpfr_t exact;
        interval_init(&a, rows[n].bits);
        interval_init(&r, rows[n].bits);
        mpfr_init2(exact, 2 * rows[n].bits);
        a.state = INTERVAL_DEFINED;
        mpfr_set_d(a.lo, rows[n].x, MPFR_RNDN);
        mpfr_set_d(a.hi, rows[n].x, MPFR_RNDN);
        interval_expm1(&r, &a, NULL);
        mpfr_expm1(exact, a.lo, MPFR_RNDN);
        assert_int_equal(r.state, INTERVAL_DEFINED);
        assert_true(mpfr_cmp(r.lo, exact) <= 0 && mpfr_cmp(exact, r.hi) <= 0);
        assert_true(r.lo_open || mpfr_cmp_si(r.lo, -1) > 0);
        /* The bits of the result reach e^x. */
        if (rows[n].x > -0.69 * (double)rows[n].bits) {
            mpfr_sub(r.hi, r.hi, r.lo, MPFR_RNDU);
            mpfr_add_ui(exact, exact, 1, MPFR_RNDN);
            assert_true(mpfr_get_exp(r.hi) < mpfr_get_exp(exact) - 1000);
        }
        mpfr_clear(exact);
        interval_clear(&a);
        interval_clear(&r);
    }
}

/* Checks e8m0, whose numbers are the powers of two. A magnitude is rounded down, and 0 is the least power. */
static void casts_to_powers_of_two(void **state)
{
    (void)state;
    static const struct {
        double lo, hi, least, most;
        enum interval_state state;
    } rows[] = {
        {.lo = 3, .hi = 4, .least = 2, .most = 4, .state = INTERVAL_DEFINED},
        {.lo = -7.5, .hi = -0.75, .least = 0.5, .most = 4, .state = INTERVAL_DEFINED},
        {.lo = -3, .hi = 1, .least = 0x1p-127, .most = 2, .state = INTERVAL_DEFINED},
        {.lo = 0, .hi = 0, .least = 0x1p-127, .most = 0x1p-127, .state = INTERVAL_DEFINED},
        {.lo = 0x1p-130, .hi = 0x1p-126, .least = 0x1p-127, .most = 0x1p-126, .state = INTERVAL_DEFINED},
        {.lo = 0x1.8p127, .hi = 0x1.8p127, .least = 0x1p127, .most = 0x1p127, .state = INTERVAL_DEFINED},
        {.lo = 1, .hi = 0x1p128, .state = INTERVAL_DOUBTFUL},
        {.lo = 1, .hi = (double)INFINITY, .state = INTERVAL_DOUBTFUL},
        {.lo = 0x1p128, .hi = 0x1p129, .state = INTERVAL_UNDEFINED},
    };
    interval a, r;
    interval_init(&a, 60);
    interval_init(&r, 60);
    for (size_t i = 0; i < COUNT(rows); i++) {
        mpfr_set_d(a.lo, rows[i].lo, MPFR_RNDN);
        mpfr_set_d(a.hi, rows[i].hi, MPFR_RNDN);
        a.state = INTERVAL_DEFINED;
        interval_cast(&r, &a, ELEMENT_E8M0);
        assert_int_equal(r.state, rows[i].state);
        if (r.state != INTERVAL_DEFINED) continue;
        assert_int_equal(mpfr_cmp_d(r.lo, rows[i].least), 0);
        assert_int_equal(mpfr_cmp_d(r.hi, rows[i].most), 0);
    }
    interval_clear(&a);
    interval_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waves_of_wide_intervals),   cmocka_unit_test(images_hold_points),
        cmocka_unit_test(open_ends_are_not_reached), cmocka_unit_test(expm1_far_from_zero),
        cmocka_unit_test(casts_to_powers_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
