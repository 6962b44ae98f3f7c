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
#include "source_blocks.h"
#include "source_calls.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* FEW and MANY are the numbers of random inputs of a built-in. ACTGEN_TEST_ALL asks for MANY. */
enum { MOST = 160, NAME_SIZE = 64, FEW = 10000, MANY = 1000000 };

/* Ways of compiling. GCC's own dialects join products and sums, if the processor has fma. A type other than
 * f32 takes the ways that are marked, because the text of a style differs little between types. Clang joins
 * products and sums where `contracts` is marked. Text of the style `scalar` cannot keep it from doing so, nor
 * can values of blocks, which the layouts of f32 have. */
static const struct way {
    const char *compiler, *options, *language;
    bool every_type, contracts;
} ways[] = {
    {"gcc", "-std=gnu11 -O2 -march=native", "c", true, false},
    {"clang++", "-std=c++17 -O1", "c++", true, false},
    {"gcc", "-std=c99 -O1", "c", false, false},
    {"g++", "-std=c++20 -O1", "c++", false, false},
    {"clang", "-std=c99 -O1 -march=native", "c", false, false},
    {"clang-19", "-std=c11 -O2", "c", true, true},
};
/* Compilers of the style `cuda`: one for this machine, and CUDA's own, which makes no code that runs here. */
static const struct way cuda_way = {
    "g++",
    "-std=c++17 -O1 -ffp-contract=off -Wno-unused-function -DACTGEN_CUDA -include " TEST_DATA "/cuda_host.h",
    "c++", true, false};
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

/* Kernels with every shape and layout, with values of blocks, and with results that share bytes. Not every
 * style has the last two. */
static const struct {
    const char *text;
    enum { EVERY_STYLE, IN_TURN, ONE_NUMBER } styles;
} layouts[] = {
    {"kernel layouts([gate | up]: bf16, [a, b]: f16, x: f64, bias: f32[cols]) -> (y: f64, [r, s]: bf16) {\n"
     "    y = x*gate + a\n    r = up - bias\n    s = b*up\n}\n",
     EVERY_STYLE},
    {"kernel shapes(x: f32, scale: f32[rows], beta: f64[], c: f32[3]) -> ([p | q]: f32, z: f16) {\n"
     "    p = x*scale + c[0]\n    q = c[1]*x + c[2]\n    z = x*beta\n}\n",
     EVERY_STYLE},
    {"kernel sums(acc: i32, [a | b]: i32, [c, d]: i32, s: f32[rows], z: i32[cols]) -> (y: f32, v: bf16) {\n"
     "    y = (acc - z)*s + a*b\n    v = c + d\n}\n",
     EVERY_STYLE},
    {"kernel places(x: f32, [a, b]: bf16, first: u64[]) -> (y: f32, z: f64) {\n"
     "    y = if col <= row(first) then x*b else a\n    z = row(first) - 2*col\n}\n",
     EVERY_STYLE},
    {"kernel blocks(x: f32, s: f32[rows, cols/32], z: bf16[rows/32, cols], r: f32[rows/16]) -> (y: f32) {\n"
     "    y = (x*s + z)*r\n}\n",
     EVERY_STYLE},
    {"kernel mx([gate | up]: bf16) -> (q: e4m3, scale: e8m0[rows, cols/32]) {\n"
     "    v = silu(gate)*up\n    s = e8m0(amax(abs(v), 32)/256)\n    scale = s\n    q = v/s\n}\n",
     IN_TURN},
    {"kernel peaks(x: f32, bias: f32[cols]) -> (y: f32, m: f32[rows, cols/1024]) {\n"
     "    m = amax(x, 1024)\n    y = (x + bias)/amax(x, 16)\n}\n",
     IN_TURN},
    {"kernel means(x: bf16, b: f64, s: f32[rows, cols/64], k: f32[]) -> (y: f32, m: f32[rows, cols/16], z: "
     "f64[rows, cols/64]) {\n"
     "    m = sum(x*x, 16) + k\n    y = x/mean(abs(x*s), 128) + mean(b, 256)\n    z = sum(b*b, 64)*k + "
     "s\n}\n",
     IN_TURN},
    {"kernel nv(x: f32, encode: f32[]) -> (q: e2m1, scale: e4m3[rows, cols/16]) {\n"
     "    s = e4m3(max(amax(abs(x), 16)/6*encode, 2^-9))\n    scale = s\n    q = x*f32(encode/s)\n}\n",
     IN_TURN},
    {"kernel shared(m: u1, x: f32, q: e2m1, n: i4) -> (y: f32, k: u1, r: e2m1, s: i4) {\n"
     "    y = if m > 0 then x + q else n\n    k = x > 1\n    r = x + n\n    s = x*q\n}\n",
     ONE_NUMBER},
    {"kernel nibbles(x: f32, q: e2m1, n: i4) -> (y: f32, r: e2m1, s: i4) { y = x + q; r = x + n; s = x*q }\n",
     IN_TURN},
    {"kernel bits(m: u1) -> (k: u1) { k = 1 - m }\n", ONE_NUMBER},
    {"kernel bytes(a: e4m3, b: e5m2, [c, d]: i8, g: u8, s: e8m0) -> (y: f32, p: e4m3, q: e5m2, r: i8, t: u8, "
     "w: "
     "e8m0) {\n"
     "    y = a*s + b\n    p = b\n    q = a - d\n    r = c*a\n    t = d + g\n    w = a*s\n}\n",
     IN_TURN},
    {"kernel halves(q: e2m1) -> (r: e2m1) { r = -q }\n", IN_TURN},
    {"kernel scales(q: i4, s: f32[rows, cols/32]) -> (y: f32, r: i4) { y = q*s; r = 0.5*q }\n", IN_TURN},
};

