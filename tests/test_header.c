/* Generated headers: a kernel with every shape, layout and type, compiled as C and as C++ and run against actgen_run; and
 * names that would clash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "header/data.h"
#include "isas.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 8 };

static const char layouts_text[] =
    "kernel layouts([gate | up]: bf16, [a, b]: f16, x: f64, bias: f32[cols], scale: f32[rows], beta: f64[])"
    " -> (y: f64, [p | q]: f32, [r, s]: bf16) {\n"
    "    y = x*beta + gate\n"
    "    p = gate*scale + bias\n"
    "    q = up - bias\n"
    "    r = a + gate\n"
    "    s = b*up\n"
    "}\n";

/* ---- every layout ---- */

static void fill(struct data *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < ROWS * WIDE; i++) d->x[i] = (i - 50) / 7.0;
    for (int i = 0; i < COLS; i++) d->bias[i] = (float)i / 8;
    for (int i = 0; i < 2 * ROWS; i++) d->scale[i] = (float)i - 2;
    d->beta[0] = 0.75;
    for (int i = 0; i < 2 * ROWS * WIDE; i++) {
        d->gate_up[i] = (uint16_t)(0x3f80 + i % 128);     /* bf16: 1 to 2 */
        d->a_b[i] = (uint16_t)(0xbc00 + (i * 37) % 1024); /* f16: -1 to -2 */
    }
}

/* Makes these calls by the checked function; `wide` is 0 or WIDE. */
static void run(const actgen_kernel *kernel, struct data *d, size_t wide)
{
    const actgen_operand operands[] = {{d->gate_up, 2 * wide}, {d->a_b, 2 * wide},       {d->x, wide},
                                       {d->bias, 0},           {d->scale, wide ? 2 : 0}, {d->beta, 0},
                                       {d->y, wide},           {d->p_q, 2 * wide},       {d->r_s, 2 * wide}};
    const size_t count = sizeof operands / sizeof *operands;
    if (actgen_run(kernel, ROWS, COLS, operands, count, &error)) fail_msg("%s", error.message);
}

struct sink {
    char folder[64];
    FILE *file;
};

static int take(void *payload, const void *data, size_t size)
{
    const struct sink *s = payload;
    return fwrite(data, 1, size, s->file) != size;
}

static void emit(struct sink *s, actgen_kernel *const *kernels, size_t count, int what, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    s->file = fopen(path, "wb");
    assert_non_null(s->file);
    if (actgen_emit((const actgen_kernel *const *)kernels, count, what, name, take, s, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(s->file), 0);
}

static void compile_program(const char *folder, const char *compiler)
{
    char command[2048];
    snprintf(command, sizeof command,
             "%s -Wall -Wextra -Wpedantic -Werror -I%s -I%s/header %s/header/program.c -x none %s/layouts.o "
             "-o %s/program",
             compiler, folder, TEST_DATA, TEST_DATA, folder, folder);
    if (system(command) != 0) fail_msg("fails: %s", command);
}

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

/* Runs the program in the folder on `d`. */
static void run_program(const char *folder, const struct data *d, struct data out[2])
{
    char path[128], command[256];
    snprintf(path, sizeof path, "%s/in", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(d, sizeof *d, 1, file), 1);
    fclose(file);
    snprintf(command, sizeof command, "%s/program <%s/in", folder, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(out, sizeof *out, 2, pipe), 2);
    assert_int_equal(pclose(pipe), 0);
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void check_headers(actgen_kernel *const *kernels, size_t count)
{
    static const char *const compilers[][2] = {{"cc", "cc -std=c99 -x c"}, {"c++", "c++ -std=c++11 -x c++"}};
    struct data expected[2], got[2], start;
    struct sink sink = {"/tmp/actgen-header-XXXXXX", NULL};
    assert_non_null(mkdtemp(sink.folder));
    emit(&sink, kernels, count, ACTGEN_EMIT_OBJECT, "layouts.o");
    emit(&sink, kernels, count, ACTGEN_EMIT_HEADER, "layouts.h");
    fill(&start);
    expected[0] = expected[1] = start;
    run(kernels[0], &expected[0], 0);
    run(kernels[0], &expected[1], WIDE);
    assert_memory_not_equal(&expected[0], &start, sizeof start);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!has_command(compilers[c][0])) continue;
        compile_program(sink.folder, compilers[c][1]);
        run_program(sink.folder, &start, got);
        assert_memory_equal(got, expected, sizeof got);
    }
    remove_folder(sink.folder);
}

/* For one instruction set, and for all, where the header chooses. */
static void headers_call_every_layout(void **state)
{
    (void)state;
    actgen_kernel *kernels[MOST_KERNELS];
    size_t count = 0;
    for (; own_isa(count) && count < MOST_KERNELS; count++)
        kernels[count] = compile_for(layouts_text, own_isa(count));
    actgen_kernel *host = compile_for(layouts_text, "host");
    check_headers(&host, 1);
    check_headers(kernels, count);
    actgen_kernel_free(host);
    while (count) actgen_kernel_free(kernels[--count]);
}

/* ---- names ---- */

static void clashing_names_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* NULL: no clash */
    } rows[] = {
        {"kernel k(x: f32, x_stride: f32) -> (y: f32) { y = x + x_stride }",
         "`x` and `x_stride` would share"},
        {"kernel k(x: f32[cols], x_stride: f32) -> (y: f32) { y = x + x_stride }", NULL},
        {"kernel k([a | b]: f32, a_b: f32) -> (y: f32) { y = a + b + a_b }", "`a` and `a_b` would share"},
        {"kernel k([a | b]: f32, a_b_stride: f32) -> (y: f32) { y = a + b + a_b_stride }", "would share"},
        {"kernel k([co | await]: f32) -> (y: f32) { y = co + await }", "`co_await`"},
        {"kernel k([uint16 | t]: f32) -> (y: f32) { y = uint16 + t }", "`uint16_t`"},
        {"kernel k(size_t: f32) -> (y: f32) { y = size_t + size_t*size_t }", "`size_t`"},
        {"kernel k(k_kernel: f32, x: f32) -> (y: f32) { y = x + k_kernel }", NULL},
        {"kernel size_t(x: f32) -> (y: f32) { y = max(x, 0) }", "a type of the header"},
        {"kernel k(operands: f32, operands_: f32) -> (y: f32) { y = operands + operands_ }", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_kernel *k = compile_for(rows[i].text, NULL);
        const actgen_kernel *list[] = {k};
        int status = actgen_emit(list, 1, ACTGEN_EMIT_HEADER, "k.h", drop, NULL, &error);
        if (status != (rows[i].message ? ACTGEN_EINVAL : ACTGEN_OK) ||
            (rows[i].message && !strstr(error.message, rows[i].message)))
            fail_msg("%s: status %d, %s", rows[i].text, status, status ? error.message : "");
        actgen_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(headers_call_every_layout),
                                       cmocka_unit_test(clashing_names_are_refused)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
