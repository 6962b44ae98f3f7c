/* Tests of functions of values: `float gelu(float)` of kernels and of objects, and the vector functions of
 * objects. All built-ins that have them are compared with the interpreter, bit for bit, in all lanes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "isas.h"
#include "linked_object.h"
#include "skipping.h"
#include "vector_calls.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 160, COUNT = 192, MOST_BYTES = 8 };

static const char *const types[] = {"f32", "f64"};
/* Loads an object with vector functions as a shared library. */
static void *load_functions(actgen_kernel *const *kernels, size_t count)
{
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    options.visibility = ACTGEN_VISIBILITY_DEFAULT;
    options.prefix = "k_";
    options.abi = *vector_letters[0].calls ? ACTGEN_ABI_VECTOR : ACTGEN_ABI_SCALAR;
    return load(kernels, count, &options);
}

static actgen_scalar_fn function_of(void *library, const char *symbol)
{
    actgen_scalar_fn function;
    find(&function, library, symbol);
    return function;
}

/* -- inputs and expected results -- */

/* Inputs of a kernel and the interpreter's results. The last of `operands` is the result. */
static struct {
    unsigned bytes, inputs;
    _Alignas(64) unsigned char operands[MOST_ARGUMENTS + 1][COUNT * MOST_BYTES];
} c;

/* Fills an operand with limits, zeros, NaNs, subnormals, numbers of usual size, and random bits. */
static void fill(unsigned char *out, unsigned bytes, unsigned operand)
{
    static const double usual[] = {0, -0.0, 1,  -1,  0.5, -0.5, 3.25, -3.25,
                                   7, -7,   20, -20, 90,  -90,  1e-3, -1e-3};
    static const uint32_t special32[] = {0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1,
                                         0x80000001, 0x7f7fffff, 0xff7fffff, 0x00800000, 0x80800000};
    enum { USUAL = sizeof usual / sizeof *usual, SPECIAL = sizeof special32 / sizeof *special32 };
    uint64_t random = 1 + operand;
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned n = (i + 5 * operand) % (USUAL + SPECIAL + 22);
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t bits = random >> (64 - 8 * bytes);
        if (n < USUAL) {
            const float narrow = (float)usual[n];
            if (bytes == 8) memcpy(&bits, &usual[n], 8);
            if (bytes == 4) bits = 0, memcpy(&bits, &narrow, 4);
        } else if (n < USUAL + SPECIAL) {
            const uint32_t s = special32[n - USUAL];
            bits = bytes == 4 ? s : (uint64_t)s << 32 | (s & 1);
        } else if (n % 2) { /* a number between -8 and 8 */
            const double number = (double)(random >> 40) * 0x1p-20 - 8;
            const float narrow = (float)number;
            if (bytes == 8) memcpy(&bits, &number, 8);
            if (bytes == 4) bits = 0, memcpy(&bits, &narrow, 4);
        }
        memcpy(out + (size_t)i * bytes, &bits, bytes);
    }
}

static void interpret(const actgen_kernel *kernel)
{
    actgen_operand operands[MOST_ARGUMENTS + 1];
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    assert_int_equal(actgen_kernel_operand_info(kernel, 0, &info), ACTGEN_OK);
    c.bytes = info.type == ACTGEN_F64 ? 8 : 4;
    c.inputs = (unsigned)actgen_kernel_operand_count(kernel) - 1;
    for (unsigned k = 0; k <= c.inputs; k++) {
        operands[k] = (actgen_operand){c.operands[k], 0};
        fill(c.operands[k], c.bytes, k);
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &info), ACTGEN_OK);
        for (size_t i = c.bytes; info.shape == ACTGEN_SHAPE_ONE && i < (size_t)COUNT * c.bytes; i++)
            c.operands[k][i] = c.operands[k][i - c.bytes];
    }
    if (actgen_interpret(kernel, 1, COUNT, operands, c.inputs + 1, &error)) fail_msg("%s", error.message);
}

static bool is_nan(const unsigned char *value)
{
    float narrow;
    double wide;
    memcpy(&narrow, value, 4);
    memcpy(&wide, value, c.bytes == 8 ? 8 : 4);
    return c.bytes == 8 ? wide != wide : narrow != narrow;
}

