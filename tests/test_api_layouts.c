/* Tests of the public interface for operands of every type, shape and layout: what a kernel reports of its
 * operands, parts of a call, and results in place of inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 5,
    COLS = 517,
    BYTES = 1 << 17,
    MOST_OPERANDS = 6
}; /* More columns than one round of any loop takes, plus a tail. */

static actgen_engine *engine;
static actgen_error error;

static int open_engine(void **state)
{
    (void)state;
    return actgen_engine_create(&engine, &error);
}

static int close_engine(void **state)
{
    (void)state;
    actgen_engine_free(engine);
    return 0;
}

static actgen_kernel *compile(const char *operands, const actgen_options *options)
{
    char text[512];
    actgen_spec *spec;
    actgen_kernel *kernel = NULL;
    snprintf(text, sizeof text, "kernel k%s", operands);
    if (actgen_spec_parse(&spec, "test.act", text, strlen(text), &error) ||
        actgen_compile(&kernel, engine, spec, NULL, options, &error))
        fail_msg("%s: %s", text, error.message);
    actgen_spec_free(spec);
    return kernel;
}

/* ---- what a kernel tells ---- */

static const char every[] =
    "([gate | up]: bf16, [a, b, c]: f16, x: f64, bias: f32[cols], scale: f32[rows], beta: f64[], "
    "s: e8m0[rows, cols/32], t: f32[rows/128, cols/64])"
    " -> (y: f64, [p, q]: bf16) { y = x*beta + gate + a; p = b*scale + bias; q = s*t*up + c }";

static const actgen_operand_info told[] = {
    {0, "gate", ACTGEN_BF16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_PACKED, 0, 0, 0, 2, 0, 0},
    {0, "up", ACTGEN_BF16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_PACKED, 0, 0, 1, 2, 0, 0},
    {0, "a", ACTGEN_F16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_INTERLEAVED, 0, 1, 0, 3, 0, 0},
    {0, "b", ACTGEN_F16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_INTERLEAVED, 0, 1, 1, 3, 0, 0},
    {0, "c", ACTGEN_F16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_INTERLEAVED, 0, 1, 2, 3, 0, 0},
    {0, "x", ACTGEN_F64, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_SEPARATE, 0, 2, 0, 1, 0, 0},
    {0, "bias", ACTGEN_F32, ACTGEN_SHAPE_COLS, ACTGEN_LAYOUT_SEPARATE, 0, 3, 0, 1, 0, 0},
    {0, "scale", ACTGEN_F32, ACTGEN_SHAPE_ROWS, ACTGEN_LAYOUT_SEPARATE, 0, 4, 0, 1, 0, 0},
    {0, "beta", ACTGEN_F64, ACTGEN_SHAPE_ONE, ACTGEN_LAYOUT_SEPARATE, 0, 5, 0, 1, 0, 0},
    {0, "s", ACTGEN_E8M0, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_SEPARATE, 0, 6, 0, 1, 32, 0},
    {0, "t", ACTGEN_F32, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_SEPARATE, 0, 7, 0, 1, 64, 128},
    {0, "y", ACTGEN_F64, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_SEPARATE, 1, 8, 0, 1, 0, 0},
    {0, "p", ACTGEN_BF16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_INTERLEAVED, 1, 9, 0, 2, 0, 0},
    {0, "q", ACTGEN_BF16, ACTGEN_SHAPE_MATRIX, ACTGEN_LAYOUT_INTERLEAVED, 1, 9, 1, 2, 0, 0},
};
enum { TOLD = sizeof told / sizeof *told };

