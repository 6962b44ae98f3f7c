/* Tests of the checks of a call: which calls the library refuses and which it lets through, for every
 * type, shape and layout. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "call.h"
#include "language.h"
#include "sums.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 }; /* Stands for a NULL pointer. */

/* A row of the table. The operands of its call lie in one array, and `place` counts bytes from the start
 * of that array. */
struct row {
    const char *kernel; /* The operands and the result, as a spec declares them. */
    size_t rows, cols;
    struct {
        ptrdiff_t place;
        size_t stride;
    } operands[4];
    const char *message; /* A part of the message. NULL if the call is good. */
};

static const char one[] = "(x: f32) -> (y: f32) { y = x }";
static const char two[] = "(a: f32, b: f32) -> (y: f32) { y = a*b }";
static const char both[] = "(a: f32, b: f32) -> (y: f32, z: f32) { y = a*b; z = a + b }";
static const char packed[] = "([gate | up]: bf16) -> (y: bf16) { y = gate*up }";
static const char packed_both[] = "([gate | up]: f32) -> ([y | z]: f32) { y = gate*up; z = gate - up }";
static const char from_packed[] = "([gate | up]: f32) -> (y: f32, z: f32) { y = gate*up; z = gate - up }";
static const char to_packed[] = "(a: f32, b: f32) -> ([y | z]: f32) { y = a*b; z = a + b }";
static const char mixed_packed[] = "([gate | up]: f32) -> (y: bf16) { y = gate*up }";
static const char woven[] = "([gate, up]: f16) -> (y: f16) { y = gate*up }";
static const char woven_both[] = "([gate, up]: f32) -> ([y, z]: f32) { y = gate*up; z = gate - up }";
static const char woven_to_packed[] = "([gate, up]: f32) -> ([y | z]: f32) { y = gate*up; z = gate - up }";
static const char cols[] = "(x: f32, bias: f32[cols]) -> (y: f32) { y = x + bias }";
static const char rows[] = "(x: f32, scale: f64[rows]) -> (y: f32) { y = f32(x*scale) }";
static const char single[] = "(x: f32, beta: f16[]) -> (y: f32) { y = x*beta }";
static const char wide[] = "(x: f64) -> (y: f64) { y = x }";
static const char narrow[] = "(x: bf16) -> (y: f16) { y = x }";

static const char in_place_only[] = "in place is with the same pointer, stride and layout";

