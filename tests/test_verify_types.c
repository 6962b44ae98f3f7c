/* Tests of verification of pieces of other types than f32. For 16 bits, verification tries every input,
 * and gives errors in ulps of the result type. It finds one wrong input of the 65,536, in the program or
 * in the machine code. For f64 it sees kinks, roots, special numbers and every binade. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "element.h"
#include "interp.h"
#include "verify.h"

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};
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

static const expr *x(void) { return expr_input(dag, 0); }
static const expr *relu(void) { return expr_binary(dag, EXPR_MAX, x(), expr_integer(dag, 0)); }
static const expr *square(void) { return expr_binary(dag, EXPR_MUL, x(), x()); }
static const expr *halved(void) { return expr_binary(dag, EXPR_DIV, x(), expr_integer(dag, 2)); }

static lane_value constant(lane_program *p, double c) { return lane_const(p, LANE_F32, c); }
static lane_value when_equal(lane_program *p, lane_value v, double at, lane_value y, lane_value otherwise)
{
    return lane_select(p, lane_binary(p, LANE_EQ, v, constant(p, at)), y, otherwise);
}

static lane_value do_relu(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_MAX, constant(p, 0), v);
}
static lane_value do_wrong_at_three(lane_program *p, lane_value v)
{
    return when_equal(p, v, 3, constant(p, 3.25), do_relu(p, v));
}
static lane_value do_wrong_subnormal(lane_program *p, lane_value v)
{
    return when_equal(p, v, 0x1p-24, constant(p, 0), do_relu(p, v));
}
/* Loses the NaN with the f32 bits 0x7fc00000, which is bf16 0x7fc0. No copy changes a quiet NaN, or makes
 * this one of a signalling one. */
static lane_value do_lose_a_nan(lane_program *p, lane_value v)
{
    const lane_value bits = lane_unary(p, LANE_BITCAST, v), one = lane_const(p, LANE_I32, 0x7fc00000);
    const lane_value same =
        lane_binary(p, LANE_ILT, lane_binary(p, LANE_XOR, bits, one), lane_const(p, LANE_I32, 1));
    const lane_value at_most =
        lane_binary(p, LANE_ILT, lane_const(p, LANE_I32, -1), lane_binary(p, LANE_XOR, bits, one));
    return lane_select(p, lane_binary(p, LANE_MAND, same, at_most), constant(p, 0), do_relu(p, v));
}
static lane_value do_square(lane_program *p, lane_value v) { return lane_binary(p, LANE_MUL, v, v); }
static lane_value do_square_away(lane_program *p, lane_value v)
{
    return lane_unary(p, LANE_TO_BF16_AWAY, do_square(p, v));
}
/* Computes a square that is a little too large, so it is wrong only at ties. */
static lane_value do_square_up(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_MUL, do_square(p, v), constant(p, 1 + 0x1p-23));
}
/* Computes a square that is one bf16 ulp too large. */
static lane_value do_square_two_steps(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_MUL, do_square(p, v), constant(p, 1 + 0x1p-7));
}
static lane_value do_square_finite(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_MIN, constant(p, 65504), do_square(p, v));
}
static lane_value do_halved(lane_program *p, lane_value v)
{
    return lane_binary(p, LANE_MUL, constant(p, 0.5), v);
}

#define ULP(n)                                                                                               \
    {                                                                                                        \
        BOUND_ULP, n, false, false, 0, 0                                                                     \
    }

static const struct {
    const char *name;
    const expr *(*formula)(void);
    lane_value (*build)(lane_program *, lane_value);
    enum element_type argument, result;
    struct spec_bound bound;
    uint64_t least_wrong, most_wrong;
    /* The place of the largest error, if anything is wrong and the error is finite or its place known. */
    double at;
} rows[] = {
    {"relu", relu, do_relu, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 0, 0, 0},
    {"relu", relu, do_relu, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 0, 0, 0},
    {"relu", relu, do_relu, ELEMENT_F16, ELEMENT_F32, ULP(0.5), 0, 0, 0},
    {"wrong at 3", relu, do_wrong_at_three, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 1, 1, 3},
    {"wrong at 3, 3 ulp", relu, do_wrong_at_three, ELEMENT_F16, ELEMENT_F16, ULP(3), 1, 1, 3},
    {"wrong at 3, but 128 ulp", relu, do_wrong_at_three, ELEMENT_F16, ELEMENT_F16, ULP(128), 0, 0, 0},
    {"wrong at 3, 127 ulp", relu, do_wrong_at_three, ELEMENT_F16, ELEMENT_F16, ULP(127), 1, 1, 3},
    {"wrong at a subnormal", relu, do_wrong_subnormal, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 1, 1, 0x1p-24},
    {"a NaN lost", relu, do_lose_a_nan, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 1, 1, NAN},
    {"square", square, do_square, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 0, 0, 0},
    {"square", square, do_square, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 0, 0, 0},
    {"square, f16 to bf16", square, do_square, ELEMENT_F16, ELEMENT_BF16, ULP(0.5), 0, 0, 0},
    {"square, ties away", square, do_square_away, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 1, 20000, 0},
    {"square, a bit more", square, do_square_up, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 1, 20000, 0},
    {"square, a bit more, 0.6 ulp", square, do_square_up, ELEMENT_F16, ELEMENT_F16, ULP(0.6), 0, 0, 0},
    {"square, a step more", square, do_square_two_steps, ELEMENT_BF16, ELEMENT_BF16, ULP(0.5), 10000, 65536,
     0},
    {"square, a step more, 3 ulp", square, do_square_two_steps, ELEMENT_BF16, ELEMENT_BF16, ULP(3), 0, 0, 0},
    {"square, finite", square, do_square_finite, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 10000, 65536, 0},
    {"half of it", halved, do_halved, ELEMENT_F16, ELEMENT_F16, ULP(0.5), 0, 0, 0},
    {"half of it", halved, do_halved, ELEMENT_BF16, ELEMENT_F16, ULP(0.5), 0, 0, 0},
};

