/* Tests of operations that compute several steps at once (docs/language.md, "What bounds mean"): e^u 2^k,
 * whose error gives softmax's bound, a*b + c, and remainders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "isas.h"

enum { BITS = 96 };
enum { SPREAD = 1 << 16, BESIDE = 64, MOST_HALVES = 744 };

/* Returns the relative error compared with e^x 2^k, and leaves that exact value in `value`. */
static double relative_error(mpfr_t value, float x, float k, float computed)
{
    mpfr_set_d(value, (double)x, MPFR_RNDN);
    mpfr_exp(value, value, MPFR_RNDN);
    mpfr_mul_2si(value, value, (long)k, MPFR_RNDN);
    mpfr_d_div(value, (double)computed, value, MPFR_RNDN);
    mpfr_sub_ui(value, value, 1, MPFR_RNDN);
    return fabs(mpfr_get_d(value, MPFR_RNDN));
}

/* Chooses inputs between -258 and 258, and on both sides of multiples of log(2)/2. There one power of two
 * takes over from the next, or an ulp is largest. k brings each power near 1, or as near as k can. */
static size_t choose_exponents(float *x, float *k)
{
    size_t count = 0;
    for (; count < SPREAD; count++) x[count] = -258 + 516 * (float)count / (float)SPREAD;
    for (int n = -MOST_HALVES; n <= MOST_HALVES; n++)
        for (int side = 0; side < 2; side++) {
            x[count] = (float)(n * 0.69314718055994531 / 2);
            for (size_t j = 1; j < BESIDE; j++)
                x[count + j] = nextafterf(x[count + j - 1], side ? INFINITY : -INFINITY);
            count += BESIDE;
        }
    for (size_t i = 0; i < count; i++) k[i] = fmaxf(-254, fminf(254, -rintf(x[i] * 1.442695f)));
    return count;
}

static void powers_are_within_their_error(void **unused)
{
    (void)unused;
    enum { MOST = SPREAD + 2 * (2 * MOST_HALVES + 1) * BESIDE };
    static float x[MOST], k[MOST], p[MOST];
    const size_t count = choose_exponents(x, k);
    actgen_spec *spec = parse("kernel k(x: f32, k: f32) -> (p: f32) { p = exp(x)*exp2(round(k)) }");
    mpfr_t value;
    mpfr_init2(value, BITS);
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        double worst = 0;
        options.isa = own_isa_to_run(n);
        assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
        const actgen_operand list[] = {{x, 0}, {k, 0}, {p, 0}};
        assert_int_equal(actgen_run(kernel, 1, count, list, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < count; i++) worst = fmax(worst, relative_error(value, x[i], k[i], p[i]));
        printf("e^x 2^k on %s: at most %.5f u\n", own_isa_to_run(n), worst * 0x1p24);
        if (!(worst < 1.22 * 0x1p-24)) fail_msg("%s: %g u", own_isa_to_run(n), worst * 0x1p24);
        actgen_kernel_free(kernel);
    }
    mpfr_clear(value);
    actgen_spec_free(spec);
}

/* Checks that powers are within the error that a bound allows. An absolute bound counts as a share of the
 * value. */
static void powers_are_within_bounds(void **unused)
{
    (void)unused;
    enum { MOST = SPREAD + 2 * (2 * MOST_HALVES + 1) * BESIDE };
    static const int bounds[] = {-23, -22, -20, -17, -16, -12, -10, -8};
    static float x[MOST], k[MOST], p[MOST];
    const size_t count = choose_exponents(x, k);
    actgen_spec *spec = parse("kernel k(x: f32, k: f32) -> (p: f32) { p = exp(x)*exp2(round(k)) }");
    for (size_t n = 0; own_isa_to_run(n); n++)
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            const double most = ldexp(1, bounds[b]);
            double worst = 0;
            actgen_options options = ACTGEN_OPTIONS_INIT;
            actgen_kernel *kernel;
            options.isa = own_isa_to_run(n);
            char accuracy[20];
            snprintf(accuracy, sizeof accuracy, "abs 2^%d", bounds[b]);
            options.accuracy = accuracy;
            assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
            const actgen_operand list[] = {{x, 0}, {k, 0}, {p, 0}};
            assert_int_equal(actgen_run(kernel, 1, count, list, 3, &error), ACTGEN_OK);
            for (size_t i = 0; i < count; i++)
                worst = fmax(worst, fabs((double)p[i] / ldexp(exp((double)x[i]), (int)k[i]) - 1));
            printf("e^x 2^k on %s: 2^%d allowed, at most %.3f of it\n", own_isa_to_run(n), bounds[b],
                   worst / most);
            if (!(worst <= most)) fail_msg("%s, 2^%d: %g", own_isa_to_run(n), bounds[b], worst);
            actgen_kernel_free(kernel);
        }
    actgen_spec_free(spec);
}