static void check_value(const char *what, unsigned i, const unsigned char *value)
{
    const unsigned char *expected = c.operands[c.inputs] + (size_t)i * c.bytes;
    if (!memcmp(value, expected, c.bytes) || (is_nan(value) && is_nan(expected))) return;
    uint64_t x = 0, y = 0, z = 0;
    memcpy(&x, c.operands[0] + (size_t)i * c.bytes, c.bytes);
    memcpy(&y, value, c.bytes);
    memcpy(&z, expected, c.bytes);
    fail_msg("%s of 0x%llx: 0x%llx, not 0x%llx", what, (unsigned long long)x, (unsigned long long)y,
             (unsigned long long)z);
}

/* -- calls -- */

static void check_scalar(const char *what, actgen_scalar_fn f)
{
    for (unsigned i = 0; i < COUNT; i++) {
        float x[MOST_ARGUMENTS], y = 0;
        double u[MOST_ARGUMENTS], v = 0;
        for (unsigned k = 0; k < c.inputs; k++) {
            memcpy(&x[k], c.operands[k] + (size_t)i * c.bytes, 4);
            memcpy(&u[k], c.operands[k] + (size_t)i * c.bytes, c.bytes);
        }
        if (c.bytes == 4) {
            y = c.inputs == 1   ? ((float (*)(float))f)(x[0])
                : c.inputs == 2 ? ((float (*)(float, float))f)(x[0], x[1])
                                : ((float (*)(float, float, float))f)(x[0], x[1], x[2]);
            check_value(what, i, (const unsigned char *)&y);
        } else {
            v = c.inputs == 1   ? ((double (*)(double))f)(u[0])
                : c.inputs == 2 ? ((double (*)(double, double))f)(u[0], u[1])
                                : ((double (*)(double, double, double))f)(u[0], u[1], u[2]);
            check_value(what, i, (const unsigned char *)&v);
        }
    }
}

static void take_lanes(unsigned char (*out)[MOST_VECTOR_BYTES], unsigned first, unsigned bytes)
{
    for (unsigned k = 0; k < c.inputs; k++) memcpy(out[k], c.operands[k] + (size_t)first * c.bytes, bytes);
}

static void check_vectors(const char *what, actgen_scalar_fn f, const struct vector_letter *letter)
{
    unsigned char arguments[MOST_ARGUMENTS][MOST_VECTOR_BYTES], y[MOST_VECTOR_BYTES];
    const unsigned lanes = letter->bytes / c.bytes;
    for (unsigned first = 0; first + lanes <= COUNT; first += lanes) {
        take_lanes(arguments, first, letter->bytes);
        letter->calls[c.bytes == 8](f, arguments, c.inputs, NULL, y);
        for (unsigned i = 0; i < lanes; i++) check_value(what, first + i, y + (size_t)i * c.bytes);
    }
}

/* The masks of a group of lanes: none, all, one lane, and random ones. */
enum { MASKS = 6 };
static uint32_t mask_at(unsigned number, unsigned first, unsigned lanes)
{
    const uint32_t random = ((first + 1) * MASKS + number) * UINT32_C(0x9e3779b9), all = (1u << lanes) - 1;
    return number == 0 ? 0 : number == 1 ? all : number == 2 ? 1u << random % lanes : random >> 8 & all;
}

/* Returns the exceptions that a call raises, except FE_INEXACT. */
static int raised_by(vector_call *call, actgen_scalar_fn f, unsigned char (*arguments)[MOST_VECTOR_BYTES],
                     const unsigned char *mask, unsigned char *y)
{
    feclearexcept(FE_ALL_EXCEPT);
    call(f, arguments, c.inputs, mask, y);
    return fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
}

/* Checks a masked call. Lanes that are off raise nothing: the call raises what `unmasked` raises with values
 * of lanes that are on in their place. */
static void check_mask(const char *what, actgen_scalar_fn f, actgen_scalar_fn unmasked,
                       const struct vector_letter *letter, unsigned first, uint32_t on)
{
    unsigned char arguments[MOST_ARGUMENTS][MOST_VECTOR_BYTES], y[MOST_VECTOR_BYTES], z[MOST_VECTOR_BYTES],
        mask[MOST_VECTOR_BYTES] = {0};
    const unsigned lanes = letter->bytes / c.bytes;
    const bool is_f64 = c.bytes == 8;
    for (unsigned i = 0; i < lanes; i++) memset(mask + i * c.bytes, on >> i & 1 ? 0xff : 0, c.bytes);
    take_lanes(arguments, first, letter->bytes);
    int raised = raised_by(letter->masked[is_f64], f, arguments, mask, y);
    for (unsigned i = 0, some = 0; i < lanes; i++) {
        if (on >> i & 1) check_value(what, first + i, y + i * c.bytes);
        while (on && !(on >> some & 1)) some++;
        for (unsigned k = 0; k < c.inputs && !(on >> i & 1); k++)
            memcpy(arguments[k] + i * c.bytes, arguments[k] + some * c.bytes, c.bytes);
    }
    if (on) raised &= ~raised_by(letter->calls[is_f64], unmasked, arguments, NULL, z);
    if (raised) fail_msg("%s raises %x for lanes that are off, mask %x", what, (unsigned)raised, on);
}

