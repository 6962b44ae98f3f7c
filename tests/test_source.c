/* Tests of C source: `test_source STYLE TYPE STEP FIRST [ISA]`. Every STEP-th built-in of a type, from number
 * FIRST on, goes into one header. Compilers compile it without a warning. Its functions equal the interpreter
 * in all bits, at every length between guard pages. ACTGEN_TEST_ALL=1 takes all built-ins together, and
 * ACTGEN_EVALUATIONS=1e6 takes as many random inputs of each chosen one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "folder.h"
#include "matrix.h"
#include "part.h"
#include "skipping.h"
#include "source_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* FEW and MANY are the numbers of random inputs of a built-in. ACTGEN_TEST_ALL asks for MANY. */
enum { MOST = 160, NAME_SIZE = 64, FEW = 10000, MANY = 1000000 };

/* Ways of compiling. GCC's own dialects join products and sums, if the processor has fma. A type other than
 * f32 takes the ways that are marked, because the text of a style differs little between types. */
static const struct way {
    const char *compiler, *options, *language;
    bool every_type;
} ways[] = {
    {"gcc", "-std=gnu11 -O2 -march=native", "c", true},
    {"clang++", "-std=c++17 -O1", "c++", true},
    {"gcc", "-std=c99 -O1", "c", false},
    {"g++", "-std=c++20 -O1", "c++", false},
    {"clang", "-std=c99 -O1 -march=native", "c", false},
    {"clang-19", "-std=c11 -O2", "c", false},
};
/* Compilers of the style `cuda`: one for this machine, and CUDA's own, which makes no code that runs here. */
static const struct way cuda_way = {
    "g++",
    "-std=c++17 -O1 -ffp-contract=off -Wno-unused-function -DACTGEN_CUDA -include " TEST_DATA "/cuda_host.h",
    "c++", true};
static const char warnings[] = "-Wall -Wextra -Wpedantic -Wconversion -Werror";

static const char *style, *type_name, *isa;
static actgen_engine *engine;
static actgen_error error;
static actgen_kernel *kernels[MOST];
static char names[MOST][NAME_SIZE];
static size_t count, step = 1, first, seen;

static int drop(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

static int put(void *file, const void *data, size_t size) { return fwrite(data, 1, size, file) != size; }

static int emit(actgen_kernel *const *list, size_t length, actgen_write_fn write, void *payload)
{
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    options.style = style;
    options.header_name = "kernels_of_test.h";
    return actgen_emit_with((const actgen_kernel *const *)list, length, ACTGEN_EMIT_C, &options, write,
                            payload, &error);
}

/* -- the kernels -- */

/* Compiles a built-in, and keeps it unless C source cannot have it. */
static int add_builtin(void *payload, const actgen_builtin *b)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec;
    (void)payload;
    if (!is_made_of(b, type_name) || seen++ % step != first) return 0;
    if (count == MOST) fail_msg("there are more than %d built-ins", MOST);
    options.profile = isa ? NULL : "portable-nofma";
    options.isa = isa;
    options.tier = ACTGEN_TIER_INTERPRETER;
    if (actgen_spec_builtin_typed(&spec, b->name, type_name, &error))
        fail_msg("%s: %s", b->name, error.message);
    if (actgen_compile(&kernels[count], engine, spec, NULL, &options, &error))
        fail_msg("%s: %s", b->name, error.message);
    actgen_spec_free(spec);
    snprintf(names[count], NAME_SIZE, "%s", b->name);
    if (!emit(&kernels[count], 1, drop, NULL)) return count++, 0;
    const bool is_told = strstr(error.message, "which C source cannot do") != NULL;
    const bool is_allowed = has_workspace(kernels[count]) || strstr(error.message, "draws random numbers") ||
                            strstr(error.message, "is no matrix");
    actgen_kernel_free(kernels[count]);
    if (!is_told || !is_allowed) fail_msg("%s in %s: %s", b->name, style, error.message);
    return 0;
}

