/* Tests of objects as other programs use them: the functions that choose among instruction sets, their
 * names, and their visibility. Each object becomes a shared library of its own, which this program loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isas.h"
#include "linked_object.h"
#include "skipping.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ISAS = 8, COLS = 5, ROWS = 2, WIDE = 9 };

typedef void pointers_fn(size_t rows, size_t cols, const float *x, const float *scale, float *y);
typedef void strided_fn(size_t rows, size_t cols, const float *x, size_t x_stride, const float *scale,
                        float *y, size_t y_stride);

struct functions {
    pointers_fn *pointers;
    strided_fn *strided;
    actgen_fn operands;
};

static void check_values(const float *y, size_t stride, float expected)
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLS; j++) assert_true(y[i * stride + j] == expected);
}

/* Checks that each of the three functions gives y = x + scale + (what the kernel adds). */
static void check_functions(const struct functions *f, float adds)
{
    float x[ROWS * WIDE], y[ROWS * WIDE], scale[COLS];
    for (size_t i = 0; i < ROWS * WIDE; i++) x[i] = 2;
    for (size_t i = 0; i < COLS; i++) scale[i] = 3;
    const actgen_operand operands[] = {{x, WIDE}, {scale, 0}, {y, WIDE}};
    memset(y, 0, sizeof y);
    f->pointers(ROWS, COLS, x, scale, y);
    check_values(y, COLS, 5 + adds);
    memset(y, 0, sizeof y);
    f->strided(ROWS, COLS, x, WIDE, scale, y, WIDE);
    check_values(y, WIDE, 5 + adds);
    assert_true(y[COLS] == 0);
    memset(y, 0, sizeof y);
    f->operands(ROWS, COLS, operands);
    check_values(y, WIDE, 5 + adds);
}

struct first_call {
    pthread_barrier_t *barrier;
    const struct functions *functions;
    float adds;
};

static void *call_at_once(void *context)
{
    const struct first_call *c = context;
    pthread_barrier_wait(c->barrier);
    check_functions(c->functions, c->adds);
    return NULL;
}

/* Makes the first calls, which find out what the processor has, from several threads at once. */
static void check_in_threads(const struct functions *f, float adds)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    pthread_barrier_t barrier;
    struct first_call c = {&barrier, f, adds};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_at_once, &c), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
}

/* Checks which kernel runs. Kernels of one name add the number of their instruction set, which
 * shows the choice. */
static void the_best_instruction_set_is_called(void **state)
{
    (void)state;
    actgen_kernel *all[MOST_ISAS];
    size_t count = 0;
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    for (; own_isa(count); count++) {
        char text[128];
        assert_true(count < MOST_ISAS);
        snprintf(text, sizeof text, "kernel k(x: f32, scale: f32[cols]) -> (y: f32) { y = x + scale + %zu }",
                 count);
        all[count] = compile_for(text, own_isa(count));
    }
    for (unsigned set = 1; set < 1u << count; set++) {
        actgen_kernel *kernels[MOST_ISAS];
        actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
        struct functions f;
        size_t some = 0, best = count;
        for (size_t i = count; i-- > 0;) { /* The order of the kernels has no meaning. */
            if (!(set >> i & 1)) continue;
            kernels[some++] = all[i];
            if (actgen_isa_runs_here(own_isa(i))) best = i;
        }
        options.prefix = "my_";
        options.visibility = ACTGEN_VISIBILITY_DEFAULT;
        void *library = load(kernels, some, &options);
        find(&f.pointers, library, "my_k");
        find(&f.strided, library, "my_k_strided");
        find(&f.operands, library, "my_k_kernel");
        assert_null(dlsym(library, "my_k_x86_64"));
        if (best < count) check_in_threads(&f, (float)best);
        dlclose(library);
    }
    while (count) actgen_kernel_free(all[--count]);
}

static void hidden_is_the_default(void **state)
{
    (void)state;
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    actgen_kernel *k = compile_for("kernel k(x: f32) -> (y: f32) { y = x + 1 }", NULL);
    void *library = load(&k, 1, NULL);
    static const char *const names[] = {"k", "k_strided", "k_kernel"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) assert_null(dlsym(library, names[i]));
    dlclose(library);
    actgen_kernel_free(k);
}

/* Checks what tools expect of an object: tables for unwinding, and the mark that its code needs no
 * executable stack. */
