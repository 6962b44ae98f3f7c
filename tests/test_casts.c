/* Tests of casts, compiled and by the interpreter, for numbers around a type's largest number and each
 * value of `saturate`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *cast;
    double x, value;
} rows[] = {
    {"e4m3(x)", 449, 448},
    {"e4m3(x)", INFINITY, 448},
    {"e4m3(x)", NAN, NAN},
    {"e4m3(x, saturate = 1)", -INFINITY, -448},
    {"e4m3(x, saturate = 0)", 448, 448},
    {"e4m3(x, saturate = 0)", -464, -448}, /* The number is a tie. */
    {"e4m3(x, saturate = 0)", 0x1.d00002p8, NAN},
    {"e4m3(x, saturate = 0)", -0x1.d00002p8, NAN},
    {"e4m3(x, saturate = 0)", 480, NAN},
    {"e4m3(x, saturate = 0)", INFINITY, NAN},
    {"e4m3(x, saturate = 0)", -INFINITY, NAN},
    {"e4m3(x, saturate = 0)", NAN, NAN},
    {"e4m3(x, saturate = 0)", -0.0, -0.0},
    {"e4m3(x, saturate = 0)", 0x1p-9, 0x1p-9},
    {"e5m2(x)", 61439, 57344},
    {"e5m2(x)", 61440, INFINITY}, /* The number is a tie. */
    {"e5m2(x, saturate = 0)", -61440, -INFINITY},
    {"e5m2(x, saturate = 1)", 61440, 57344},
    {"e5m2(x, saturate = 1)", -INFINITY, -57344},
    {"e5m2(x, saturate = 1)", 0x1.fffffep127, 57344},
    {"e5m2(x, saturate = 1)", NAN, NAN},
    {"e5m2(x, saturate = 1)", -0x1p-16, -0x1p-16},
    {"f16(x, saturate = 1)", 65520, 65504},
    {"f16(x, saturate = 0)", 65520, INFINITY},
    {"f16(x, saturate = 1)", -INFINITY, -65504},
    {"bf16(x, saturate = 1)", 0x1.fffffep127, 0x1.fep127},
    {"bf16(x)", 0x1.fffffep127, INFINITY},
    {"e4m3(2*x, saturate = 0)", 232, 448},
    {"e4m3(2*x, saturate = 0)", 233, NAN},
    {"e4m3(x*w, saturate = 0)", 232, 448},
    {"e4m3(x*w, saturate = 0)", 233, NAN},
    {"e5m2(x*w, saturate = 1)", 1e30, 57344},
};

static void casts_saturate_as_they_say(void **state)
{
    (void)state;
    actgen_engine *engine;
    actgen_error error;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool has_w = strstr(rows[i].cast, "w,") != NULL;
        const float x = (float)rows[i].x, w = 2;
        char text[200];
        actgen_spec *spec;
        actgen_kernel *kernel;
        snprintf(text, sizeof text, "kernel k(x: f32%s) -> (y: f32) { y = %s }", has_w ? ", w: f32" : "",
                 rows[i].cast);
        if (actgen_spec_parse(&spec, "casts.act", text, strlen(text), &error)) fail_msg("%s", error.message);
        if (actgen_compile(&kernel, engine, spec, NULL, NULL, &error))
            fail_msg("%s: %s", text, error.message);
        for (int interpreted = 0; interpreted < 2; interpreted++) {
            float y = 1;
            actgen_operand operands[] = {{&x, 0}, {&w, 0}, {&y, 0}};
            if (!has_w) operands[1] = operands[2];
            if ((interpreted ? actgen_interpret : actgen_run)(kernel, 1, 1, operands, has_w ? 3 : 2, &error))
                fail_msg("%s", error.message);
            const double value = rows[i].value, got = (double)y;
            if (isnan(value) ? !isnan(got) : got != value || !signbit(got) != !signbit(value))
                fail_msg("%s at %a is %a, not %a", rows[i].cast, rows[i].x, got, value);
        }
        actgen_kernel_free(kernel);
        actgen_spec_free(spec);
    }
    actgen_engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(casts_saturate_as_they_say)};
    return cmocka_run_group_tests_name("casts", tests, NULL, NULL);
}
