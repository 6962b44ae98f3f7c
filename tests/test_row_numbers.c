/* Tests of row(first) and col in formulas: the numbers of rows and columns, in all layouts, on all
 * instruction sets, in parts of calls, and in sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder.h"
#include "matrix.h"

#include <math.h>
#include <stdio.h>

static actgen_error error;

/* Compiles the text's first kernel, or the one of that name. */
static actgen_kernel *compiled(actgen_engine *engine, const char *text, const char *name, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    actgen_kernel *kernel = NULL;
    options.isa = isa;
    if (actgen_spec_parse(&spec, "test.act", text, strlen(text), &error) ||
        actgen_compile(&kernel, engine, spec, name ? name : actgen_spec_kernel_name(spec, 0), &options,
                       &error))
        fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
    return kernel;
}

/* Computes a number as docs/language.md defines it: a signed integer of 32 bits, as the nearest f32. */
static float number_at(uint64_t first, size_t i) { return (float)(int32_t)(uint32_t)(first + i); }

static const uint64_t firsts[] = {0, 5, (uint64_t)-3, (1 << 24) - 2, INT32_MAX - 1, UINT64_C(1) << 40};
enum { FIRSTS = sizeof firsts / sizeof *firsts, ROWS = 5, COLS = 150, GAP = 7 };

static const char plain[] =
    "kernel k(first: u64[], x: f32) -> (r: f32, c: f32) { r = row(first) + x; c = col + x }";

static void check_numbers(const actgen_kernel *kernel, bool interpreted)
{
    static float x[ROWS * COLS], r[ROWS * (COLS + GAP)], c[ROWS * COLS];
    for (size_t f = 0; f < FIRSTS; f++)
        for (size_t cols = COLS - 70; cols <= COLS; cols++) {
            const size_t stride = cols % 2 ? cols : cols + GAP;
            const actgen_operand all[] = {
                {(void *)&firsts[f], 0}, {x, 0}, {r, cols % 2 ? 0 : cols + GAP}, {c, 0}};
            if ((interpreted ? actgen_interpret : actgen_run)(kernel, ROWS, cols, all, 4, &error))
                fail_msg("%s", error.message);
            for (size_t i = 0; i < ROWS * cols; i++) {
                const float row = r[i / cols * stride + i % cols];
                if (row != number_at(firsts[f], i / cols) || c[i] != (float)(i % cols))
                    fail_msg("element %zu of %zu columns: row %g, column %g", i, cols, (double)row,
                             (double)c[i]);
            }
        }
}

#define CAUSAL "t = where(col <= row(first), x, -inf); p = exp(t - detach(amax(t))); y = p/sum(p)"
static const char causal[] = "kernel k(x: f32, first: u64[]) -> (y: f32) { " CAUSAL " }";

/* Checks causal softmax: column j of row i counts if j <= first + i. */
static void check_causal(const actgen_kernel *kernel)
{
    static float x[ROWS * COLS], y[ROWS * COLS];
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = (float)(i * 37 % 101) / 10 - 4;
    for (uint64_t first = 0; first < COLS; first += 36) {
        const actgen_operand all[] = {{x, 0}, {(void *)&first, 0}, {y, 0}};
        assert_int_equal(actgen_run(kernel, ROWS, COLS, all, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t j = 0; j < COLS && j <= first + i; j++) sum += exp((double)x[i * COLS + j]);
            for (size_t j = 0; j < COLS; j++) {
                const double wanted = j <= first + i ? exp((double)x[i * COLS + j]) / sum : 0;
                if (!(fabs((double)y[i * COLS + j] - wanted) <= 4e-6 * wanted))
                    fail_msg("row %zu, column %zu: %g, not %g", i, j, (double)y[i * COLS + j], wanted);
            }
        }
    }
}

/* Kernels whose results differ in all rows, without and with a sum. */
static const char apart[] = "kernel k(x: f32, first: u64[]) -> (y: f32) { y = x + row(first) - col/4 }";
static const char summed[] = "kernel k(x: f32, first: u64[]) -> (y: f32) { y = x + row(first) + sum(col) }";

/* Checks that parts of a call's rows give what the whole call gives. With sums, parts are whole blocks. */
static void check_parts(const actgen_kernel *kernel, bool has_sums)
{
    enum { MANY = 700, SOME = 19, BLOCK = 256 };
    static float x[MANY * SOME], whole[MANY * SOME], parts[MANY * SOME];
    static _Alignas(64) char workspace[1 << 20];
    const uint64_t first = 3;
    const size_t step = has_sums ? BLOCK : 33, size = actgen_kernel_workspace(kernel, MANY, SOME);
    assert_true(size <= sizeof workspace);
    for (size_t i = 0; i < MANY * SOME; i++) x[i] = (float)(i % 89) / 8;
    actgen_operand all[] = {{x, 0}, {(void *)&first, 0}, {whole, 0}, {workspace, size}};
    const size_t count = has_sums ? 4 : 3;
    assert_int_equal(actgen_run(kernel, MANY, SOME, all, count, &error), ACTGEN_OK);
    all[2].data = parts;
    for (size_t at = MANY / step * step;; at -= step) {
        const size_t left = MANY - at, rows = left < step ? left : step;
        if (actgen_run_rows(kernel, at, rows, MANY, SOME, all, count, &error)) fail_msg("%s", error.message);
        if (!at) break;
    }
    assert_int_equal(actgen_finish(kernel, MANY, SOME, all, count, &error), ACTGEN_OK);
    assert_memory_equal(parts, whole, sizeof whole);
}

