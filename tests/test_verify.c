/* Tests that verification finds what is wrong, and where. The subjects are lane programs and C functions
 * made by hand, some of them with one fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verify.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};
static const struct spec_bound three_ulp = {BOUND_ULP, 3, false, false, 0, 0};

struct fixture {
    arena *memory;
    expr_dag *dag;
    const expr *x;
};
static struct fixture f;

static int set_up(void **state)
{
    (void)state;
    f.memory = arena_create(0);
    if (!f.memory || setjmp(*arena_escape(f.memory))) return -1;
    f.dag = expr_dag_create(f.memory, 1000);
    f.x = expr_input(f.dag, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(f.memory);
    return 0;
}

static const expr *integer(long n) { return expr_integer(f.dag, n); }
static const expr *binary(enum expr_kind kind, const expr *a, const expr *b)
{
    return expr_binary(f.dag, kind, a, b);
}
static lane_value constant(lane_program *p, double x) { return lane_const(p, LANE_F32, x); }

/* Returns the float `ulps` steps further from zero, where |y| < 2^126, and y elsewhere. */
static lane_value stepped(lane_program *p, lane_value y, int ulps)
{
    const lane_value bits = lane_unary(p, LANE_BITCAST, y);
    const lane_value more = lane_binary(p, LANE_IADD, bits, lane_const(p, LANE_I32, ulps));
    const lane_value small = lane_binary(p, LANE_LT, lane_unary(p, LANE_ABS, y), constant(p, 0x1p126));
    return lane_select(p, small, lane_unary(p, LANE_BITCAST, more), y);
}

/* ---- formulas and programs ---- */

static const expr *relu(void) { return binary(EXPR_MAX, f.x, integer(0)); }
static const expr *identity(void) { return binary(EXPR_MUL, f.x, integer(1)); }
static const expr *twice(void) { return binary(EXPR_MUL, f.x, integer(2)); }
static const expr *square(void) { return binary(EXPR_MUL, f.x, f.x); }
static const expr *near_three(void) /* Returns x, with the constant 3 in the formula. */
{
    return binary(EXPR_DIV, binary(EXPR_MUL, f.x, integer(3)), integer(3));
}
static const expr *tiny(void) { return binary(EXPR_MUL, f.x, expr_power_ratio(f.dag, integer(2), -120, 1)); }
static const expr *huge(void) { return binary(EXPR_MUL, f.x, expr_power_ratio(f.dag, integer(2), 100, 1)); }
static const expr *root(void) { return expr_unary(f.dag, EXPR_sqrt, f.x); }
/* Returns tanh, which is 1 - 2^-57 or nearer to 1 at 20. A double cannot tell that from 1, where ulps
 * become twice as large. */
static const expr *saturated(void) { return expr_unary(f.dag, EXPR_tanh, f.x); }
static lane_value do_below_one(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_ADD, lane_binary(p, LANE_SUB, x, x), constant(p, 1 - 3 * 0x1p-24));
}
/* Returns if sin^2 + cos^2 < 1 then 1 else 0. No precision shows which branch applies. */
static const expr *one_in_disguise(void)
{
    const expr *s = expr_unary(f.dag, EXPR_sin, f.x), *c = expr_unary(f.dag, EXPR_cos, f.x);
    const expr *sum = binary(EXPR_ADD, binary(EXPR_MUL, s, s), binary(EXPR_MUL, c, c));
    return expr_if(f.dag, binary(EXPR_LT, sum, integer(1)), integer(1), integer(0));
}