/* Checks the ends of the range. No factor overflows by itself, and a power without a value is NaN. A k
 * that is not an integer is rounded, and a large k is clamped. */
static void powers_at_their_ends(void **unused)
{
    (void)unused;
    static const struct {
        float x, k, p;
    } cases[] = {{200, -280, 0x1.73f60ep+8F},
                 {90, -130, 0x1.cb109p-1F},
                 {0, 2.5F, 4},
                 {0, 3.5F, 16},
                 {-90, 131, 0x1.1d8508p+1F},
                 {-87.5F, 0, 0x1.b2cap-127F},
                 {-90, 0, 0},
                 {-250, 254, 0x1.40f532p-107F},
                 {-INFINITY, 254, 0},
                 {-3e38F, 254, 0},
                 {-360, INFINITY, 0},
                 {INFINITY, -254, INFINITY},
                 {360, -INFINITY, INFINITY},
                 {NAN, 0, NAN},
                 {0, NAN, NAN},
                 {-INFINITY, NAN, NAN}};
    enum { CASES = sizeof cases / sizeof *cases };
    float x[CASES], k[CASES], p[CASES];
    actgen_spec *spec = parse("kernel k(x: f32, k: f32) -> (p: f32) { p = exp(x)*exp2(round(k)) }");
    actgen_kernel *kernel;
    for (size_t i = 0; i < CASES; i++) x[i] = cases[i].x, k[i] = cases[i].k;
    const actgen_operand list[] = {{x, 0}, {k, 0}, {p, 0}};
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = own_isa_to_run(n);
        assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
        assert_int_equal(actgen_run(kernel, 1, CASES, list, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < CASES; i++) {
            const bool is_right = isnan(cases[i].p) ? isnan(p[i])
                                  : cases[i].p == 0 || isinf(cases[i].p)
                                      ? p[i] == cases[i].p
                                      : fabsf(p[i] / cases[i].p - 1) < 1e-3F;
            if (!is_right)
                fail_msg("e^%g 2^%g is %a, not %a", (double)x[i], (double)k[i], (double)p[i],
                         (double)cases[i].p);
        }
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
}

/* Checks that a product and sum round once. Here a*b is 2^-24 - 2^-70, so c + a*b is nearly a tie, and f64
 * takes it for a tie. Rounding once gives c. Rounding twice gives the number above c. */
static void a_product_and_sum_are_rounded_once(void **unused)
{
    (void)unused;
    float a = 0x1.000002p-24F, b = 0x1.fffffcp-1F, c = 0x1.000002p0F, y;
    actgen_spec *spec = parse("kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = f32(f64(a)*b + c) }");
    const actgen_operand list[] = {{&a, 0}, {&b, 0}, {&c, 0}, {&y, 0}};
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        options.isa = own_isa_to_run(n);
        assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
        assert_int_equal(actgen_run(kernel, 1, 1, list, 4, &error), ACTGEN_OK);
        const bool has_fma = strcmp(own_isa_to_run(n), "x86-64") != 0;
        if (y != (has_fma ? 0x1.000002p0F : 0x1.000004p0F)) fail_msg("%s: %a", own_isa_to_run(n), (double)y);
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
}

/* Returns the remainder of a by b with the sign of b, as NumPy's mod. The sum is in f64. */
static double remainder_by_floor(double a, double b)
{
    const double rest = fmod(a, b);
    if (rest == 0) return copysign(0, b);
    return (rest < 0) == (b < 0) ? rest : rest + b;
}

/* Fills in numbers of any bits, and then numbers next to multiples of b. There a/b rounds to an integer that
 * it is not. The first numbers have quotients up to 2^277. */
static void choose_dividends(float *a, float *b, size_t count)
{
    uint64_t state = 1;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits[2];
        for (int k = 0; k < 2; k++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bits[k] = (uint32_t)(state >> 32);
        }
        if (i < count / 8) bits[0] = (bits[0] & 0x807fffff) | 0x7f000000, bits[1] &= 0x8000000f;
        memcpy(&a[i], &bits[0], sizeof *a);
        memcpy(&b[i], &bits[1], sizeof *b);
        if (i < count / 2) continue;
        b[i] = 0.1F + (float)(bits[0] >> 8) * 0x1p-22F;
        a[i] = nextafterf((float)(bits[1] >> 10) * b[i], bits[1] & 1 ? INFINITY : -INFINITY);
        if (bits[1] & 2) a[i] = -a[i];
        if (bits[1] & 4) b[i] = -b[i];
    }
}