static void objects_have_the_usual_sections(void **state)
{
    (void)state;
    if (system("command -v readelf >/dev/null 2>&1") != 0) SKIP_BECAUSE("readelf is not here");
    actgen_kernel *k = compile_for("kernel k(x: f32) -> (y: f32) { y = x + 1 }", "x86-64");
    dlclose(load(&k, 1, NULL)); /* The next library has the same path. */
    static const char *const sections[] = {".eh_frame", ".note.GNU-stack"};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        char command[256];
        snprintf(command, sizeof command, "readelf -SW %s/k.o | grep -q ' %s '", folder, sections[i]);
        if (system(command) != 0) fail_msg("no section %s", sections[i]);
    }
    actgen_kernel_free(k);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *prefix;
        int32_t visibility;
        const char *message; /* NULL if the options are right. */
    } rows[] = {
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", NULL, "a_1", 0, NULL},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", NULL, "1a", 0, "the prefix `1a`"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", NULL, "a-", 0, "the prefix `a-`"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", NULL, NULL, 7, "options.visibility is 7"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", "kernel k_kernel(x: f32) -> (y: f32) { y = x }", NULL,
         0, "would share a name"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", "kernel k_avx2(x: f32) -> (y: f32) { y = x }", NULL, 0,
         "would share a name"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", "kernel k(x: f32) -> (y: f32) { y = x }", NULL, 0,
         "two kernels are named `k`"},
        {"kernel k(x: f32) -> (s: f32[]) { s = sum(x) }", "kernel k_workspace(x: f32) -> (y: f32) { y = x }",
         NULL, 0, "would share a name"},
        {"kernel k(x: f32) -> (y: f32) { y = x + 1 }", "kernel k_workspace(x: f32) -> (y: f32) { y = x }",
         NULL, 0, NULL},
        {"kernel exp2f(x: f32) -> (y: f32) { y = x }", "kernel actgen_exp2f(x: f32) -> (y: f32) { y = x }",
         NULL, 0, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_kernel *kernels[2] = {compile_for(rows[i].first, "avx2"),
                                     rows[i].second ? compile_for(rows[i].second, "avx2") : NULL};
        actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
        options.prefix = rows[i].prefix;
        options.visibility = rows[i].visibility;
        for (int what = ACTGEN_EMIT_OBJECT; what <= ACTGEN_EMIT_HEADER; what++) {
            int status = actgen_emit_with((const actgen_kernel *const *)kernels, rows[i].second ? 2 : 1, what,
                                          &options, drop, NULL, &error);
            if (status != (rows[i].message ? ACTGEN_EINVAL : ACTGEN_OK) ||
                (status && !strstr(error.message, rows[i].message)))
                fail_msg("row %zu: status %d, %s", i, status, status ? error.message : "");
        }
        actgen_kernel_free(kernels[0]);
        actgen_kernel_free(kernels[1]);
    }
}

static void equal_names_have_equal_operands(void **state)
{
    (void)state;
    actgen_kernel *kernels[] = {compile_for("kernel k(x: f32) -> (y: f32) { y = x }", "avx2"),
                                compile_for("kernel k(x: bf16) -> (y: f32) { y = x }", "x86-64")};
    assert_int_equal(
        actgen_emit((const actgen_kernel *const *)kernels, 2, ACTGEN_EMIT_OBJECT, NULL, drop, NULL, &error),
        ACTGEN_EINVAL);
    assert_non_null(strstr(error.message, "differ in their operands"));
    actgen_kernel_free(kernels[0]);
    actgen_kernel_free(kernels[1]);
}

/* -- short rows, whose data the function with pointers takes from its parameters -- */

enum { LONGEST = 80, ELEMENT = 8, MOST_OPERANDS = 4 };

static const struct {
    const char *name, *signature;
    size_t operands;
} short_kernels[] = {
    {"scaled", "(x: f32, scale: f32[cols]) -> (y: f32) { y = gelu(x)*scale }", 3},
    {"packed", "([gate | up]: bf16, s: f64[rows]) -> (y: bf16) { y = silu(gate)*up*s }", 3},
    {"two", "(x: f32) -> (y: f32, z: e4m3) { y = tanh(x); z = x }", 3},
    {"drawn", "(x: f32, seed: u64[], offset: u64[]) -> (y: f32) { y = x*bernoulli(0.5, seed, offset) }", 4},
    {"pairs", "([a, b]: f16) -> (y: f64) { y = f64(a)*b }", 2},
};
enum { SHORT_KERNELS = sizeof short_kernels / sizeof *short_kernels };

/* Runs one row by the function with pointers. */
static void call_pointers(void *address, size_t cols, size_t count, void *const *d)
{
    void (*of[MOST_OPERANDS + 1])(void) = {NULL};
    memcpy(&of[count], &address, sizeof address);
    switch (count) {
    case 2: ((void (*)(size_t, size_t, void *, void *))of[2])(1, cols, d[0], d[1]); break;
    case 3: ((void (*)(size_t, size_t, void *, void *, void *))of[3])(1, cols, d[0], d[1], d[2]); break;
    default:
        ((void (*)(size_t, size_t, void *, void *, void *, void *))of[4])(1, cols, d[0], d[1], d[2], d[3]);
    }
}