static lane_value do_relu(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MAX, constant(p, 0), x);
}
static lane_value do_relu_losing_nan(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MAX, x, constant(p, 0));
}
static lane_value do_square(lane_program *p, lane_value x) { return lane_binary(p, LANE_MUL, x, x); }
static lane_value do_root(lane_program *p, lane_value x) { return lane_unary(p, LANE_SQRT, x); }
static lane_value do_root_of_abs(lane_program *p, lane_value x)
{
    return lane_unary(p, LANE_SQRT, lane_unary(p, LANE_ABS, x));
}
static lane_value do_twice(lane_program *p, lane_value x) { return lane_binary(p, LANE_ADD, x, x); }
static lane_value do_twice_and_one(lane_program *p, lane_value x) { return stepped(p, do_twice(p, x), 1); }
static lane_value do_wrong_at_three(lane_program *p, lane_value x)
{
    return lane_select(p, lane_binary(p, LANE_EQ, x, constant(p, 3)), stepped(p, x, 5), x);
}
static lane_value do_nan_at_three(lane_program *p, lane_value x)
{
    return lane_select(p, lane_binary(p, LANE_EQ, x, constant(p, 3)), constant(p, NAN), x);
}
static lane_value do_tiny(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MUL, x, constant(p, 0x1p-120));
}
static lane_value do_tiny_plus_zero(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_ADD, do_tiny(p, x), constant(p, 0));
}
static lane_value do_huge(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MUL, x, constant(p, 0x1p100));
}
static lane_value do_huge_finite(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MIN, constant(p, 0x1.fffffep127), do_huge(p, x));
}
static lane_value do_early_infinity(lane_program *p, lane_value x)
{
    const lane_value large = lane_binary(p, LANE_LE, constant(p, 0x1p127), x);
    return lane_select(p, large, constant(p, INFINITY), x);
}
static lane_value do_wrong_outside_four(lane_program *p, lane_value x)
{
    const lane_value outside = lane_binary(p, LANE_LT, constant(p, 4), lane_unary(p, LANE_ABS, x));
    return lane_select(p, outside, constant(p, 1), x);
}
static lane_value do_zero(lane_program *p, lane_value x)
{
    return lane_binary(p, LANE_MUL, x, constant(p, 0));
}

static const lane_program *program_of(lane_value (*build)(lane_program *, lane_value))
{
    lane_program *p = lane_create(f.memory, &profile);
    lane_store(p, build(p, lane_load(p, LANE_F32, 0)), 1);
    return p;
}

struct row {
    const char *name;
    const expr *(*formula)(void);
    lane_value (*build)(lane_program *, lane_value);
    struct spec_bound bound;
    bool ok;
    double low_ulp, high_ulp; /* The limits of max_ulp. */
    double at;                /* The place of the fault, if any. NaN is also a place. */
    bool undecided;
};

#define ULP(n)                                                                                               \
    {                                                                                                        \
        BOUND_ULP, n, false, false, 0, 0                                                                     \
    }
#define ABS(e)                                                                                               \
    {                                                                                                        \
        BOUND_ABS, e, false, false, 0, 0                                                                     \
    }
#define ON(n, low, high)                                                                                     \
    {                                                                                                        \
        BOUND_ULP, n, false, true, low, high                                                                 \
    }
static const struct row rows[] = {
    {"relu", relu, do_relu, ULP(0), true, 0, 0, 0, false},
    {"relu that loses NaN", relu, do_relu_losing_nan, ULP(3), false, INFINITY, INFINITY, NAN, false},
    {"relu that loses NaN, abs", relu, do_relu_losing_nan, ABS(1), false, INFINITY, INFINITY, NAN, false},
    {"square", square, do_square, ULP(0.5), true, 0.4999, 0.5, 0, false},
    {"twice", twice, do_twice, ULP(0.5), true, 0, 0, 0, false},
    {"twice and 1 ulp", twice, do_twice_and_one, ULP(1), true, 1, 1, 0, false},
    {"twice and 1 ulp, bound 0.9", twice, do_twice_and_one, ULP(0.9), false, 1, 1, 0, false},
    {"twice and 1 ulp, default",
     twice,
     do_twice_and_one,
     {BOUND_DEFAULT, 0, false, false, 0, 0},
     true,
     1,
     1,
     0,
     false},
    {"wrong at 3", near_three, do_wrong_at_three, ULP(4.9), false, 5, 5, 3, false},
    {"wrong at 3 within the bound", near_three, do_wrong_at_three, ULP(5), true, 5, 5, 3, false},
    {"wrong at 3, abs", near_three, do_wrong_at_three, ABS(0x1p-22), false, 5, 5, 3, false},
    {"NaN at 3", near_three, do_nan_at_three, ULP(100), false, INFINITY, INFINITY, 3, false},
    {"tiny", tiny, do_tiny, ULP(0.5), true, 0.4999, 0.5, 0, false},
    {"tiny with the wrong zero", tiny, do_tiny_plus_zero, ULP(3), false, INFINITY, INFINITY, -0x1p-149,
     false},
    {"tiny with the wrong zero, abs", tiny, do_tiny_plus_zero, ABS(0x1p-22), true, 0.4999, 0.5, 0, false},
    {"huge", huge, do_huge, ULP(0.5), true, 0, 0, 0, false},
    {"huge without infinity", huge, do_huge_finite, ULP(3), false, INFINITY, INFINITY, INFINITY, false},
    {"infinity too early", identity, do_early_infinity, ULP(3), false, 0x1p23, 0x1p23, 0x1p127, false},
    {"root", root, do_root, ULP(0.5), true, 0.4999, 0.5, 0, false},
    {"root of the absolute value", root, do_root_of_abs, ULP(3), false, INFINITY, INFINITY, -0x1p-149, false},
    {"outside 4", identity, do_wrong_outside_four, ON(0, -4, 4), true, 0, 0, 0, false},
    {"outside 4, on more", identity, do_wrong_outside_four, ON(0, -5, 4), false, 0x1p20, 0x1p24, -5, false},
    {"just below 1", saturated, do_below_one, ON(2.9, 20, 21), false, 2.999, 3, 20, false},
    {"undecided", one_in_disguise, do_zero, ON(3, 1, 1.0000003), false, 0, 0, 0, true},
};

