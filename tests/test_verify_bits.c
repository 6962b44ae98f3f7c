/* Tests of the comparison of machine code with the interpreter. C functions stand in for machine code,
 * most of them with one fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verify.h"

#include <math.h>
#include <stdlib.h>

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};
static const struct spec_bound three_ulp = {BOUND_ULP, 3, false, false, 0, 0};
static arena *memory;
static expr_dag *dag;

static int set_up(void **state)
{
    (void)state;
    memory = arena_create(0);
    if (!memory || setjmp(*arena_escape(memory))) return -1;
    dag = expr_dag_create(memory, 1000);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

static const expr *relu(void) { return expr_binary(dag, EXPR_MAX, expr_input(dag, 0), expr_integer(dag, 0)); }

static lane_value do_relu(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MAX, lane_const(p, LANE_F32, 0), x);
}

static const lane_program *relu_program(void)
{
    lane_program *p = lane_create(memory, &profile);
    lane_store(p, do_relu(p, lane_load(p, LANE_F32, 0)), 1);
    return p;
}

/* ---- machine code, here C functions ---- */

static float relu_of(float x) { return 0 > x ? 0 : x; }

static void code_relu(size_t rows_, size_t cols, const actgen_operand *o)
{
    const size_t from = o[0].stride ? o[0].stride : cols, to = o[1].stride ? o[1].stride : cols;
    for (size_t r = 0; r < rows_; r++)
        for (size_t c = 0; c < cols; c++)
            ((float *)o[1].data)[r * to + c] = relu_of(((const float *)o[0].data)[r * from + c]);
}

static void code_other_nan(size_t rows_, size_t cols, const actgen_operand *o)
{
    const size_t from = o[0].stride ? o[0].stride : cols, to = o[1].stride ? o[1].stride : cols;
    for (size_t r = 0; r < rows_; r++)
        for (size_t c = 0; c < cols; c++) {
            const float x = ((const float *)o[0].data)[r * from + c];
            ((float *)o[1].data)[r * to + c] = isnan(x) ? -NAN : relu_of(x);
        }
}

/* Returns +0 in place of -0. */
static void code_no_minus_zero(size_t rows_, size_t cols, const actgen_operand *o)
{
    code_relu(rows_, cols, o);
    const size_t to = o[1].stride ? o[1].stride : cols;
    for (size_t r = 0; r < rows_; r++)
        for (size_t c = 0; c < cols; c++) ((float *)o[1].data)[r * to + c] += 0.0f;
}

/* Stores whole vectors of 4. */
static void code_beyond_the_end(size_t rows_, size_t cols, const actgen_operand *o)
{
    code_relu(rows_, cols, o);
    float *out = (float *)o[1].data;
    if (rows_ == 1)
        for (size_t c = cols; c % 4; c++) out[c] = 0;
}

static void code_before_the_start(size_t rows_, size_t cols, const actgen_operand *o)
{
    code_relu(rows_, cols, o);
    if (cols == 7) ((float *)o[1].data)[-1] = 1;
}

static void code_wrong_tail(size_t rows_, size_t cols, const actgen_operand *o)
{
    code_relu(rows_, cols, o);
    if (cols == 29 && rows_ == 1) ((float *)o[1].data)[28] = 12345;
}

static void code_writes_input(size_t rows_, size_t cols, const actgen_operand *o)
{
    code_relu(rows_, cols, o);
    if (cols == 5 && rows_ == 1) ((float *)o[0].data)[2] = 12345;
}

/* Clears the result first. */
static void code_not_in_place(size_t rows_, size_t cols, const actgen_operand *o)
{
    if (rows_ == 1 && o[0].data == o[1].data && cols) ((float *)o[1].data)[cols - 1] = 0;
    code_relu(rows_, cols, o);
}

static void code_ignores_stride(size_t rows_, size_t cols, const actgen_operand *o)
{
    const actgen_operand joined[] = {{o[0].data, cols}, {o[1].data, cols}};
    code_relu(rows_, cols, joined);
}