static void kernels_tell_their_operands(void **state)
{
    (void)state;
    actgen_kernel *k = compile(every, NULL);
    assert_int_equal(actgen_kernel_operand_count(k), TOLD);
    assert_int_equal(actgen_kernel_group_count(k), 10);
    for (size_t i = 0; i < TOLD; i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        const actgen_operand_info *e = &told[i];
        assert_int_equal(actgen_kernel_operand_info(k, i, &info), ACTGEN_OK);
        assert_string_equal(info.name, e->name);
        if (info.type != e->type || info.shape != e->shape || info.layout != e->layout ||
            info.is_result != e->is_result || info.group != e->group || info.part != e->part ||
            info.parts != e->parts || info.block != e->block || info.block_rows != e->block_rows)
            fail_msg("`%s` tells other things", info.name);
    }
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    assert_int_equal(actgen_kernel_operand_info(k, TOLD, &info), ACTGEN_EINVAL);
    assert_int_equal(actgen_kernel_operand_info(k, 0, NULL), ACTGEN_EINVAL);
    info.size = 0;
    assert_int_equal(actgen_kernel_operand_info(k, 0, &info), ACTGEN_EINVAL);
    info.size = offsetof(actgen_operand_info, layout); /* The size that an older program would pass. */
    info.parts = 99;
    assert_int_equal(actgen_kernel_operand_info(k, 0, &info), ACTGEN_OK);
    assert_int_equal(info.type, ACTGEN_BF16);
    assert_int_equal(info.parts, 99);
    actgen_kernel_free(k);
}

static void types_have_names_and_sizes(void **state)
{
    (void)state;
    static const struct {
        int type;
        const char *name;
        size_t bytes;
    } rows[] = {{ACTGEN_F32, "f32", 4},   {ACTGEN_F64, "f64", 8},   {ACTGEN_F16, "f16", 2},
                {ACTGEN_BF16, "bf16", 2}, {ACTGEN_E4M3, "e4m3", 1}, {ACTGEN_E5M2, "e5m2", 1},
                {ACTGEN_I8, "i8", 1},     {ACTGEN_U8, "u8", 1},     {ACTGEN_U64, "u64", 8},
                {ACTGEN_U1, "u1", 1},     {ACTGEN_I32, "i32", 4},   {ACTGEN_E8M0, "e8m0", 1},
                {ACTGEN_E2M1, "e2m1", 1}, {ACTGEN_I4, "i4", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(actgen_type_name(rows[i].type), rows[i].name);
        assert_int_equal(actgen_type_bytes(rows[i].type), rows[i].bytes);
    }
    assert_null(actgen_type_name(-1));
    assert_null(actgen_type_name(14));
    assert_int_equal(actgen_type_bytes(1000), 0);
}

/* ---- calls ---- */

/* A call with arrays of its own. Operand g of the call is data[g]. */
struct call {
    actgen_kernel *kernel;
    size_t count;
    actgen_operand operands[MOST_OPERANDS];
    char *memory[MOST_OPERANDS];
    bool is_result[MOST_OPERANDS];
};

/* Fills an array with small integers and halves of the type. */
static void fill(char *out, int type, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double x = (double)(i * 7 % 31) / 2 - 7;
        const float f = (float)x;
        const uint16_t f16[] = {0x3c00, 0xc000, 0x3800, 0x4200}; /* The numbers 1, -2, 0.5 and 3. */
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        const uint16_t half = type == ACTGEN_BF16 ? (uint16_t)(bits >> 16) : f16[i % 4];
        const size_t bytes = actgen_type_bytes(type);
        memcpy(out + i * bytes,
               type == ACTGEN_F64   ? (const void *)&x
               : type == ACTGEN_F32 ? (const void *)&f
                                    : &half,
               bytes);
    }
}