static struct kernel_operand two_operands[] = {
    {.name = "x", .parts = 1},
    {.name = "y", .is_result = true, .parts = 1},
};

static actgen_report verify_one(const expr *formula, const lane_program *program, struct spec_bound bound,
                                actgen_fn code, const actgen_verify_options *options, int wanted_status)
{
    const struct lane_kernel kernel = lane_kernel_make("kernel", two_operands, 2, program);
    const struct piece piece = {
        .written = formula, .simplified = formula, .program = program, .bound = bound};
    const struct verify_subject subject = {
        .kernel = &kernel, .code = code, .vector_lanes = 8, .pieces = &piece, .piece_count = 1};
    actgen_report report;
    struct diag error = {0};
    const int status = verify_run(&subject, options, &report, &error);
    if (status != wanted_status) fail_msg("status %d (%s), not %d", status, error.message, wanted_status);
    return report;
}

static bool same_place(double a, double b) { return isnan(b) ? isnan(a) : a == b; }

static void test_faults_are_found(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *r = &rows[n];
        const actgen_report got =
            verify_one(r->formula(), program_of(r->build), r->bound, NULL, NULL, DIAG_OK);
        const bool expected = got.ok == r->ok && got.max_ulp >= r->low_ulp && got.max_ulp <= r->high_ulp &&
                              (got.undecided > 0) == r->undecided &&
                              (r->ok || r->undecided || got.wrong > 0) &&
                              (r->ok || r->undecided || r->at == 0 || same_place(got.max_ulp_at, r->at)) &&
                              got.inputs >= 1 << 22 && got.bits_compared == 0;
        if (!expected)
            fail_msg("%s: ok %d, max_ulp %.17g at %a, max_abs %.17g at %a, wrong %llu, undecided %llu, "
                     "inputs %llu",
                     r->name, got.ok, got.max_ulp, got.max_ulp_at, got.max_abs, got.max_abs_at,
                     (unsigned long long)got.wrong, (unsigned long long)got.undecided,
                     (unsigned long long)got.inputs);
    }
}

static void test_absolute_error(void **state)
{
    (void)state;
    const actgen_report got =
        verify_one(near_three(), program_of(do_wrong_at_three), three_ulp, NULL, NULL, DIAG_OK);
    assert_true(got.max_abs_at == 3);
    assert_true(fabs(got.max_abs - 5 * 0x1p-22 / 3) < 1e-15);
}

/* Checks that a wrong simplified form makes nothing pass and nothing fail. */
static void test_wrong_simplified_form(void **state)
{
    (void)state;
    const struct spec_bound bound = ON(0.5, 1, 1.001);
    const lane_program *program = program_of(do_square);
    const struct lane_kernel kernel = lane_kernel_make("kernel", two_operands, 2, program);
    const struct piece piece = {.written = square(),
                                .simplified = binary(EXPR_ADD, square(), integer(1)),
                                .program = program,
                                .bound = bound};
    const struct verify_subject subject = {.kernel = &kernel, .pieces = &piece, .piece_count = 1};
    actgen_report report;
    assert_int_equal(verify_run(&subject, NULL, &report, NULL), DIAG_OK);
    assert_true(report.ok);
    assert_true(report.max_ulp > 0.3 && report.max_ulp <= 0.5);
}