static void check_masked(const char *what, actgen_scalar_fn f, actgen_scalar_fn unmasked,
                         const struct vector_letter *letter)
{
    const unsigned lanes = letter->bytes / c.bytes;
    for (unsigned first = 0; first + lanes <= COUNT; first += lanes)
        for (unsigned n = 0; n < MASKS; n++)
            check_mask(what, f, unmasked, letter, first, mask_at(n, first, lanes));
}

/* Checks the scalar and all vector functions of a kernel in the library. Each argument has a letter, `v` or
 * `u`. A parameter is passed where a vector has its first lane, so calls of `u` are those of `v`. */
static void check_library(void *library, const char *name, const char *letters)
{
    char symbol[160];
    snprintf(symbol, sizeof symbol, "k_%s", name);
    check_scalar(symbol, function_of(library, symbol));
    for (const struct vector_letter *l = vector_letters; l->letter; l++) {
        if (!letter_runs_here(l->letter)) continue;
        snprintf(symbol, sizeof symbol, "_ZGV%cN%u%.*s_k_%s", l->letter, l->bytes / c.bytes, (int)c.inputs,
                 letters, name);
        actgen_scalar_fn all_lanes = function_of(library, symbol);
        check_vectors(symbol, all_lanes, l);
        *strchr(symbol, 'N') = 'M';
        check_masked(symbol, function_of(library, symbol), all_lanes, l);
    }
}

/* -- all built-ins -- */

static actgen_kernel *kernels[MOST];
static size_t kernel_count, seen;

/* Returns true if the kernel can be a function of values. */
static bool has_values(const actgen_kernel *kernel)
{
    unsigned results = 0;
    const size_t count = actgen_kernel_operand_count(kernel);
    for (size_t i = 0; i < count; i++) {
        actgen_operand_info o = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &o);
        if (o.shape != ACTGEN_SHAPE_MATRIX || (o.type != ACTGEN_F32 && o.type != ACTGEN_F64)) return false;
        results += o.is_result != 0;
    }
    return results == 1 && count <= MOST_ARGUMENTS + 1 && !has_workspace(kernel);
}

/* A type and a set. The sets share half of the built-ins, and take others the next day. */
struct choice {
    const char *type, *isa;
    size_t number, step;
};

static int add_builtin(void *context, const actgen_builtin *b)
{
    const struct choice *choice = context;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = choice->isa;
    if (!is_made_of(b, choice->type) || !is_row_tried(seen++, 8)) return 0;
    if (!is_row_of_today(seen + choice->number, choice->step) || (runs_again() && seen % 8)) return 0;
    if (actgen_compile_builtin(&kernels[kernel_count], engine, b->name, choice->type, &options, &error))
        fail_msg("%s: %s", b->name, error.message);
    actgen_scalar_fn scalar;
    const bool suits = has_values(kernels[kernel_count]);
    const int status = actgen_kernel_scalar(&scalar, kernels[kernel_count], &error);
    if (suits != !status) fail_msg("%s: %s", b->name, status ? error.message : "not refused");
    assert_true(!scalar == !suits);
    if (suits)
        kernel_count++;
    else
        actgen_kernel_free(kernels[kernel_count]);
    assert_true(kernel_count < MOST);
    return 0;
}

static void check_kernel(void *library, const actgen_kernel *kernel)
{
    const char *name = actgen_kernel_name(kernel);
    actgen_scalar_fn scalar, again;
    interpret(kernel);
    assert_int_equal(actgen_kernel_scalar(&scalar, kernel, &error), ACTGEN_OK);
    assert_int_equal(actgen_kernel_scalar(&again, kernel, &error), ACTGEN_OK);
    assert_true(scalar == again);
    check_scalar(name, scalar);
    if (library) check_library(library, name, "vvv");
}

