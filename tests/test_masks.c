/* Tests of masks, which are operands whose elements are bits: on each instruction set, together with every
 * kind of operand and loop. Other tests check which calls and texts the library refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "matrix.h"

#include <math.h>
#include <stdio.h>

static actgen_error error;

static actgen_kernel *compiled_with(actgen_engine *engine, const char *text, const char *isa, int streaming)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    actgen_kernel *kernel;
    options.isa = isa;
    options.streaming = streaming;
    if (actgen_spec_parse(&spec, "masks.act", text, strlen(text), &error))
        fail_msg("%s: %s", text, error.message);
    if (actgen_compile(&kernel, engine, spec, NULL, &options, &error))
        fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
    return kernel;
}

static actgen_kernel *compiled(actgen_engine *engine, const char *text, const char *isa)
{
    return compiled_with(engine, text, isa, 0);
}

static const char kept[] = "kernel k(x: f32) -> (m: u1, y: f32) { m = x > 0; y = max(x, 0) }";

static const char *const texts[] = {
    kept,
    "kernel k(m: u1, d_y: f32) -> (d_x: f32) { d_x = if m then d_y else 0 }",
    "kernel k(x: bf16) -> (y: bf16, m: u1) { y = gelu(x); m = x > -1 }",
    "kernel k(m: u1, x: bf16) -> (y: bf16) { y = where(m, x, 0) }",
    "kernel k(m: u1, x: e4m3) -> (y: i8) { y = m * x }",
    "kernel k(x: f64, w: f16) -> (m: u1, n: u1) { m = not (x > w); n = x }",
    "kernel k(a: u1, b: u1) -> (c: u1, d: u1, y: u8) { c = a and not b; d = a or b; y = if a then 3 else 4 }",
    "kernel k(m: u1) -> (n: u1, y: f64) { n = m; y = 2*m - 1 }",
    "kernel k(a: e2m1, b: i4) -> (y: f32, c: e2m1, d: i4) { y = a*b; c = 2*b; d = a }",
    "kernel k([g | u]: bf16) -> (y: e2m1) { y = silu(g) * u }",
    "kernel k(x: f64, a: e2m1, m: u1) -> (y: f64, c: i4, n: u1) { y = exp(a)*x; c = x; n = a > x and m }",
    "kernel k([g, u]: f32, a: i4, s: bf16[cols]) -> (y: bf16, c: e2m1) { y = silu(g)*u + a*s; c = u }",
    "kernel k([a | b]: f32, m: u1, s: f32[rows]) -> ([y, z]: bf16, n: u1) { y = where(m, a, s); z = silu(b); "
    "n "
    "= a < b or m }",
    "kernel k(x: f32, seed: u64[], offset: u64[]) -> (y: f32, m: u1) { y = dropout(x, seed, offset); m = "
    "uniform(seed, offset) >= 0.5 }",
    "kernel k(x: f32, seed: u64[], offset: u64[], other: u64[]) -> (m: u1, n: u1) { m = uniform(seed, other) "
    "< "
    "0.5; n = bernoulli(x, seed, offset) }",
    "kernel k(x: f32) -> (m: u1, y: f32) { accuracy 1 ulp; y = mish(x); m = y > 0.1 }",
};

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int streaming = 0; streaming <= 1;
             /* By the call's size first, then always past the caches. */
             streaming++) {
            actgen_kernel *kernel = compiled_with(engine, texts[i], isa, streaming);
            if (!actgen_kernel_fn(kernel)) fail_msg("%s", actgen_kernel_backend(kernel));
            matrix_take(m, kernel, texts[i]);
            matrix_check_lengths(m);
            actgen_kernel_free(kernel);
        }
    }
}

#include "each_isa.h"

/* Checks the places of bits. The first of a row is the lowest bit of a byte. The bit of a NaN is 0, and so
 * are the bits after the row. */
static void bits_are_where_numpy_has_them(void **state)
{
    (void)state;
    enum { ROWS = 3, COLS = 43, STRIDE = 48 };
    float x[ROWS * COLS], y[ROWS * COLS];
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *kernel = compiled(engine, kept, NULL);
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = i % 5 == 4 ? NAN : (float)(i * 37 % 11) - 5;
    for (int way = 0; way < 3; way++) { /* At once, row by row, and by the interpreter. */
        uint8_t mask[ROWS * STRIDE / 8], expected[ROWS * STRIDE / 8] = {0};
        const actgen_operand operands[] = {{x, 0}, {mask, 0}, {y, 0}};
        memset(mask, 0xff, sizeof mask);
        for (size_t r = 0; way == 1 && r < ROWS; r++)
            if (actgen_run_rows(kernel, r, 1, ROWS, COLS, operands, 3, &error)) fail_msg("%s", error.message);
        if (way != 1 && (way ? actgen_interpret : actgen_run)(kernel, ROWS, COLS, operands, 3, &error))
            fail_msg("%s", error.message);
        for (size_t i = 0; i < ROWS * COLS; i++)
            if (x[i] > 0) expected[i / COLS * (STRIDE / 8) + i % COLS / 8] |= (uint8_t)(1 << i % COLS % 8);
        assert_memory_equal(mask, expected, sizeof mask);
    }
    assert_int_equal(actgen_array_bytes(ACTGEN_U1, COLS), STRIDE / 8);
    assert_int_equal(actgen_type_bytes(ACTGEN_U1), 1);
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    static uint8_t masks[64];
    static float x[256], y[256];
    const struct {
        size_t stride;
        size_t at; /* The place of the result n relative to m. */
        const char *message;
    } rows[] = {
        {0, 32, NULL},
        {24, 32, NULL},
        {28, 32,
         "operand `m`: stride 28 is no multiple of 8: rows of u1 begin at bytes, and strides count elements"},
        {16, 32, "operand `m`: stride 16 is below the row width 24"},
        {0, 0, "result `n` overlaps `m`; u1 cannot be computed in place"},
        {0, 5, "result `n` overlaps `m`; u1 cannot be computed in place"},
        {0, 6, NULL}};
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *kernel =
        compiled(engine, "kernel k(m: u1, x: f32) -> (n: u1, y: f32) { n = not m; y = x*m }", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const actgen_operand operands[] = {{masks, rows[i].stride}, {x, 0}, {masks + rows[i].at, 0}, {y, 0}};
        const int status = actgen_run(kernel, 2, 17, operands, 4, &error);
        assert_int_equal(status, rows[i].message ? ACTGEN_EINVAL : ACTGEN_OK);
        if (rows[i].message) assert_string_equal(error.message, rows[i].message);
    }
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {EACH_ISA, cmocka_unit_test(bits_are_where_numpy_has_them),
                                       cmocka_unit_test(wrong_calls_are_refused)};
    return cmocka_run_group_tests_name("masks", tests, NULL, NULL);
}