static uint64_t wrong_zeros(const expr *simplified)
{
    const struct spec_bound bound = ON(3, -0x1p-40, -0x1p-50);
    const lane_program *program = program_of(do_tiny_plus_zero);
    const struct lane_kernel kernel = lane_kernel_make("kernel", two_operands, 2, program);
    const struct piece piece = {
        .written = tiny(), .simplified = simplified, .program = program, .bound = bound};
    const struct verify_subject subject = {.kernel = &kernel, .pieces = &piece, .piece_count = 1};
    actgen_report report;
    assert_int_equal(verify_run(&subject, NULL, &report, NULL), DIAG_OK);
    return report.wrong;
}

/* Checks that verification does not believe the simplified form once the reference has contradicted it. */
static void test_contradicted_enclosure(void **state)
{
    (void)state;
    const uint64_t right = wrong_zeros(tiny()), misled = wrong_zeros(binary(EXPR_MUL, tiny(), integer(-1)));
    assert_true(right > 1000);
    assert_int_equal(right, misled);
}

/* Computes something else than the kernel. */
static void code_copy(size_t rows_, size_t cols, const actgen_operand *o)
{
    if (rows_ == 1) memcpy((void *)o[1].data, o[0].data, cols * sizeof(float));
}

/* ---- threads, progress, limits ---- */

struct share {
    void (*task)(void *, size_t);
    void *context;
    size_t first, count;
};

static void *run_share(void *argument)
{
    const struct share *s = argument;
    for (size_t i = s->count; i-- > 0;)
        if (i % 3 == s->first) s->task(s->context, i);
    return NULL;
}

static void three_threads(void *payload, size_t count, void (*task)(void *, size_t), void *context)
{
    (void)payload;
    pthread_t threads[3];
    struct share shares[3];
    for (size_t n = 0; n < 3; n++) {
        shares[n] = (struct share){task, context, n, count};
        assert_int_equal(pthread_create(&threads[n], NULL, run_share, &shares[n]), 0);
    }
    for (size_t n = 0; n < 3; n++) pthread_join(threads[n], NULL);
}

static int watch(void *payload, double done, double max_ulp)
{
    double *last = payload;
    assert_true(done >= 0 && done <= 1 && max_ulp >= 0);
    if (done > last[0]) last[0] = done;
    return last[1] > 0 && done > last[1];
}

static void test_threads_and_progress(void **state)
{
    (void)state;
    double progress[] = {0, 0};
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    options.progress = watch;
    options.progress_payload = progress;
    const actgen_report serial =
        verify_one(square(), program_of(do_square), three_ulp, code_copy, &options, DIAG_OK);
    assert_true(progress[0] > 0.9);
    options.parallel = three_threads;
    const actgen_report parallel =
        verify_one(square(), program_of(do_square), three_ulp, code_copy, &options, DIAG_OK);
    assert_true(serial.max_ulp == parallel.max_ulp && serial.max_ulp_at == parallel.max_ulp_at);
    assert_true(serial.max_abs == parallel.max_abs && serial.max_abs_at == parallel.max_abs_at);
    assert_int_equal(serial.bits_differ, parallel.bits_differ);
    assert_int_equal(serial.inputs, parallel.inputs);
    assert_true(parallel.bits_differ > 0 && !parallel.ok);
}

static void test_stopping(void **state)
{
    (void)state;
    double progress[] = {0, 0.006};
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    options.exhaustive = 1;
    options.progress = watch;
    options.progress_payload = progress;
    const actgen_report got =
        verify_one(relu(), program_of(do_relu_losing_nan), three_ulp, NULL, &options, DIAG_STOPPED);
    assert_false(got.ok);
    assert_true(got.inputs > 0 && got.inputs < UINT64_C(1) << 32);
    /* The fault is found before the sweep, which counts it when it gets there. */
    assert_true(isinf(got.max_ulp));
    assert_int_equal(got.wrong, 0);
}

/* ---- the arithmetic around pieces ---- */

/* Verifies the program y = x0 op x1 against the written formula x0 - x1. */
static actgen_report verify_difference(enum lane_op op, bool swapped)
{
    struct kernel_operand operands[] = {two_operands[0], two_operands[0], two_operands[1]};
    lane_program *p = lane_create(f.memory, &profile);
    const lane_value a = lane_load(p, LANE_F32, 0), b = lane_load(p, LANE_F32, 1);
    lane_store(p, swapped ? lane_binary(p, op, b, a) : lane_binary(p, op, a, b), 2);
    const struct lane_kernel kernel = lane_kernel_make("kernel", operands, 3, p);
    const expr *written = binary(EXPR_SUB, f.x, expr_input(f.dag, 1));
    const struct verify_result result = {written, written, 2};
    const struct verify_subject subject = {.kernel = &kernel, .results = &result, .result_count = 1};
    actgen_report report;
    assert_int_equal(verify_run(&subject, NULL, &report, NULL), DIAG_OK);
    return report;
}