static void bits_are_those_of_the_interpreter(void **state)
{
    (void)state;
    const bool links = system("command -v cc >/dev/null 2>&1") == 0;
    for (size_t t = 0; t < 2; t++)
        for (size_t n = 0; own_isa_to_run(n); n++) {
            const size_t step = takes_one_kind() || runs_again() ? 1 : 2 * sharing_sets();
            struct choice choice = {types[t], own_isa_to_run(n), n, step};
            seen = 0;
            actgen_builtins(add_builtin, &choice, NULL);
            assert_true(kernel_count >= (takes_one_kind() || runs_again() ? 3 : 40) / choice.step);
            void *library = links ? load_functions(kernels, kernel_count) : NULL;
            for (size_t k = 0; k < kernel_count; k++) check_kernel(library, kernels[k]);
            if (library) dlclose(library);
            while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
        }
    if (!links) SKIP_BECAUSE("there is no C compiler, so no object was linked");
}

/* Checks an object for all sets. Each form calls the best set that runs here, so all forms agree, whatever
 * width the caller's loop has. */
static void all_forms_choose_one_set(void **state)
{
    (void)state;
    size_t best = 0;
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    for (size_t n = 0; own_isa(n); n++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = own_isa(n);
        best += !actgen_isa_runs_here(options.isa);
        if (actgen_compile_builtin(&kernels[kernel_count++], engine, "silu", "f32", &options, &error))
            fail_msg("%s", error.message);
    }
    void *library = load_functions(kernels, kernel_count);
    interpret(kernels[best]);
    check_library(library, "silu", "v");
    dlclose(library);
    while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
}

/* Tests kernels that raise exceptions for zeros, or whose parameter may do so. */
static void lanes_that_are_off_raise_nothing(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"kernel k(x: f32) -> (y: f32) { y = 1/x }", "v"},
        {"kernel k(x: f64) -> (y: f64) { y = sqrt(x - 1) }", "v"},
        {"kernel k(a: f32, b: f32) -> (y: f32) { y = a/b }", "vv"},
        {"kernel k(x: f32, beta: f32[]) -> (y: f32) { y = beta/x }", "vv"},
        /* This has a pole at x = 0 only for the parameter of the test, -0.5. */
        {"kernel k(x: f32, beta: f32[]) -> (y: f32) { y = 1/(x + 0.5 + beta) }", "vu"},
        {"kernel k(x: f64, beta: f64[]) -> (y: f64) { y = swish(x, beta = beta) }", "vu"},
        {"kernel k(x: f32) -> (y: f32) { y = log(x) }", "v"}};
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    for (size_t n = 0; own_isa_to_run(n); n++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            actgen_kernel *kernel = compile_for(rows[i][0], own_isa_to_run(n));
            void *library = load_functions(&kernel, 1);
            interpret(kernel);
            check_library(library, "k", rows[i][1]);
            dlclose(library);
            actgen_kernel_free(kernel);
        }
}

#if defined(__x86_64__)
typedef float four __attribute__((vector_size(16)));

/* Checks a parameter, an operand of shape []: a value in one form, a vector in the other. */
static void parameters_are_uniform_or_vectors(void **state)
{
    (void)state;
    static const char text[] = "kernel act(x: f32, beta: f32[]) -> (y: f32) { y = swish(x, beta = beta) }";
    if (system("command -v cc >/dev/null 2>&1") != 0) SKIP_BECAUSE("there is no C compiler");
    for (size_t n = 0; own_isa_to_run(n); n++) {
        actgen_kernel *kernel = compile_for(text, own_isa_to_run(n));
        void *library = load_functions(&kernel, 1);
        four x = {-1, 0, 2, 5}, beta = {0.5f, 1, 2, -3}, uniform[4], by_lane;
        float expected[4];
        for (unsigned i = 0; i < 4; i++) {
            const float one = beta[i];
            const float values[] = {x[0], x[1], x[2], x[3]};
            const actgen_operand operands[] = {{values, 0}, {&one, 0}, {expected, 0}};
            assert_int_equal(actgen_interpret(kernel, 1, 4, operands, 3, &error), ACTGEN_OK);
            uniform[i] = ((four(*)(four, float))function_of(library, "_ZGVbN4vu_k_act"))(x, one);
            by_lane = ((four(*)(four, four))function_of(library, "_ZGVbN4vv_k_act"))(x, beta);
            assert_memory_equal(&uniform[i], expected, sizeof expected);
            assert_true(by_lane[i] == expected[i]);
            assert_true(((float (*)(float, float))function_of(library, "k_act"))(x[i], one) == expected[i]);
        }
        function_of(library, "_ZGVeM16vu_k_act");
        dlclose(library);
        actgen_kernel_free(kernel);
    }
}
#endif