/* Checks that both functions write the same bytes for rows of all short lengths, and nothing after them. */
static void check_lengths(void *library, const char *name, size_t count)
{
    enum { BYTES = 2 * LONGEST * ELEMENT };
    static uint8_t data[2][MOST_OPERANDS][BYTES];
    char symbol[32];
    actgen_fn by_operands;
    void *pointers = dlsym(library, name);
    if (!pointers) fail_msg("%s", dlerror());
    snprintf(symbol, sizeof symbol, "%s_kernel", name);
    find(&by_operands, library, symbol);
    for (size_t cols = 0; cols <= LONGEST; cols++) {
        void *list[MOST_OPERANDS];
        actgen_operand operands[MOST_OPERANDS];
        for (size_t k = 0; k < count; k++) {
            for (size_t i = 0; i < BYTES; i++) /* small numbers of every type */
                data[0][k][i] = data[1][k][i] = (uint8_t)(i % 2 ? 0x3c + (i * 7 + k) % 4 : i * 37 % 128);
            list[k] = data[0][k];
            operands[k] = (actgen_operand){data[1][k], 0};
        }
        call_pointers(pointers, cols, count, list);
        by_operands(1, cols, operands);
        for (size_t k = 0; k < count; k++)
            if (memcmp(data[0][k], data[1][k], BYTES) != 0)
                fail_msg("%s, %zu columns, operand %zu", name, cols, k);
    }
}

/* Checks objects with one instruction set, and an object with all sets. */
static void short_rows_are_computed_alike(void **state)
{
    (void)state;
    actgen_kernel *all[MOST_ISAS * SHORT_KERNELS];
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    size_t count = 0;
    options.visibility = ACTGEN_VISIBILITY_DEFAULT;
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    for (size_t n = 0; own_isa_here(n); n++)
        for (size_t k = 0; k < SHORT_KERNELS; k++) {
            char text[160];
            snprintf(text, sizeof text, "kernel %s%s", short_kernels[k].name, short_kernels[k].signature);
            all[count++] = compile_for(text, own_isa_here(n));
        }
    for (size_t first = 0; first <= count; first += SHORT_KERNELS)
        for (options.compact = 0; options.compact < 2; options.compact++) {
            void *library =
                first < count ? load(&all[first], SHORT_KERNELS, &options) : load(all, count, &options);
            for (size_t k = 0; k < SHORT_KERNELS; k++)
                check_lengths(library, short_kernels[k].name, short_kernels[k].operands);
            dlclose(library);
        }
    while (count) actgen_kernel_free(all[--count]);
}

/* Checks that kernels of equal code have one function in short code, and that it computes rows with gaps. */
static void equal_kernels_share_short_code(void **state)
{
    (void)state;
    typedef void rows_fn(size_t rows, size_t cols, const float *x, size_t x_stride, float *y,
                         size_t y_stride);
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    actgen_kernel *kernels[] = {compile_for("kernel first(x: f32) -> (y: f32) { y = x + 3 }", NULL),
                                compile_for("kernel second(z: f32) -> (y: f32) { y = z + 3 }", NULL)};
    for (int compact = 0; compact < 2; compact++) {
        float x[ROWS * WIDE], y[ROWS * WIDE] = {0};
        actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
        rows_fn *first, *second;
        options.visibility = ACTGEN_VISIBILITY_DEFAULT;
        options.compact = compact;
        void *library = load(kernels, 2, &options);
        find(&first, library, "first_strided");
        find(&second, library, "second_strided");
        assert_int_equal(first == second, compact);
        for (size_t i = 0; i < ROWS * WIDE; i++) x[i] = 2;
        second(ROWS, COLS, x, WIDE, y, WIDE);
        check_values(y, WIDE, 5);
        for (size_t i = COLS; i < WIDE; i++) assert_true(y[i] == 0);
        dlclose(library);
    }
    actgen_kernel_free(kernels[0]);
    actgen_kernel_free(kernels[1]);
}

/* Checks that functions with pointers pass their workspace on. */
static void workspaces_are_passed_on(void **state)
{
    (void)state;
    typedef void pointers_of_sum(size_t rows, size_t cols, const float *x, float *s, void *workspace);
    typedef void strided_sum(size_t rows, size_t cols, const float *x, size_t x_stride, float *s,
                             void *workspace);
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    actgen_kernel *k = compile_for("kernel k(x: f32) -> (s: f32[]) { s = sum(x) }", NULL);
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    double workspace[4096];
    float x[ROWS * WIDE], s = 0;
    pointers_of_sum *pointers;
    strided_sum *strided;
    options.visibility = ACTGEN_VISIBILITY_DEFAULT;
    void *library = load(&k, 1, &options);
    find(&pointers, library, "k");
    find(&strided, library, "k_strided");
    assert_true(actgen_kernel_workspace(k, ROWS, COLS) <= sizeof workspace);
    for (size_t i = 0; i < ROWS * WIDE; i++) x[i] = i % WIDE < COLS ? 2 : 100;
    pointers(1, COLS, x, &s, workspace);
    assert_true(s == 2 * COLS);
    strided(ROWS, COLS, x, WIDE, &s, workspace);
    assert_true(s == 2 * ROWS * COLS);
    dlclose(library);
    actgen_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_instruction_set_is_called), cmocka_unit_test(hidden_is_the_default),
        cmocka_unit_test(objects_have_the_usual_sections),    cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(equal_names_have_equal_operands),    cmocka_unit_test(short_rows_are_computed_alike),
        cmocka_unit_test(equal_kernels_share_short_code),     cmocka_unit_test(workspaces_are_passed_on),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