static void test_arithmetic_around_pieces(void **state)
{
    (void)state;
    const actgen_report right = verify_difference(LANE_SUB, false);
    assert_true(right.ok && right.inputs >= 1 << 22 && right.wrong == 0);
    const actgen_report swapped = verify_difference(LANE_SUB, true);
    assert_true(!swapped.ok && swapped.wrong > 1 << 20);
    const actgen_report sum = verify_difference(LANE_ADD, false);
    assert_true(!sum.ok && sum.wrong > 1 << 20);
}

/* Verifies a result for whose piece the kernel has no program. */
static void test_missing_piece(void **state)
{
    (void)state;
    struct kernel_operand operands[] = {two_operands[0], two_operands[0], two_operands[1]};
    lane_program *p = lane_create(f.memory, &profile);
    const lane_value a = lane_load(p, LANE_F32, 0), b = lane_load(p, LANE_F32, 1);
    lane_store(p, lane_binary(p, LANE_ADD, a, b), 2);
    const struct lane_kernel kernel = lane_kernel_make("kernel", operands, 3, p);
    const expr *written = binary(EXPR_ADD, saturated(), expr_input(f.dag, 1));
    const struct verify_result result = {written, written, 2};
    const struct verify_subject subject = {.kernel = &kernel, .results = &result, .result_count = 1};
    actgen_report report;
    assert_int_equal(verify_run(&subject, NULL, &report, NULL), DIAG_OK);
    assert_true(!report.ok && report.wrong > 0);
}

/* ---- parts ---- */

static void test_parts(void **state)
{
    (void)state;
    const struct {
        uint32_t shard, shards;
        int32_t exhaustive;
        int status;
    } calls[] = {{0, 2, 1, DIAG_INVALID}, {3, 2, 1, DIAG_INVALID},
                 {1, 0, 1, DIAG_INVALID}, {1, ACTGEN_MAX_SHARDS + 1, 1, DIAG_INVALID},
                 {1, 2, 0, DIAG_INVALID}, {ACTGEN_MAX_SHARDS, ACTGEN_MAX_SHARDS, 1, DIAG_OK}};
    for (size_t n = 0; n < sizeof calls / sizeof *calls; n++) {
        actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
        options.exhaustive = calls[n].exhaustive;
        options.shard = calls[n].shard;
        options.shards = calls[n].shards;
        const actgen_report got =
            verify_one(relu(), program_of(do_relu), three_ulp, NULL, &options, calls[n].status);
        if (calls[n].status == DIAG_OK) assert_true(got.inputs == 1 << 18 && got.ok && got.done == 1);
    }
}

static void test_smaller_samples(void **state)
{
    (void)state;
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    for (uint32_t log2 = ACTGEN_MIN_SAMPLE_LOG2 - 1; log2 <= ACTGEN_MAX_SAMPLE_LOG2 + 1; log2++) {
        const bool is_valid = log2 >= ACTGEN_MIN_SAMPLE_LOG2 && log2 <= ACTGEN_MAX_SAMPLE_LOG2;
        options.sample_log2 = log2;
        const actgen_report got = verify_one(relu(), program_of(do_relu), three_ulp, NULL, &options,
                                             is_valid ? DIAG_OK : DIAG_INVALID);
        if (is_valid) assert_true(got.ok && got.inputs >> log2 >= 1 && got.inputs >> log2 < 4);
    }
    options.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    const actgen_report wrong =
        verify_one(relu(), program_of(do_relu_losing_nan), three_ulp, NULL, &options, DIAG_OK);
    assert_true(!wrong.ok && wrong.wrong > 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_absolute_error),
        cmocka_unit_test(test_wrong_simplified_form),
        cmocka_unit_test(test_contradicted_enclosure),
        cmocka_unit_test(test_threads_and_progress),
        cmocka_unit_test(test_stopping),
        cmocka_unit_test(test_arithmetic_around_pieces),
        cmocka_unit_test(test_missing_piece),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_smaller_samples),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