/* -- refusals -- */

static void kernels_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"kernel k(x: f32, b: f32[cols]) -> (y: f32) { y = gelu(x + b) }",
         "operand 'b' has one value per column"},
        {"kernel k(x: f32, s: f32[rows]) -> (y: f32) { y = gelu(x)*s }", "operand 's' has one value per row"},
        {"kernel k(x: bf16) -> (y: bf16) { y = gelu(x) }", "operand 'y' is neither f32 nor f64"},
        {"kernel k(x: f32) -> (y: f16) { y = gelu(x) }", "operand 'y' is neither f32 nor f64"},
        {"kernel k(x: f32, y: f64) -> (z: f32) { z = x + f32(y) }",
         "operand 'y' has another type than the result"},
        {"kernel k(x: f32) -> (y: f32, m: u8) { y = relu(x); m = if x > 0 then 1 else 0 }",
         "several results"},
        {"kernel k(x: f32) -> (y: f32) { y = x - sum(x) }", "sums"}};
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_kernel *kernel = compile_for(rows[i][0], "host");
        const actgen_kernel *const list[] = {kernel};
        actgen_scalar_fn f;
        for (options.abi = ACTGEN_ABI_SCALAR; options.abi <= ACTGEN_ABI_VECTOR; options.abi++)
            for (int what = ACTGEN_EMIT_OBJECT; what <= ACTGEN_EMIT_HEADER; what++)
                assert_refused(actgen_emit_with(list, 1, what, &options, drop, NULL, &error), ACTGEN_EINVAL,
                               rows[i][1]);
        assert_refused(actgen_kernel_scalar(&f, kernel, &error), ACTGEN_EINVAL, rows[i][1]);
        assert_null(f);
        actgen_kernel_free(kernel);
    }
}

static void targets_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *isa, *format;
        int32_t abi;
        const char *reason;
    } rows[] = {
        {"rvv", NULL, ACTGEN_ABI_VECTOR, "objects of the format elf for rvv have no vector functions"},
        {"neon", "macho", ACTGEN_ABI_VECTOR, "objects of the format macho for neon have no vector"},
        {"avx2", "coff", ACTGEN_ABI_VECTOR, "objects of the format coff for avx2 have no vector"},
        {"ptx", NULL, ACTGEN_ABI_SCALAR, "code for GPUs (ptx)"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_options how = ACTGEN_OPTIONS_INIT;
        actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
        actgen_kernel *kernel;
        how.isa = rows[i].isa;
        how.interpret = 1;
        assert_int_equal(actgen_compile_builtin(&kernel, engine, "gelu", "f32", &how, &error), ACTGEN_OK);
        const actgen_kernel *const list[] = {kernel};
        actgen_scalar_fn f;
        options.format = rows[i].format;
        options.abi = rows[i].abi;
        assert_refused(actgen_emit_with(list, 1, ACTGEN_EMIT_OBJECT, &options, drop, NULL, &error),
                       ACTGEN_ETARGET, rows[i].reason);
        assert_refused(actgen_kernel_scalar(&f, kernel, &error), ACTGEN_ETARGET, "no machine code");
        options.abi = 7;
        assert_refused(actgen_emit_with(list, 1, ACTGEN_EMIT_OBJECT, &options, drop, NULL, &error),
                       ACTGEN_EINVAL, "options.abi is 7");
        actgen_kernel_free(kernel);
    }
    actgen_scalar_fn f;
    assert_refused(actgen_kernel_scalar(&f, NULL, &error), ACTGEN_EINVAL, "kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_interpreter),
        cmocka_unit_test(all_forms_choose_one_set),
        cmocka_unit_test(lanes_that_are_off_raise_nothing),
#if defined(__x86_64__)
        cmocka_unit_test(parameters_are_uniform_or_vectors),
#endif
        cmocka_unit_test(kernels_are_refused),
        cmocka_unit_test(targets_are_refused),
    };
    return cmocka_run_group_tests(tests, start, finish);
}