/* Opens a call in which the rows of matrices are `gap` elements longer than necessary. */
static struct call call_of(const char *operands, size_t gap, const actgen_options *options)
{
    struct call c = {.kernel = compile(operands, options)};
    c.count = actgen_kernel_group_count(c.kernel);
    for (size_t i = 0; i < actgen_kernel_operand_count(c.kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(c.kernel, i, &info);
        const size_t width = info.shape == ACTGEN_SHAPE_MATRIX ? info.parts * COLS : 1;
        if (info.part) continue;
        c.memory[info.group] = calloc(1, BYTES);
        assert_non_null(c.memory[info.group]);
        c.is_result[info.group] = info.is_result != 0;
        if (!info.is_result) fill(c.memory[info.group], info.type, BYTES / actgen_type_bytes(info.type));
        c.operands[info.group] = (actgen_operand){c.memory[info.group], gap ? width + gap : 0};
    }
    return c;
}

static void call_free(struct call *c)
{
    for (size_t i = 0; i < c->count; i++) free(c->memory[i]);
    actgen_kernel_free(c->kernel);
}

static const char *const shapes[] = {
    "(x: f32, b: f32) -> (y: f32) { y = x*b }",
    "([gate | up]: bf16) -> (y: bf16) { y = gate*up }",
    "([gate, up]: f16, s: f32[rows]) -> ([y, z]: f32) { y = gate*s; z = up + s }",
    "(x: f64, bias: f32[cols], s: bf16[rows], t: f64[]) -> ([y | z]: f64) { y = (x + bias)*s; z = x*t }",
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Checks that a call in pieces writes the same as one whole call, by the checked call and by
 * the machine code. */
static void rows_of_a_call_make_the_call(void **state)
{
    (void)state;
    static const size_t cuts[] = {0, 1, 1, 4, ROWS};
    for (size_t i = 0; i < 2 * SHAPES; i++) {
        struct call c = call_of(shapes[i / 2], i % 2 * 5, NULL);
        const size_t result = c.count - 1;
        char *whole = malloc(BYTES);
        assert_non_null(whole);
        assert_int_equal(actgen_run(c.kernel, ROWS, COLS, c.operands, c.count, &error), ACTGEN_OK);
        memcpy(whole, c.memory[result], BYTES);
        for (int raw = 0; raw < 2; raw++) {
            const actgen_fn function = actgen_kernel_fn(c.kernel);
            if (raw && !function) continue;
            memset(c.memory[result], 0, BYTES);
            for (size_t k = 0; k + 1 < sizeof cuts / sizeof *cuts; k++) {
                actgen_operand part[MOST_OPERANDS];
                const size_t first = cuts[k], count = cuts[k + 1] - first;
                actgen_operands_at_row(c.kernel, first, COLS, c.operands, part);
                if (raw)
                    function(count, COLS, part);
                else if (actgen_run_rows(c.kernel, first, count, ROWS, COLS, c.operands, c.count, &error))
                    fail_msg("%s: %s", shapes[i / 2], error.message);
            }
            assert_memory_equal(c.memory[result], whole, BYTES);
        }
        free(whole);
        call_free(&c);
    }
}

/* Rows that share an element are in one part. */
static void parts_begin_with_blocks_of_rows(void **state)
{
    (void)state;
    static const size_t first[] = {0, 16, 8, 17};
    static float x[40], s[3], y[40];
    const actgen_operand operands[] = {{x, 0}, {s, 0}, {y, 0}};
    actgen_kernel *k = compile("(x: f32, s: f32[rows/16]) -> (y: f32) { y = x*s }", NULL);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        const int status = actgen_run_rows(k, first[i], 16, 40, 1, operands, 3, &error);
        assert_int_equal(status, first[i] % 16 ? ACTGEN_EINVAL : ACTGEN_OK);
        if (status) assert_non_null(strstr(error.message, "begin at multiples of 16"));
    }
    actgen_kernel_free(k);
}

static void wrong_rows_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t first, count;
        int status;
    } rows[] = {{0, ROWS, ACTGEN_OK},     {ROWS, 0, ACTGEN_OK},         {ROWS + 1, 0, ACTGEN_EINVAL},
                {1, ROWS, ACTGEN_EINVAL}, {SIZE_MAX, 2, ACTGEN_EINVAL}, {2, SIZE_MAX, ACTGEN_EINVAL},
                {ROWS - 1, 1, ACTGEN_OK}};
    struct call c = call_of(shapes[0], 0, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int status =
            actgen_run_rows(c.kernel, rows[i].first, rows[i].count, ROWS, COLS, c.operands, c.count, &error);
        if (status != rows[i].status) fail_msg("row %zu: status %d", i, status);
    }
    c.operands[2].data = NULL; /* The library checks the whole call, whichever rows it runs. */
    assert_int_equal(actgen_run_rows(c.kernel, 0, 0, ROWS, COLS, c.operands, c.count, &error), ACTGEN_EINVAL);
    call_free(&c);
}