/* Compiles kernels with every shape and layout, and with elements that share bytes if the style has them. */
static void add_layouts(void)
{
    static const char *const texts[] = {
        "kernel layouts([gate | up]: bf16, [a, b]: f16, x: f64, bias: f32[cols]) -> (y: f64, [r, s]: bf16) "
        "{\n"
        "    y = x*gate + a\n    r = up - bias\n    s = b*up\n}\n",
        "kernel shapes(x: f32, scale: f32[rows], beta: f64[], c: f32[3]) -> ([p | q]: f32, z: f16) {\n"
        "    p = x*scale + c[0]\n    q = c[1]*x + c[2]\n    z = x*beta\n}\n",
        "kernel sums(acc: i32, [a | b]: i32, [c, d]: i32, s: f32[rows], z: i32[cols]) -> (y: f32, v: bf16) "
        "{\n"
        "    y = (acc - z)*s + a*b\n    v = c + d\n}\n",
        "kernel places(x: f32, [a, b]: bf16, first: u64[]) -> (y: f32, z: f64) {\n"
        "    y = if col <= row(first) then x*b else a\n    z = row(first) - 2*col\n}\n",
        "kernel blocks(x: f32, s: f32[rows, cols/32], z: bf16[rows/32, cols], r: f32[rows/16]) -> (y: f32) "
        "{\n    y = (x*s + z)*r\n}\n",
        "kernel shared(m: u1, x: f32, q: e2m1, n: i4) -> (y: f32, k: u1, r: e2m1, s: i4) {\n"
        "    y = if m > 0 then x + q else n\n    k = x > 1\n    r = x + n\n    s = x*q\n}\n",
        "kernel bits(m: u1) -> (k: u1) { k = 1 - m }\n",
        "kernel halves(q: e2m1) -> (r: e2m1) { r = -q }\n"};
    const size_t of_bytes = 3; /* the last texts, whose results share bytes */
    const size_t length = sizeof texts / sizeof *texts - (strcmp(style, "scalar") != 0 ? of_bytes : 0);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.profile = isa ? NULL : "portable-nofma";
    options.isa = isa;
    options.tier = ACTGEN_TIER_INTERPRETER;
    for (size_t i = 0; i < length; i++) {
        actgen_spec *spec;
        if (actgen_spec_parse(&spec, "layouts.act", texts[i], strlen(texts[i]), &error) ||
            actgen_compile(&kernels[count], engine, spec, NULL, &options, &error))
            fail_msg("%s: %s", texts[i], error.message);
        snprintf(names[count++], NAME_SIZE, "%s", actgen_spec_kernel_name(spec, 0));
        actgen_spec_free(spec);
    }
}

static int make_kernels(void **state)
{
    if (make_folder(state) || actgen_engine_create(&engine, &error)) return -1;
    if (!strcmp(type_name, "f32")) add_layouts();
    return actgen_builtins(add_builtin, NULL, &error);
}

static int free_kernels(void **state)
{
    while (count) actgen_kernel_free(kernels[--count]);
    actgen_engine_free(engine);
    return remove_folder(state);
}

/* -- the text -- */

static void write_text(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/kernels.h", folder);
    FILE *header = fopen(path, "wb");
    assert_non_null(header);
    if (emit(kernels, count, put, header)) fail_msg("%s", error.message);
    assert_int_equal(fclose(header), 0);
    snprintf(path, sizeof path, "%s/kernels.c", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    source_calls_begin(file, "kernels.h");
    for (size_t i = 0; i < count; i++) {
        char name[NAME_SIZE + 8], called[NAME_SIZE + 12];
        snprintf(name, sizeof name, "run_%s", names[i]);
        snprintf(called, sizeof called, "%s_strided", names[i]);
        source_calls_add(file, kernels[i], name, called);
    }
    source_calls_end(file);
    assert_int_equal(fclose(file), 0);
}

/* -- the comparison -- */

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

/* Returns the number of random inputs of each built-in. */
static size_t input_count(void)
{
    const char *asked = getenv("ACTGEN_EVALUATIONS");
    if (asked && *asked) return (size_t)strtod(asked, NULL);
    return takes_all() ? MANY : FEW;
}

/* Returns the option that lets a compiler take the set's intrinsics. */
static const char *option_of_isa(void)
{
    static const char *const rows[][2] = {{"avx512", "-march=x86-64-v4"}, {"avx2", "-march=x86-64-v3"}};
    for (size_t i = 0; isa && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i][0], isa)) return rows[i][1];
    return "";
}

/* Checks a kernel whose operands are shared by blocks of rows and of columns, more than one of each. */
static void check_blocks(void *library)
{
    enum { ROWS = 40, COLS = 70, MOST_VALUES = ROWS * COLS };
    static float x[MOST_VALUES], s[MOST_VALUES], r[MOST_VALUES], y[2][MOST_VALUES];
    static uint16_t z[MOST_VALUES];
    size_t blocks = 0;
    while (strcmp(names[blocks], "blocks") != 0) blocks++;
    for (unsigned k = 0; k < MOST_VALUES; k++) {
        x[k] = (float)(k % 101), s[k] = (float)(k % 7) + 0.5f, r[k] = (float)(k % 5) - 2;
        z[k] = (uint16_t)(0x3f80 + k % 64);
    }
    void (*run)(size_t rows, size_t cols, const actgen_operand *operands);
    *(void **)&run = dlsym(library, "run_blocks");
    assert_non_null(run);
    for (size_t gap = 0; gap < 2; gap++) { /* rows of s one after the other, and with a gap */
        const actgen_operand own[] = {{x, 0}, {s, 4 * gap}, {z, 0}, {r, 2 * gap}, {y[0], 0}};
        const actgen_operand other[] = {{x, 0}, {s, 4 * gap}, {z, 0}, {r, 2 * gap}, {y[1], 0}};
        run(ROWS, COLS, own);
        assert_int_equal(actgen_interpret(kernels[blocks], ROWS, COLS, other, 5, &error), 0);
        assert_memory_equal(y[0], y[1], sizeof y[0]);
    }
}