static bool has_style(unsigned styles)
{
    return styles == EVERY_STYLE || !strcmp(style, "scalar") ||
           (styles == IN_TURN && strcmp(style, "cuda") != 0);
}

static void add_layouts(void)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.profile = isa ? NULL : "portable-nofma";
    options.isa = isa;
    options.tier = ACTGEN_TIER_INTERPRETER;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        actgen_spec *spec;
        const char *text = layouts[i].text;
        if (!has_style(layouts[i].styles)) continue;
        if (actgen_spec_parse(&spec, "layouts.act", text, strlen(text), &error) ||
            actgen_compile(&kernels[count], engine, spec, NULL, &options, &error))
            fail_msg("%s: %s", text, error.message);
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

/* Returns true if the kernel has operands that blocks share. */
static bool has_blocks(const actgen_kernel *kernel)
{
    bool found = false;
    for (size_t k = 0; k < actgen_kernel_operand_count(kernel); k++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &info), 0);
        found = found || info.block || info.block_rows;
    }
    return found;
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
    snprintf(command, sizeof command, "%s %s %s %s %s -fPIC -shared -x %s %s/kernels.c -o %s -lm",
             w->compiler, w->options,
             w->contracts && strcmp(style, "scalar") != 0 && strcmp(type_name, "f32") != 0
                 ? "-march=native -ffp-contract=fast"
                 : "",
             option_of_isa(), warnings, w->language, folder, path);
    if (system(command) != 0) fail_msg("fails: %s", command);
    char *own = realpath(path, NULL);
    assert_non_null(own);
    void *library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    free(own);
    if (!library) fail_msg("%s", dlerror());
    matrix_open(&m);
    for (size_t i = 0; i < count; i++) {
        char symbol[NAME_SIZE + 8];
        snprintf(symbol, sizeof symbol, "run_%s", names[i]);
        matrix_take(&m, kernels[i], names[i]);
        *(void **)&m.code = dlsym(library, symbol);
        assert_non_null(m.code);
        if (has_blocks(kernels[i])) {
            source_blocks_check(kernels[i], m.code);
            continue;
        }
        matrix_check_lengths(&m);
        if (number) continue;
        matrix_check_all_inputs(&m);
        const unsigned long long before = m.evaluations;
        matrix_check_many(&m, input_count());
        assert_true(m.evaluations - before >= input_count());
    }
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