/* ---- in place ---- */

static const struct place {
    const char *kernel;
    size_t result, input; /* The operands of the call. */
    size_t bytes;         /* The distance from the input's pointer to the result's. */
    size_t stride;        /* The stride of a result in place. Other results have none. */
} places[] = {
    {"(x: f32, b: f32) -> (y: f32) { y = x*b + x }", 2, 0, 0, 0},
    {"(x: f32, b: f32) -> (y: f32) { y = x*b + x }", 2, 1, 0, 0},
    {"([gate | up]: bf16) -> (y: bf16) { y = gate*up + up }", 1, 0, 0, 2 * COLS},
    {"([gate | up]: bf16) -> (y: bf16) { y = gate*up + up }", 1, 0, 2 * COLS, 2 * COLS},
    {"([gate | up]: f64) -> (y: f64) { y = gate*up + up }", 1, 0, 8 * COLS, 2 * COLS},
    {"([gate | up]: f16) -> ([y | z]: f16) { y = gate*up; z = gate - up }", 1, 0, 0, 0},
    {"([gate, up]: f16) -> ([y, z]: f16) { y = gate*up; z = gate - up }", 1, 0, 0, 0},
    {"([a, b, c]: f32) -> ([x, y, z]: f32) { x = b - c; y = c - a; z = a - b }", 1, 0, 0, 0},
    {"([gate | up]: f32) -> (y: f32, z: f32) { y = gate*up; z = gate - up }", 1, 0, 4 * COLS, 2 * COLS},
    {"([gate | up]: f32) -> (y: f32, z: f32) { y = gate*up; z = gate - up }", 2, 0, 0, 2 * COLS},
};

/* Checks that a call in place gives the bits of a call out of place, and leaves the rest of the
 * input as it was. */
static void check_place(const struct place *p, const actgen_options *options)
{
    struct call c = call_of(p->kernel, 0, options);
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    char *expected = malloc(BYTES), *const in = c.memory[p->input];
    assert_non_null(expected);
    for (size_t i = 0; i < actgen_kernel_operand_count(c.kernel); i++) {
        actgen_kernel_operand_info(c.kernel, i, &info);
        if (info.group == p->result) break;
    }
    const size_t width = info.parts * COLS * actgen_type_bytes(info.type);
    const size_t stride = p->stride ? p->stride * actgen_type_bytes(info.type) : width;
    assert_int_equal(actgen_run(c.kernel, ROWS, COLS, c.operands, c.count, &error), ACTGEN_OK);
    memcpy(expected, in, BYTES);
    for (size_t r = 0; r < ROWS; r++)
        memcpy(expected + p->bytes + r * stride, c.memory[p->result] + r * width, width);
    c.operands[p->result] = (actgen_operand){in + p->bytes, p->stride};
    if (actgen_run(c.kernel, ROWS, COLS, c.operands, c.count, &error))
        fail_msg("%s: %s", p->kernel, error.message);
    if (memcmp(in, expected, BYTES))
        fail_msg("%s, %s, streaming %d: other bits in place", p->kernel, actgen_kernel_isa(c.kernel),
                 (int)options->streaming);
    free(expected);
    call_free(&c);
}

static void in_place_gives_equal_bits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        for (size_t n = 0; (options.isa = actgen_isa_name(n)); n++)
            for (options.streaming = -1; options.streaming <= 1; options.streaming += 2)
                check_place(&places[i], &options);
        options.isa = "host";
        options.streaming = 0;
        options.interpret = 1;
        check_place(&places[i], &options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_tell_their_operands),     cmocka_unit_test(types_have_names_and_sizes),
        cmocka_unit_test(rows_of_a_call_make_the_call),    cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(parts_begin_with_blocks_of_rows), cmocka_unit_test(in_place_gives_equal_bits),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