static const struct row table[] = {
    /* Missing operands. */
    {two, 4, 4, {{0, 0}, {64, 0}, {128, 0}}, NULL},
    {one, 4, 4, {{NONE, 0}, {64, 0}}, "operand `x` is NULL"},
    {packed, 4, 4, {{NONE, 0}, {64, 0}}, "operand `[gate | up]` is NULL"},
    {woven, 4, 4, {{NONE, 0}, {64, 0}}, "operand `[gate, up]` is NULL"},
    {cols, 4, 4, {{0, 0}, {NONE, 0}, {128, 0}}, "operand `bias` is NULL"},
    {single, 4, 4, {{0, 0}, {NONE, 0}, {128, 0}}, "operand `beta` is NULL"},
    {two, 0, 4, {{NONE, 1}, {NONE, 1}, {1, 1}}, NULL}, /* The call touches no memory. */
    {two, 4, 0, {{NONE, 1}, {NONE, 1}, {1, 1}}, NULL},
    /* Alignment: each operand to the element of its own type. */
    {one, 1, 1, {{2, 0}, {64, 0}}, "operand `x` is not aligned to its element of 4 bytes"},
    {wide, 1, 1, {{0, 0}, {68, 0}}, "operand `y` is not aligned to its element of 8 bytes"},
    {narrow, 1, 1, {{2, 0}, {70, 0}}, NULL},
    {narrow, 1, 1, {{2, 0}, {71, 0}}, "operand `y` is not aligned to its element of 2 bytes"},
    {rows, 1, 1, {{0, 0}, {20, 0}, {64, 0}}, "operand `scale` is not aligned to its element of 8 bytes"},
    /* Strides. */
    {one, 4, 4, {{0, 3}, {128, 0}}, "operand `x`: stride 3 is below the row width 4"},
    {one, 4, 4, {{0, 5}, {128, 7}}, NULL},
    {one, 1, 4, {{0, 3}, {128, 0}}, "stride 3 is below"}, /* The check also holds for one row. */
    {one, 1, 4, {{0, SIZE_MAX}, {128, SIZE_MAX / 3}}, NULL},
    {packed, 4, 4, {{0, 7}, {128, 0}}, "operand `[gate | up]`: stride 7 is below the row width 8"},
    {packed, 4, 4, {{0, 9}, {128, 4}}, NULL},
    {woven, 4, 4, {{0, 7}, {128, 0}}, "operand `[gate, up]`: stride 7 is below the row width 8"},
    {cols, 4, 4, {{0, 0}, {64, 1}, {128, 0}}, NULL}, /* The stride has no meaning. */
    {rows, 4, 4, {{0, 0}, {64, 1}, {128, 0}}, NULL},
    {rows, 4, 4, {{0, 0}, {64, 3}, {192, 0}}, NULL},
    {single, 4, 4, {{0, 0}, {64, 9}, {128, 0}}, NULL},
    /* Sizes. */
    {one, SIZE_MAX / 2, 4, {{0, 0}, {128, 0}}, "overflow"},
    {one, 2, SIZE_MAX / 2, {{0, 0}, {128, 0}}, "overflow"},
    {one, 4, 4, {{0, SIZE_MAX / 4}, {128, 0}}, "overflow"},
    {one, 4, 4, {{0, 0}, {128, SIZE_MAX / 12 + 1}}, "operand `y`: 4 rows of 4 columns with stride"},
    {packed, 1, SIZE_MAX / 2 + 1, {{0, 0}, {128, 0}}, "operand `[gate | up]`"},
    {packed, 1, SIZE_MAX / 4, {{0, 0}, {128, 0}}, "overflow"},
    {rows, 4, 4, {{0, 0}, {64, SIZE_MAX / 8}, {192, 0}}, "operand `scale`"},
    /* Results in place, and next to inputs. */
    {two, 4, 4, {{0, 0}, {64, 0}, {0, 0}}, NULL},
    {two, 4, 4, {{0, 0}, {64, 0}, {64, 4}}, NULL},
    {two, 4, 4, {{0, 0}, {0, 0}, {0, 0}}, NULL}, /* Inputs may be one array. */
    {two, 4, 4, {{0, 0}, {32, 0}, {128, 0}}, NULL},
    {two, 4, 4, {{0, 0}, {64, 0}, {4, 0}}, in_place_only},
    {two, 4, 4, {{4, 0}, {128, 0}, {0, 0}}, in_place_only},
    {two, 4, 4, {{0, 8}, {256, 0}, {0, 4}}, in_place_only},
    {two, 1, 4, {{0, 8}, {256, 0}, {0, 4}}, NULL}, /* One row has no stride. */
    {two, 4, 4, {{0, 12}, {512, 0}, {16, 15}}, in_place_only},
    {two, 4, 4, {{0, 0}, {64, 0}, {124, 0}}, "result `y` overlaps `b`"},
    {two, 4, 4, {{0, 0}, {64, 0}, {60, 0}}, "result `y` overlaps `a`"},
    {two, 4, 4, {{0, 12}, {16, 12}, {32, 12}}, NULL}, /* All are columns of one array. */
    {two, 4, 4, {{32, 12}, {16, 12}, {0, 12}}, NULL},
    {two, 4, 4, {{0, 12}, {16, 12}, {16, 12}}, NULL},
    {two, 4, 4, {{0, 12}, {16, 12}, {28, 12}}, "result `y` overlaps `b`"},
    /* The result reaches the next row of `a`. */
    {two, 4, 4, {{0, 12}, {16, 12}, {36, 12}}, "result `y` overlaps `a`"},
    /* The result starts a row later. */
    {two, 4, 4, {{0, 12}, {16, 12}, {48, 12}}, in_place_only},
    {both, 4, 4, {{0, 0}, {64, 0}, {0, 0}, {64, 0}}, NULL},
    {both, 4, 4, {{0, 0}, {64, 0}, {64, 0}, {0, 0}}, NULL},
    {both, 4, 4, {{0, 0}, {64, 0}, {128, 0}, {128, 0}}, "result `y` overlaps `z`"},
    {both, 4, 4, {{0, 0}, {64, 0}, {128, 8}, {144, 8}}, NULL},
    {both, 4, 4, {{0, 0}, {64, 0}, {128, 8}, {140, 8}}, "result `y` overlaps `z`"},
    {narrow, 4, 4, {{0, 0}, {0, 0}}, "in place is for equal types, and they are f16 and bf16"},
    /* Packed operands. */
    {packed, 4, 4, {{0, 0}, {0, 8}}, NULL},
    {packed, 4, 4, {{0, 0}, {8, 8}}, NULL},
    {packed, 4, 4, {{0, 10}, {8, 10}}, NULL},
    {packed, 4, 4, {{0, 12}, {16, 12}}, NULL}, /* The result lies in the unused columns. */
    {packed, 4, 4, {{0, 10}, {16, 10}}, "result `y` overlaps `[gate | up]`"},
    {packed, 4, 4, {{0, 0}, {0, 0}}, in_place_only}, /* The rows of the result are narrower. */
    {packed, 4, 4, {{0, 0}, {4, 8}}, in_place_only},
    {packed, 1, 4, {{0, 0}, {0, 0}}, NULL},
    {packed_both, 4, 4, {{0, 0}, {0, 0}}, NULL},
    {packed_both, 4, 4, {{0, 9}, {0, 9}}, NULL},
    {packed_both, 4, 4, {{0, 0}, {16, 0}}, in_place_only},
    /* y has the place of `up`, and z that of unused columns. */
    {packed_both, 4, 4, {{0, 16}, {16, 16}}, NULL},
    {packed_both, 4, 4, {{0, 16}, {20, 16}}, in_place_only},
    {packed_both, 4, 4, {{0, 16}, {32, 16}}, NULL},
    {from_packed, 4, 4, {{0, 0}, {0, 8}, {16, 8}}, NULL},
    {from_packed, 4, 4, {{0, 0}, {16, 8}, {0, 8}}, NULL},
    {from_packed, 4, 4, {{0, 0}, {16, 8}, {16, 8}}, "result `y` overlaps `z`"},
    {to_packed, 4, 4, {{0, 8}, {16, 8}, {0, 0}}, NULL},
    {to_packed, 4, 4, {{16, 8}, {0, 8}, {0, 0}}, NULL},
    {to_packed, 4, 4, {{0, 8}, {20, 8}, {0, 0}}, "result `[y | z]` overlaps `b`"},
    {mixed_packed, 4, 4, {{0, 0}, {0, 16}}, "in place is for equal types"},
    /* Interleaved operands. */
    {woven, 4, 4, {{0, 0}, {64, 0}}, NULL},
    {woven, 4, 4, {{0, 0}, {0, 8}}, in_place_only},
    {woven, 4, 4, {{0, 0}, {2, 8}}, in_place_only},
    {woven_both, 4, 4, {{0, 0}, {0, 0}}, NULL},
    {woven_both, 4, 4, {{0, 11}, {0, 11}}, NULL},
    {woven_both, 4, 4, {{0, 0}, {4, 0}}, in_place_only},
    {woven_both, 4, 4, {{0, 0}, {8, 0}}, in_place_only},
    {woven_to_packed, 4, 4, {{0, 0}, {0, 0}}, in_place_only},
    /* Broadcast operands, which are never in place. */
    {cols, 1, 4, {{0, 0}, {64, 0}, {64, 0}}, "result `y` overlaps `bias`"},
    {cols, 4, 4, {{0, 0}, {120, 0}, {64, 0}}, "result `y` overlaps `bias`"},
    {cols, 4, 4, {{0, 0}, {128, 0}, {64, 0}}, NULL},
    {cols, 4, 4, {{0, 8}, {16, 0}, {128, 8}}, NULL}, /* Inputs may overlap. */
    {cols, 4, 4, {{256, 0}, {16, 0}, {0, 8}}, NULL}, /* The bias lies between the rows of the result. */
    {cols, 4, 4, {{256, 0}, {20, 0}, {0, 8}}, "result `y` overlaps `bias`"},
    {rows, 4, 4, {{0, 0}, {64, 0}, {88, 0}}, "result `y` overlaps `scale`"},
    {rows, 4, 4, {{256, 0}, {0, 3}, {8, 6}}, NULL}, /* One value lies before each row. */
    {rows, 4, 4, {{256, 0}, {0, 3}, {4, 6}}, "result `y` overlaps `scale`"},
    {single, 4, 4, {{0, 0}, {64, 0}, {64, 0}}, "result `y` overlaps `beta`"},
    {single, 4, 4, {{0, 0}, {126, 0}, {64, 0}}, "result `y` overlaps `beta`"},
    {single, 4, 4, {{0, 0}, {128, 0}, {64, 0}}, NULL},
};