static void expect_remainders(const char *text, double (*of)(double, double))
{
    enum { COUNT = 1 << 16 };
    static float a[COUNT], b[COUNT], y[COUNT];
    choose_dividends(a, b, COUNT);
    actgen_spec *spec = parse(text);
    const actgen_operand list[] = {{a, 0}, {b, 0}, {y, 0}};
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        options.isa = own_isa_to_run(n);
        assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
        assert_int_equal(actgen_run(kernel, 1, COUNT, list, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < COUNT; i++) {
            const float right = (float)of((double)a[i], (double)b[i]);
            const bool is_equal = y[i] == right && !signbit(y[i]) == !signbit(right);
            if (!is_equal && !(isnan(right) && isnan(y[i])))
                fail_msg("%s of %a and %a on %s is %a, not %a", text, (double)a[i], (double)b[i],
                         own_isa_to_run(n), (double)y[i], (double)right);
        }
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
}

static void remainders_are_exact(void **unused)
{
    (void)unused;
    expect_remainders("kernel k(a: f32, b: f32) -> (y: f32) { y = fmod(a, b) }", fmod);
    expect_remainders("kernel k(a: f32, b: f32) -> (y: f32) { y = mod(a, b) }", remainder_by_floor);
}

/* Checks numbers of f64 next to multiples of b, with quotients up to 2^53. */
static void remainders_of_f64_are_exact_by_fma(void **unused)
{
    (void)unused;
    enum { COUNT = 1 << 14 };
    static double a[COUNT], b[COUNT], y[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        const int exponent = (int)(i % 52) + 1;
        b[i] = (double)(i % 2 ? 3.1F : -0.7F) + (double)(i % 4096) / 7;
        a[i] = nextafter(floor(ldexp(1 + (double)i / (double)COUNT, exponent)) * b[i],
                         i % 3 ? INFINITY : -INFINITY);
    }
    actgen_spec *spec = parse("kernel k(a: f64, b: f64) -> (y: f64) { y = fmod(a, b) }");
    const actgen_operand list[] = {{a, 0}, {b, 0}, {y, 0}};
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        options.isa = own_isa_to_run(n);
        if (!strcmp(options.isa, "x86-64")) continue; /* It has no fma. */
        assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, &options, &error), ACTGEN_OK);
        assert_int_equal(actgen_run(kernel, 1, COUNT, list, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < COUNT; i++)
            if (y[i] != fmod(a[i], b[i])) fail_msg("%a and %a on %s: %a", a[i], b[i], options.isa, y[i]);
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(powers_are_within_their_error), cmocka_unit_test(powers_are_within_bounds),
        cmocka_unit_test(powers_at_their_ends),          cmocka_unit_test(a_product_and_sum_are_rounded_once),
        cmocka_unit_test(remainders_are_exact),          cmocka_unit_test(remainders_of_f64_are_exact_by_fma),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
