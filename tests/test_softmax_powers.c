/* Tests the powers e^x 2^k of which softmax is made (templates/rows.act). docs/language.md derives the bound
 * of softmax from their error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "engine.h"

enum { BITS = 96 };

/* Returns the error of e^x 2^k, in 2^-24 of the value. docs/language.md derives softmax's bound
 * from that error. */
static double power_error(const actgen_kernel *kernel, uint32_t bits, mpfr_t exact)
{
    float x, k, y;
    memcpy(&x, &bits, sizeof x);
    k = (float)-rint((double)x / 0x1.62e42fefa39efp-1);
    const actgen_operand list[] = {{&x, 0}, {&k, 0}, {&y, 0}};
    if (actgen_run(kernel, 1, 1, list, 3, &error)) fail_msg("%s", error.message);
    mpfr_set_flt(exact, x, MPFR_RNDN);
    mpfr_exp(exact, exact, MPFR_RNDN);
    mpfr_mul_2si(exact, exact, (long)k, MPFR_RNDN);
    mpfr_d_div(exact, (double)y, exact, MPFR_RNDN);
    mpfr_sub_ui(exact, exact, 1, MPFR_RNDN);
    return fabs(mpfr_get_d(exact, MPFR_RNDN)) * 0x1p24;
}

static void powers_are_within_1_22(void **unused)
{
    (void)unused;
    static const char text[] = "kernel power(x: f32, k: f32) -> (y: f32) { y = exp(x)*exp2(round(k)) }";
    static const char *const profiles[] = {NULL, "portable", "portable-nofma"};
    enum { STEP = 4099 };
    /* The bits of 2^-13 and 262. */
    const uint32_t sign = UINT32_C(1) << 31, least = 0x39000000, most = 0x43830000;
    actgen_spec *spec;
    mpfr_t exact;
    if (actgen_spec_parse(&spec, "power.act", text, strlen(text), &error)) fail_msg("%s", error.message);
    mpfr_init2(exact, BITS);
    for (size_t n = 0; n < sizeof profiles / sizeof *profiles; n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        double largest = 0;
        options.profile = profiles[n];
        if (actgen_compile(&kernel, engine, spec, NULL, &options, &error)) fail_msg("%s", error.message);
        for (uint32_t bits = least; bits < most; bits += STEP)
            largest = fmax(largest,
                           fmax(power_error(kernel, bits, exact), power_error(kernel, bits | sign, exact)));
        print_message("e^x 2^k, %s: at most %.4f\n", profiles[n] ? profiles[n] : "own profile", largest);
        assert_true(largest < 1.22);
        actgen_kernel_free(kernel);
    }
    mpfr_clear(exact);
    actgen_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_are_within_1_22)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