/* Returns a kernel with the operands of a spec. The test does not look at the kernel's program. */
static struct lane_kernel kernel_of(arena *memory, const char *text)
{
    char file[256];
    struct spec *spec;
    struct diag error = {0};
    const int length = snprintf(file, sizeof file, "kernel k%s", text);
    if (spec_parse(&spec, memory, "k.act", file, (size_t)length, &error))
        fail_msg("%s: %s", file, error.message);
    const struct spec_kernel *k = &spec->kernels[0];
    struct kernel_operand *operands = arena_alloc(memory, k->operand_count * sizeof *operands);
    for (uint32_t i = 0; i < k->operand_count; i++) {
        const struct spec_operand *o = &k->operands[i];
        operands[i] = (struct kernel_operand){.name = o->name,
                                              .type = o->type,
                                              .shape = o->shape,
                                              .layout = o->layout,
                                              .is_result = i >= k->input_count,
                                              .part = o->part,
                                              .parts = o->parts};
    }
    return lane_kernel_make("k", operands, k->operand_count, NULL);
}

static void check_row(size_t i)
{
    static union {
        char bytes[1024];
        double alignment;
    } array;
    const struct row *r = &table[i];
    struct diag error = {0};
    actgen_operand operands[4];
    arena *memory = arena_create(1 << 24);
    if (!memory || setjmp(*arena_escape(memory))) abort();
    const struct lane_kernel k = kernel_of(memory, r->kernel);
    for (uint32_t g = 0; g < 4; g++) {
        const ptrdiff_t place = r->operands[g].place;
        operands[g] = (actgen_operand){place == NONE ? NULL : array.bytes + place, r->operands[g].stride};
    }
    const int status = check_call(&k, r->rows, r->cols, operands, k.group_count, &error);
    if (!r->message && status) fail_msg("row %zu, %s: %s", i, r->kernel, error.message);
    if (r->message && (status != ACTGEN_EINVAL || !strstr(error.message, r->message)))
        fail_msg("row %zu, %s: status %d, `%s` does not say `%s`", i, r->kernel, status, error.message,
                 r->message);
    arena_free(memory);
}