static struct verify_subject subject_of(size_t row, struct kernel_operand operands[2],
                                        struct lane_kernel *kernel, struct piece *piece)
{
    lane_program *p = lane_create(memory, &profile);
    lane_store(p, rows[row].build(p, lane_load(p, LANE_F32, 0)), 1);
    operands[0] = (struct kernel_operand){.name = "x", .type = rows[row].argument, .parts = 1};
    operands[1] =
        (struct kernel_operand){.name = "y", .type = rows[row].result, .is_result = true, .parts = 1};
    *kernel = lane_kernel_make(rows[row].name, operands, 2, p);
    const expr *formula = rows[row].formula();
    *piece = (struct piece){.written = formula,
                            .simplified = formula,
                            .program = p,
                            .bound = rows[row].bound,
                            .argument = rows[row].argument,
                            .result = rows[row].result};
    return (struct verify_subject){.kernel = kernel, .vector_lanes = 8, .pieces = piece, .piece_count = 1};
}

static bool is_place(double got, double wanted) { return isnan(wanted) ? isnan(got) : got == wanted; }

static void every_input_is_judged(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct kernel_operand operands[2];
        struct lane_kernel kernel;
        struct piece piece;
        const struct verify_subject subject = subject_of(n, operands, &kernel, &piece);
        for (int exhaustive = 0; exhaustive < 2; exhaustive++) {
            actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
            actgen_report got;
            struct diag error;
            options.exhaustive = exhaustive;
            if (verify_run(&subject, &options, &got, &error)) fail_msg("%s: %s", rows[n].name, error.message);
            const bool ok = got.wrong >= rows[n].least_wrong && got.wrong <= rows[n].most_wrong &&
                            got.inputs == 1 << 16 && got.undecided == 0 && got.ok == !rows[n].least_wrong &&
                            (rows[n].most_wrong != 1 || is_place(got.max_ulp_at, rows[n].at));
            if (!ok)
                fail_msg("%s, %s to %s: %llu wrong of %llu, undecided %llu, max ulp %g at %a", rows[n].name,
                         element_types[rows[n].argument].name, element_types[rows[n].result].name,
                         (unsigned long long)got.wrong, (unsigned long long)got.inputs,
                         (unsigned long long)got.undecided, got.max_ulp, got.max_ulp_at);
        }
    }
}

/* ---- f64 ---- */

/* A fault in x^2 - 2 in f64, whose root is no f32. The result is larger by `by` at `at` and its neighbours
 * up to `width` away. */
struct wide_fault {
    const char *name;
    double at, width, by;
    bool ok;
    uint32_t sample_log2; /* The sample that finds the fault. 0 stands for the usual one. */
};

static const struct wide_fault wide_faults[] = {
    {"right", 0, -1, 0, true, 0},
    {"wrong at 1", 1, 0, 0x1p-50, false, 18},
    {"wrong at the smallest number", 0x1p-1074, 0, 0x1p-48, false, 18},
    /* The fault is smaller than an ulp. */
    {"wrong in one binade", 0x1.8p900, 0x1p899, 0x1p800, true, 18},
    {"wrong in one binade", 0x1.8p500, 0x1p499, 0x1p960, false, 18},
    {"wrong beside the root", 1.4142135623730951, 0x1p-50, 0x1p-96, false, 18},
    {"wrong around 0.75", 0.75, 0x1p-3, 0x1p-50, false, 18},
    {"wrong at a 2000th of a binade", 0.7251, 0x1p-13, 0x1p-50, false,
     /* A sample of 40,000 inputs misses the fault. */
     0},
};

static const lane_program *wide_program(const struct wide_fault *fault, bool right)
{
    lane_program *p = lane_create(memory, &profile);
    const lane_value v = lane_load(p, LANE_F64, 0), c = lane_const(p, LANE_F64, fault->at);
    const lane_value distance = lane_unary(p, LANE_ABS, lane_binary(p, LANE_SUB, v, c));
    /* This program rounds once, so it is exact near the root and within half an ulp elsewhere. */
    const lane_value y = lane_fma(p, v, v, lane_const(p, LANE_F64, -2));
    const lane_value more = lane_binary(p, LANE_ADD, y, lane_const(p, LANE_F64, fault->by));
    const lane_value near = lane_binary(p, LANE_LE, distance, lane_const(p, LANE_F64, fault->width));
    lane_store(p, right ? y : lane_select(p, near, more, y), 1);
    return p;
}