static const struct {
    const char *name;
    actgen_fn code;
    bool differs;
} codes[] = {
    {"relu", code_relu, false},
    {"another NaN", code_other_nan, false},
    {"no minus zero", code_no_minus_zero, true},
    {"beyond the end", code_beyond_the_end, true},
    {"before the start", code_before_the_start, true},
    {"wrong tail", code_wrong_tail, true},
    {"writes its input", code_writes_input, true},
    {"not in place", code_not_in_place, true},
    {"ignores the stride", code_ignores_stride, true},
};

static void test_code_against_interpreter(void **state)
{
    (void)state;
    struct kernel_operand operands[] = {
        {.name = "x", .parts = 1},
        {.name = "y", .is_result = true, .parts = 1},
    };
    const struct lane_kernel kernel = lane_kernel_make("relu", operands, 2, relu_program());
    const struct piece piece = {
        .written = relu(), .simplified = relu(), .program = kernel.program, .bound = three_ulp};
    for (size_t n = 0; n < sizeof codes / sizeof *codes; n++) {
        const struct verify_subject subject = {
            .kernel = &kernel, .code = codes[n].code, .vector_lanes = 8, .pieces = &piece, .piece_count = 1};
        actgen_report got;
        assert_int_equal(verify_run(&subject, NULL, &got, NULL), DIAG_OK);
        if ((got.bits_differ > 0) != codes[n].differs || got.ok == codes[n].differs ||
            got.bits_compared < 1 << 22)
            fail_msg("%s: %llu of %llu bits differ, ok %d", codes[n].name,
                     (unsigned long long)got.bits_differ, (unsigned long long)got.bits_compared, got.ok);
        assert_int_equal(got.wrong, 0);
    }
}

/* ---- kernels of two inputs: y = max(a, 0) * b ---- */

static struct kernel_operand three_operands[] = {
    {.name = "a", .parts = 1},
    {.name = "b", .parts = 1},
    {.name = "y", .is_result = true, .parts = 1},
};

static bool break_pair;

static void code_reglu(size_t rows_, size_t cols, const actgen_operand *o)
{
    for (size_t r = 0; r < rows_; r++)
        for (size_t c = 0; c < cols; c++) {
            const float a = ((const float *)o[0].data)[r * (o[0].stride ? o[0].stride : cols) + c];
            const float b = ((const float *)o[1].data)[r * (o[1].stride ? o[1].stride : cols) + c];
            const bool broken = break_pair && a == INFINITY && b == -INFINITY;
            ((float *)o[2].data)[r * (o[2].stride ? o[2].stride : cols) + c] = broken ? 0 : relu_of(a) * b;
        }
}

static void test_two_inputs(void **state)
{
    (void)state;
    lane_program *p = lane_create(memory, &profile);
    const lane_value a = lane_load(p, LANE_F32, 0), b = lane_load(p, LANE_F32, 1);
    lane_store(p, lane_binary(p, LANE_MUL, do_relu(p, a), b), 2);
    const struct lane_kernel kernel = lane_kernel_make("reglu", three_operands, 3, p);
    const struct piece piece = {
        .written = relu(), .simplified = relu(), .program = relu_program(), .bound = three_ulp};
    const expr *whole = expr_binary(dag, EXPR_MUL, relu(), expr_input(dag, 1));
    const struct verify_result result = {whole, whole, 2};
    const struct verify_subject subject = {.kernel = &kernel,
                                           .code = code_reglu,
                                           .vector_lanes = 8,
                                           .pieces = &piece,
                                           .piece_count = 1,
                                           .results = &result,
                                           .result_count = 1};
    for (int broken = 0; broken < 2; broken++) {
        break_pair = broken;
        actgen_report got;
        assert_int_equal(verify_run(&subject, NULL, &got, NULL), DIAG_OK);
        assert_true(got.bits_compared >= 1 << 22);
        assert_int_equal(got.bits_differ > 0, broken);
        assert_int_equal(got.ok, !broken);
        assert_true(got.max_ulp == 0);
        assert_true(got.whole_max_ulp > 0.49 && got.whole_max_ulp <= 0.5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_code_against_interpreter),
        cmocka_unit_test(test_two_inputs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