static void check_way(const struct way *w, size_t number)
{
    char command[512], path[128];
    static struct matrix m;
    if (!has_command(w->compiler)) {
        print_message("LEFT OUT: no %s compiles C source\n", w->compiler);
        return;
    }
    snprintf(path, sizeof path, "%s/%zu.so", folder, number);
    snprintf(command, sizeof command, "%s %s %s %s -fPIC -shared -x %s %s/kernels.c -o %s -lm", w->compiler,
             w->options, option_of_isa(), warnings, w->language, folder, path);
    if (system(command) != 0) fail_msg("fails: %s", command);
    char *own = realpath(path, NULL);
    assert_non_null(own);
    void *library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    free(own);
    if (!library) fail_msg("%s", dlerror());
    matrix_open(&m);
    for (size_t i = 0; i < count; i++) {
        char symbol[NAME_SIZE + 8];
        if (!strcmp(names[i], "blocks")) continue;
        snprintf(symbol, sizeof symbol, "run_%s", names[i]);
        matrix_take(&m, kernels[i], names[i]);
        *(void **)&m.code = dlsym(library, symbol);
        assert_non_null(m.code);
        matrix_check_lengths(&m);
        if (number) continue;
        matrix_check_all_inputs(&m);
        const unsigned long long before = m.evaluations;
        matrix_check_many(&m, input_count());
        assert_true(m.evaluations - before >= input_count());
    }
    if (!strcmp(type_name, "f32")) check_blocks(library);
    print_message("%s %s: %zu kernels equal the interpreter in %llu evaluations, by %s %s\n", style,
                  type_name, count, m.evaluations, w->compiler, w->options);
    matrix_close(&m);
    dlclose(library);
}

static void compile_only(const char *compiler, const char *options, const char *file)
{
    char command[512];
    snprintf(command, sizeof command, "%s %s %s/%s", compiler, options, folder, file);
    if (!has_command(compiler))
        print_message("LEFT OUT: no %s compiles C source\n", compiler);
    else if (system(command) != 0)
        fail_msg("fails: %s", command);
}

/* Checks that Clang takes the text by Microsoft's rules. Its own headers are freestanding here. */
static void check_microsoft(void)
{
    static const char *const languages[] = {"/TC", "/TP /std:c++20"};
    const char *set = !isa                     ? ""
                      : !strcmp(isa, "avx512") ? "/arch:AVX512"
                      : !strcmp(isa, "avx2")   ? "/arch:AVX2"
                                               : "";
    for (size_t i = 0; i < 2; i++) {
        char options[256];
        snprintf(options, sizeof options,
                 "--driver-mode=cl --target=x86_64-pc-windows-msvc %s /W4 /WX %s /clang:-ffreestanding "
                 "/clang:-fsyntax-only -I" TEST_DATA "/microsoft",
                 set, languages[i]);
        compile_only("clang-19", options, "kernels.c");
    }
}

/* Checks that CUDA's compiler takes the text. */
static void check_nvcc(void)
{
    static const char options[] = "-ptx -x cu -std=c++17 -Werror all-warnings";
    char command[512];
    if (!has_command("nvcc")) {
        print_message("LEFT OUT: no nvcc compiles C source\n");
        return;
    }
    snprintf(command, sizeof command, "nvcc %s %s/kernels.h -o %s/kernels.ptx", options, folder, folder);
    if (system(command) != 0) fail_msg("fails: %s", command);
}

static void test_equals_the_interpreter(void **state)
{
    (void)state;
    assert_true(count > 0);
    write_text();
    if (!strcmp(style, "cuda")) {
        check_way(&cuda_way, 0);
        check_nvcc();
        return;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (ways[i].every_type || !strcmp(type_name, "f32")) check_way(&ways[i], i);
    if (strcmp(style, "vector") != 0) check_microsoft();
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    style = argv[1];
    type_name = argv[2];
    step = step_argument(argc, argv, 3);
    first = takes_all() ? 0 : strtoul(argv[4], NULL, 10);
    isa = argc > 5 ? argv[5] : NULL;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_equals_the_interpreter)};
    return cmocka_run_group_tests(tests, make_kernels, free_kernels);
}