/* Checks sums of numbers of rows and columns, by formulas of whole numbers. */
static void check_sums(actgen_engine *engine, const char *isa)
{
    enum { MANY = 600, SOME = 40 };
    static float x[MANY * SOME], s[MANY], t[SOME], u, v[MANY];
    const uint64_t first = 2;
    actgen_kernel *kernel =
        compiled(engine,
                 "kernel k(x: f32, first: u64[]) -> (s: f32[rows], t: f32[cols], u: f32[], v: f32[rows]) {\n"
                 "    s = sum(x + row(first)*col); t = sum(x + row(first) - col); u = sum(x + col)\n"
                 "    v = row(first) + amax(x - col)/2\n}",
                 NULL, isa);
    const actgen_operand all[] = {{x, 0}, {(void *)&first, 0}, {s, 0}, {t, 0}, {&u, 0}, {v, 0}};
    assert_int_equal(actgen_run(kernel, MANY, SOME, all, 6, &error), ACTGEN_OK);
    for (size_t i = 0; i < MANY; i++) {
        assert_true(s[i] == (float)((2 + i) * (SOME * (SOME - 1) / 2)));
        assert_true(v[i] == (float)(2 + i));
    }
    for (size_t j = 0; j < SOME; j++) assert_true(t[j] == (float)(MANY * (MANY + 3) / 2 - MANY * j));
    assert_true(u == MANY * (SOME * (SOME - 1) / 2));
    actgen_kernel_free(kernel);
}

/* Kernels with every kind of layout, f64 lanes, masks, random numbers beside numbers of rows, and programs
 * long enough for stages. */
static const char *const texts[] = {
    plain,
    causal,
    apart,
    summed,
    "kernel k(x: bf16, first: u64[]) -> (y: bf16) { y = where(col <= row(first), x, -inf) }",
    "kernel k(x: f64, first: u64[]) -> (y: f64) { y = x - (row(first) - col)/4 }",
    "kernel k(x: f16, slope: f32[rows], first: u64[]) -> (y: f16) { y = x + slope*(col - row(first)) }",
    "kernel k([a | b]: bf16, first: u64[], other: u64[]) -> (y: bf16, z: f32) {\n"
    "    y = gelu(a)*(1 + col) + row(first); z = b - row(other)*exp(-col/8) }",
    "kernel k([a, b]: bf16, c: f32[cols], first: u64[]) -> ([y, z]: e5m2) { y = c*col; z = a + b*row(first) "
    "}",
    "kernel k(x: f32, first: u64[]) -> (y: f32, m: u1) { y = x/(1 + col); m = col <= row(first) }",
    "kernel k(x: bf16, seed: u64[], offset: u64[], first: u64[]) -> (y: bf16) {\n"
    "    y = (if uniform(seed, offset) < 0.25 then 2*x else 0) + col - row(first) }",
    "kernel back = gradient k\n"
    "kernel k(x: f32, first: u64[]) -> (y: f32) { " CAUSAL " }",
};

static void check_isa(actgen_engine *engine, struct matrix *m, const char *isa)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        actgen_kernel *kernel = compiled(engine, texts[i], NULL, isa);
        matrix_take(m, kernel, texts[i]);
        matrix_check_lengths(m);
        if (texts[i] == plain) check_numbers(kernel, false);
        if (texts[i] == causal) check_causal(kernel);
        if (texts[i] == apart || texts[i] == summed) check_parts(kernel, texts[i] == summed);
        actgen_kernel_free(kernel);
    }
    check_sums(engine, isa);
}

#include "each_isa.h"

static void interpreter_has_the_same_numbers(void **state)
{
    (void)state;
    actgen_engine *engine;
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    actgen_kernel *kernel = compiled(engine, plain, NULL, NULL);
    check_numbers(kernel, true);
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
}

/* Checks that a kernel from the disk cache, which has only a record of its operands, counts rows. */
static void kept_kernels_count_rows(void **state)
{
    (void)state;
    for (int use = 0; use < 2; use++) {
        actgen_engine *engine = engine_in(folder);
        actgen_kernel *kernel = NULL;
        if (actgen_compile_text(&kernel, engine, "test.act", summed, strlen(summed), "k", NULL, &error))
            fail_msg("%s", error.message);
        check_parts(kernel, true);
        actgen_kernel_free(kernel);
        actgen_engine_free(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpreter_has_the_same_numbers),
        EACH_ISA,
        cmocka_unit_test(kept_kernels_count_rows),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