static void calls_are_checked(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) check_row(i);
}

static const struct move {
    const char *kernel;
    size_t stride;
    /* The distance in bytes by which the first operand moves to row 3 of a call of 4 columns. */
    ptrdiff_t bytes;
} moves[] = {{one, 0, 3 * 4 * 4},
             {one, 5, 3 * 5 * 4},
             {packed, 0, 3 * 8 * 2},
             {packed, 11, 3 * 11 * 2},
             {woven, 0, 3 * 8 * 2},
             {wide, 0, 3 * 4 * 8},
             {wide, 9, 3 * 9 * 8},
             {"(b: f32[cols], x: f32) -> (y: f32) { y = x + b }", 7, 0},
             {"(b: f64[rows], x: f32) -> (y: f64) { y = x + b }", 0, 3 * 8},
             {"(b: f64[rows], x: f32) -> (y: f64) { y = x + b }", 2, 3 * 2 * 8},
             {"(b: bf16[], x: f32) -> (y: f32) { y = x + b }", 7, 0}};

static void check_move(const struct move *m)
{
    static char array[1024];
    arena *memory = arena_create(1 << 24);
    if (!memory || setjmp(*arena_escape(memory))) abort();
    const struct lane_kernel k = kernel_of(memory, m->kernel);
    actgen_operand operands[4] = {{array, m->stride}, {array, 0}, {array, 0}, {array, 0}};
    operands_at_row(&k, 3, 4, operands, operands);
    const ptrdiff_t moved = (char *)operands[0].data - array;
    if (moved != m->bytes || operands[0].stride != m->stride)
        fail_msg("%s: moved by %td bytes, not %td", m->kernel, moved, m->bytes);
    arena_free(memory);
}

static void operands_move_to_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) check_move(&moves[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(calls_are_checked),
                                       cmocka_unit_test(operands_move_to_a_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