static void judge_f64(size_t first, size_t count)
{
    const struct spec_bound bound = ULP(3);
    const expr *formula = expr_binary(dag, EXPR_SUB, square(), expr_integer(dag, 2));
    for (size_t n = first; n < first + count; n++) {
        struct kernel_operand operands[] = {
            {.name = "x", .type = ELEMENT_F64, .parts = 1},
            {.name = "y", .type = ELEMENT_F64, .is_result = true, .parts = 1}};
        const lane_program *p = wide_program(&wide_faults[n], n == 0);
        const struct lane_kernel kernel = lane_kernel_make("kernel", operands, 2, p);
        const struct piece piece = {.written = formula,
                                    .simplified = formula,
                                    .program = p,
                                    .bound = bound,
                                    .argument = ELEMENT_F64,
                                    .result = ELEMENT_F64};
        const struct verify_subject subject = {
            .kernel = &kernel, .vector_lanes = 8, .pieces = &piece, .piece_count = 1};
        actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
        actgen_report got;
        struct diag error;
        options.sample_log2 = wide_faults[n].sample_log2;
        const uint32_t sample_log2 = options.sample_log2 ? options.sample_log2 : ACTGEN_MAX_SAMPLE_LOG2;
        if (verify_run(&subject, &options, &got, &error))
            fail_msg("%s: %s", wide_faults[n].name, error.message);
        const double away = fabs(fabs(got.max_ulp_at) - wide_faults[n].at);
        if (got.ok != wide_faults[n].ok || got.inputs >> sample_log2 == 0 || got.undecided ||
            (!got.ok && (got.max_ulp <= 3 || !got.wrong || !(away <= wide_faults[n].width))))
            fail_msg("%s: ok %d, %llu wrong of %llu, undecided %llu, max ulp %g at %a", wide_faults[n].name,
                     got.ok, (unsigned long long)got.wrong, (unsigned long long)got.inputs,
                     (unsigned long long)got.undecided, got.max_ulp, got.max_ulp_at);
    }
}

static void f64_inputs_are_judged(void **state)
{
    (void)state;
    judge_f64(0, 1);
}

static void f64_faults_are_found(void **state)
{
    (void)state;
    judge_f64(1, sizeof wide_faults / sizeof *wide_faults - 1);
}

/* ---- machine code that is wrong at one input ---- */

static struct {
    const struct lane_kernel *kernel;
    interp *interpreter;
    uint64_t at; /* The input's bits. More than 16 bits stand for none. */
} machine;

static void run_machine(size_t row_count, size_t cols, const actgen_operand *operands)
{
    const struct kernel_operand *o = machine.kernel->operands;
    for (size_t r = 0; r < row_count && cols; r++) {
        const struct kernel_row row[] = {kernel_row(&o[0], operands[0].data, operands[0].stride, r, cols),
                                         kernel_row(&o[1], operands[1].data, operands[1].stride, r, cols)};
        uint64_t inputs[1 << 12];
        for (size_t c = 0; c < cols; c++) inputs[c] = element_get(row[0].data, o[0].type, c);
        interp_run_row(machine.interpreter, row, cols);
        for (size_t c = 0; c < cols; c++)
            if (inputs[c] == machine.at)
                element_set(row[1].data, o[1].type, c, element_get(row[1].data, o[1].type, c) ^ 1);
    }
}

static void one_wrong_input_of_the_code_is_found(void **state)
{
    (void)state;
    static const uint64_t places[] = {1 << 16, 0, 0x8000, 1, 0x1234, 0x7f7f, 0x7c00, 0xfc00, 0x3c01};
    for (size_t n = 0; n < 3; n++)
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            struct kernel_operand operands[2];
            struct lane_kernel kernel;
            struct piece piece;
            struct verify_subject subject = subject_of(n, operands, &kernel, &piece);
            actgen_report got;
            struct diag error;
            machine.kernel = &kernel;
            machine.interpreter = interp_create_kernel(&kernel);
            machine.at = places[i];
            subject.code = run_machine;
            if (verify_run(&subject, NULL, &got, &error)) fail_msg("%s: %s", rows[n].name, error.message);
            interp_free(machine.interpreter);
            /* Results that are NaN are left out, because any NaN is right. */
            const uint64_t result = rows[n].argument == ELEMENT_F16 && (places[i] & 0x7fff) > 0x7c00;
            const bool differs = places[i] < 1 << 16 && !result;
            if ((got.bits_differ > 0) != differs || got.wrong || got.bits_compared < 1 << 16)
                fail_msg("%s, 0x%04llx: %llu differ", rows[n].name, (unsigned long long)places[i],
                         (unsigned long long)got.bits_differ);
        }
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_input_is_judged),
        cmocka_unit_test(f64_inputs_are_judged),
        cmocka_unit_test(f64_faults_are_found),
        cmocka_unit_test(one_wrong_input_of_the_code_is_found),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
