/* Tests that verification finds faults of back ends with types, layouts and strides. The interpreter with
 * one fault stands in for machine code. Other tests find faults of lowering with types: programs of other
 * formulas than the written ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bits.h"
#include "element.h"
#include "formulas.h"
#include "interp.h"
#include "lower.h"
#include "rounded_half.h"
#include "texts.h"

#include <mpfr.h>
#include <stdlib.h>

/* ---- kernels: arithmetic alone, or pieces that are planned at once ---- */

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

static const struct lowered *lower(struct spec *s)
{
    struct plan_search search = {text_new(expr_dag_memory(s->dag))};
    struct diag error = {0};
    const struct target_isa *isa = target_isa_at(0);
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .bound = s->kernels[0].bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, &search}};
    struct lowered *l;
    if (lower_kernel(&l, &request, &error)) fail_msg("%s: %s", s->text, error.message);
    return l;
}

/* Returns a subject that verifies the kernel of `built` against that of `written`. */
static struct verify_subject subject_of(arena *memory, const char *written, const char *built, actgen_fn code)
{
    const struct spec_kernel *source = &parse_text(memory, written)->kernels[0];
    const struct lowered *l = lower(parse_text(memory, built));
    struct verify_result *results = arena_alloc(memory, source->result_count * sizeof *results);
    for (uint32_t i = 0; i < source->result_count; i++)
        results[i] = (struct verify_result){source->results[i].value, source->results[i].value,
                                            source->results[i].operand};
    return (struct verify_subject){.kernel = &l->kernel,
                                   .code = code,
                                   .vector_lanes = 8,
                                   .pieces = l->pieces,
                                   .piece_count = l->piece_count,
                                   .results = results,
                                   .result_count = source->result_count,
                                   .asked = source->bound};
}

/* ---- the back end ---- */

enum fault {
    NO_FAULT,
    PART_ORDER,          /* The last group of several parts has them in reverse order. */
    PACKED_INTERLEAVED,  /* Packed is read as interleaved, and interleaved as packed. */
    NO_STRIDE_OF_INPUT,  /* The last input's width serves as its stride. */
    NO_STRIDE_OF_RESULT, /* The first result's width serves as its stride. */
    STRIDE_OF_FIRST,     /* All matrices have the first one's stride. */
    ROWS_JOINED,         /* One loop runs over all rows where the first operand has no gaps. */
    PADDING_WRITTEN,     /* One element after each row is written. */
    FIRST_ROW_ALONE,     /* [rows] is read as []. */
    FIRST_COLUMN_ALONE,  /* [cols] is read as []. */
    STEPPING_COLS,       /* [cols] goes on with the rows. */
    CLEARED_FIRST,       /* The results' memory is cleared before anything is read. */
    LATER_BLOCK_ALONE,   /* Rows after a block of rows read [rows/M, cols/N] as [rows/M]. */
    TRUNCATED,           /* The result is truncated to the 16-bit type. */
    TIES_AWAY,
    SUBNORMALS_FLUSHED,
    NAN_TO_INFINITY, /* A NaN whose upper bits are zero becomes an infinity. */
    FAULTS
};

static const char *const fault_names[FAULTS] = {
    [NO_FAULT] = "no fault",
    [PART_ORDER] = "order of parts",
    [PACKED_INTERLEAVED] = "packed for interleaved",
    [NO_STRIDE_OF_INPUT] = "stride of an input ignored",
    [NO_STRIDE_OF_RESULT] = "stride of a result ignored",
    [STRIDE_OF_FIRST] = "stride of the first operand for all",
    [ROWS_JOINED] = "rows joined",
    [PADDING_WRITTEN] = "padding written",
    [FIRST_ROW_ALONE] = "first row's value for all",
    [FIRST_COLUMN_ALONE] = "first column's value for all",
    [STEPPING_COLS] = "one value a column goes on with the rows",
    [CLEARED_FIRST] = "results cleared first",
    [LATER_BLOCK_ALONE] = "first block of columns for all after a block of rows",
    [TRUNCATED] = "truncated",
    [TIES_AWAY] = "ties away from zero",
    [SUBNORMALS_FLUSHED] = "subnormals flushed",
    [NAN_TO_INFINITY] = "NaN to infinity",
};

/* The work of the calls of `machine`. Code has no place for a context. */
static struct {
    struct lane_kernel kernel; /* The kernel, with operands of its own. */
    const struct kernel_operand *right;
    interp *interpreter;
    enum fault fault;
} machine;

static bool breaks_rounding(enum fault f) { return f >= TRUNCATED && f <= NAN_TO_INFINITY; }

static size_t stride_told(const struct kernel_operand *o, const actgen_operand *operands, size_t cols)
{
    const struct kernel_operand *last_input = NULL, *first_result = NULL;
    for (uint32_t k = machine.kernel.operand_count; k-- > 0;) {
        const struct kernel_operand *other = &machine.kernel.operands[k];
        if (other->is_result) first_result = other;
        if (!other->is_result && !last_input) last_input = other;
    }
    const size_t own = operands[o->group].stride;
    if (machine.fault == NO_STRIDE_OF_INPUT && o->group == last_input->group) return 0;
    if (machine.fault == NO_STRIDE_OF_RESULT && o->group == first_result->group) return 0;
    if (machine.fault == STRIDE_OF_FIRST) return o->shape == SHAPE_MATRIX ? operands[0].stride : own;
    if (machine.fault == STEPPING_COLS && !own) return cols * o->parts;
    return own;
}

/* Returns a 16-bit number from its f32, wrongly. */
static uint16_t narrowed(enum element_type type, float x)
{
    const uint16_t right = (uint16_t)element_types[type].near((double)x), sign = right & 0x8000,
                   size = right & 0x7fff;
    const float back = fabsf((float)element_types[type].value(size));
    const uint16_t infinity = type == ELEMENT_F16 ? 0x7c00 : 0x7f80,
                   least = type == ELEMENT_F16 ? 0x400 : 0x80;
    if (isnan(x)) return machine.fault == NAN_TO_INFINITY && right & 1 ? sign | infinity : right;
    if (machine.fault == SUBNORMALS_FLUSHED && size < least) return sign;
    if (machine.fault == TRUNCATED && back > fabsf(x)) return right - 1;
    if (machine.fault == TIES_AWAY && back < fabsf(x) && size < infinity) {
        const float next = (float)element_types[type].value(size + 1u);
        if (fabsf(x) - back == next - fabsf(x)) return right + 1;
    }
    return right;
}

/* Runs the row. The results are f32 in a row of their own until they are narrowed. */
static void run_row(const struct kernel_row *rows, size_t cols)
{
    struct kernel_row own[SPEC_MAX_OPERANDS];
    float *narrow = malloc((cols + 1) * machine.kernel.operand_count * sizeof *narrow);
    for (uint32_t k = 0; k < machine.kernel.operand_count; k++) {
        const bool wrongly = breaks_rounding(machine.fault) && machine.kernel.operands[k].is_result;
        own[k] = wrongly ? (struct kernel_row){narrow + k * (cols + 1), 1, 0} : rows[k];
    }
    interp_run_row(machine.interpreter, own, cols);
    for (uint32_t k = 0; k < machine.kernel.operand_count && breaks_rounding(machine.fault); k++)
        for (size_t c = 0; machine.kernel.operands[k].is_result && c < cols; c++)
            element_set(rows[k].data, machine.right[k].type, c * rows[k].step,
                        narrowed(machine.right[k].type, ((const float *)own[k].data)[c]));
    free(narrow);
}

static void run_rows(size_t row_count, size_t cols, const actgen_operand *operands)
{
    struct kernel_row rows[SPEC_MAX_OPERANDS];
    for (size_t r = 0; r < row_count && cols; r++) {
        for (uint32_t k = 0; k < machine.kernel.operand_count; k++) {
            struct kernel_operand o = machine.kernel.operands[k];
            o.type = machine.right[k].type;
            const size_t stride = stride_told(&o, operands, cols), width = kernel_row_width(&o, cols);
            rows[k] = kernel_row(&o, operands[o.group].data, stride, r, cols);
            if (machine.fault == LATER_BLOCK_ALONE && o.block_rows && r >= o.block_rows)
                rows[k].step = rows[k].block = 0;
            if (machine.fault == PADDING_WRITTEN && o.is_result && stride > width && o.part == 0)
                element_set((char *)operands[o.group].data + r * stride * element_types[o.type].bytes, o.type,
                            width, 0);
        }
        run_row(rows, cols);
    }
}

static void run_machine(size_t rows, size_t cols, const actgen_operand *operands)
{
    const size_t width = kernel_row_width(&machine.kernel.operands[0], cols);
    const bool joined = operands[0].stride == 0 || operands[0].stride == width;
    for (uint32_t k = 0; k < machine.kernel.operand_count && machine.fault == CLEARED_FIRST; k++)
        for (size_t r = 0; r < rows && machine.kernel.operands[k].is_result; r++) {
            const struct kernel_operand *o = &machine.kernel.operands[k];
            const struct kernel_row row =
                kernel_row(o, operands[o->group].data, operands[o->group].stride, r, cols);
            for (size_t c = 0; c < cols; c++) element_set(row.data, o->type, c * row.step, 0);
        }
    if (machine.fault == ROWS_JOINED && joined && rows)
        run_rows(1, rows * cols, operands);
    else
        run_rows(rows, cols, operands);
}

static void set_machine(arena *memory, const struct lane_kernel *kernel, enum fault fault)
{
    machine.kernel = *kernel;
    machine.right = kernel->operands;
    machine.fault = fault;
    machine.kernel.operands =
        arena_copy(memory, kernel->operands, kernel->operand_count * sizeof *kernel->operands);
    uint32_t last_of_parts = UINT32_MAX;
    for (uint32_t k = 0; k < kernel->operand_count; k++)
        if (kernel->operands[k].parts > 1) last_of_parts = kernel->operands[k].group;
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        struct kernel_operand *o = &machine.kernel.operands[k];
        if (fault == PART_ORDER && o->group == last_of_parts) o->part = o->parts - 1 - o->part;
        if (fault == PACKED_INTERLEAVED && o->parts > 1)
            o->layout = o->layout == LAYOUT_PACKED ? LAYOUT_INTERLEAVED : LAYOUT_PACKED;
        if (fault == FIRST_ROW_ALONE && o->shape == SHAPE_ROWS) o->shape = SHAPE_ONE;
        if (fault == FIRST_COLUMN_ALONE && o->shape == SHAPE_COLS) o->shape = SHAPE_ONE;
        if (fault == STEPPING_COLS && o->shape == SHAPE_COLS) o->shape = SHAPE_MATRIX;
        if (breaks_rounding(fault) && o->is_result) o->type = ELEMENT_F32;
    }
    machine.interpreter = interp_create_kernel(&machine.kernel);
    assert_non_null(machine.interpreter);
}

/* ---- machine code ---- */

#define FAULT(f) (1u << (f))
static const uint32_t strides = FAULT(NO_STRIDE_OF_INPUT) | FAULT(NO_STRIDE_OF_RESULT) |
                                FAULT(STRIDE_OF_FIRST) | FAULT(ROWS_JOINED) | FAULT(PADDING_WRITTEN);
static const uint32_t parts = FAULT(PART_ORDER) | FAULT(PACKED_INTERLEAVED);
static const uint32_t rounding = FAULT(TRUNCATED) | FAULT(TIES_AWAY) | FAULT(SUBNORMALS_FLUSHED);

static const struct {
    const char *kernel;
    /* The faults that must be noticed. The others make no difference, or do not apply. */
    uint32_t faults;
} kernels[] = {
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = a*b + a }", strides | FAULT(CLEARED_FIRST)},
    {"kernel k(a: bf16, b: bf16) -> (y: bf16) { y = a*b + a }",
     strides | rounding | FAULT(NAN_TO_INFINITY) | FAULT(CLEARED_FIRST)},
    {"kernel k(a: f16, b: f16) -> (y: f16) { y = a*b + a }", strides | rounding | FAULT(CLEARED_FIRST)},
    {"kernel k(a: f64, b: f64) -> (y: f64) { y = a*b + a }", strides | FAULT(CLEARED_FIRST)},
    {"kernel k([a | b]: bf16) -> (y: bf16) { y = a*2 - b }",
     strides | parts | rounding | FAULT(CLEARED_FIRST)},
    {"kernel k([a, b]: bf16) -> (y: bf16) { y = a*2 - b }", strides | parts | rounding},
    {"kernel k([b | a]: f16) -> (y: f32) { y = a*2 - b }", strides | parts},
    {"kernel k([a, b]: f32, c: bf16) -> (y: f16) { y = a*2 - b*c }", strides | parts | rounding},
    {"kernel k(a: f32, b: f32) -> ([y | z]: bf16) { y = a*b\n z = a - b }", strides | parts | rounding},
    {"kernel k(a: bf16, b: bf16) -> ([y, z]: bf16) { y = a*b\n z = a - b }", strides | parts | rounding},
    {"kernel k([a | b]: f64) -> ([y | z]: f64) { y = a*b\n z = a - b }",
     strides | parts | FAULT(CLEARED_FIRST)},
    {"kernel k([a, b]: f16) -> ([y, z]: f16) { y = a*b\n z = a - b }",
     strides | parts | rounding | FAULT(CLEARED_FIRST)},
    {"kernel k(a: f32, s: f32[rows]) -> (y: f32) { y = a*s }", strides | FAULT(FIRST_ROW_ALONE)},
    {"kernel k(s: bf16[cols], a: f16) -> (y: f16) { y = a + s }",
     FAULT(NO_STRIDE_OF_INPUT) | FAULT(NO_STRIDE_OF_RESULT) | FAULT(PADDING_WRITTEN) |
         FAULT(FIRST_COLUMN_ALONE) | FAULT(STEPPING_COLS) | FAULT(ROWS_JOINED)},
    {"kernel k(a: bf16, [s, t]: f32[cols]) -> (y: f32) { y = a*s + t }",
     parts | FAULT(STEPPING_COLS) | FAULT(FIRST_COLUMN_ALONE) | FAULT(ROWS_JOINED)},
    {"kernel k(a: f64, c: f32[]) -> (y: f16) { y = a*c }", FAULT(NO_STRIDE_OF_RESULT)},
    {"kernel k(q: e4m3, s: f32[rows/128, cols/128]) -> (y: f32) { y = q*s }", FAULT(LATER_BLOCK_ALONE)},
};

static void a_broken_back_end_is_noticed(void **state)
{
    (void)state;
    enum { SAMPLES = 2, SAMPLE = 1 << 16 };
    for (size_t n = 0; n < sizeof kernels / sizeof *kernels; n++)
        for (enum fault fault = NO_FAULT; fault < FAULTS; fault++) {
            if (fault && !(kernels[n].faults & FAULT(fault))) continue;
            arena *memory = test_memory();
            const struct verify_subject subject =
                subject_of(memory, kernels[n].kernel, kernels[n].kernel, run_machine);
            struct bits *b = bits_create(&subject, samples_create(memory, &subject));
            const struct written *w = written_create(memory, &subject);
            struct bits_count found = {0};
            assert_true(b && w && bits_judge_written(b, w));
            set_machine(memory, subject.kernel, fault);
            bits_compare_lengths(b, &found);
            for (uint64_t seed = 0; seed < SAMPLES; seed++) bits_compare_sample(b, seed, SAMPLE, &found);
            if (fault ? !found.differ : found.differ > 0)
                fail_msg("%s\n%s: %llu of %llu differ", kernels[n].kernel, fault_names[fault],
                         (unsigned long long)found.differ, (unsigned long long)found.compared);
            assert_true(found.compared > SAMPLES * SAMPLE);
            if (found.wrong) fail_msg("%s: %llu wrong", kernels[n].kernel, (unsigned long long)found.wrong);
            assert_true(found.judged >= SAMPLES * SAMPLE);
            interp_free(machine.interpreter);
            bits_free(b);
            arena_free(memory);
        }
}

/* ---- lowering ---- */

static const struct {
    const char *written, *built;
} formulas[] = {
    /* Rounded twice, or never. */
    {"kernel k(a: f64, b: f64) -> (y: bf16) { y = a*b }",
     "kernel k(a: f64, b: f64) -> (y: bf16) { y = f32(a*b) }"},
    {"kernel k(a: f64, b: f64) -> (y: f16) { y = a - b }",
     "kernel k(a: f64, b: f64) -> (y: f16) { y = f32(a - b) }"},
    {"kernel k(a: f64, b: f64) -> (y: f64) { y = f16(a)*b }",
     "kernel k(a: f64, b: f64) -> (y: f64) { y = f16(f32(a))*b }"},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = bf16(a*b)*b }",
     "kernel k(a: f32, b: f32) -> (y: f32) { y = a*b*b }"},
    {"kernel k(a: bf16, b: bf16) -> (y: bf16) { y = f16(a)*b }",
     "kernel k(a: bf16, b: bf16) -> (y: bf16) { y = a*b }"},
    /* Computed in the wrong type. */
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = a*b + a }",
     "kernel k(a: f32, b: f32) -> (y: f32) { y = f64(a)*b + a }"},
    {"kernel k(a: f32, b: f32) -> (y: f64) { y = a*b + a }",
     "kernel k(a: f32, b: f32) -> (y: f64) { y = f32(a)*f32(b) + f32(a*b) }"},
    /* Computed from other operands. */
    {"kernel k([a | b]: f16) -> ([y, z]: f16) { y = a*b\n z = a - b }",
     "kernel k([a | b]: f16) -> ([y, z]: f16) { y = a*b\n z = b - a }"},
    {"kernel k(a: f32, s: f32[cols]) -> (y: f32) { y = if a > s then a else s*a }",
     "kernel k(a: f32, s: f32[cols]) -> (y: f32) { y = if a >= s then a else s*a }"},
};

static uint64_t count_wrong(const char *written, const char *built)
{
    arena *memory = test_memory();
    const struct verify_subject subject = subject_of(memory, written, built, NULL);
    const struct written *w = written_create(memory, &subject);
    struct bits *b = bits_create(&subject, samples_create(memory, &subject));
    struct bits_count found = {0};
    assert_true(b && w && bits_judge_written(b, w));
    for (uint64_t seed = 0; seed < 2; seed++) bits_compare_sample(b, seed, 1 << 16, &found);
    bits_free(b);
    arena_free(memory);
    return found.wrong;
}

static void a_broken_lowering_is_noticed(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof formulas / sizeof *formulas; n++) {
        if (count_wrong(formulas[n].written, formulas[n].written)) fail_msg("%s: wrong", formulas[n].written);
        if (!count_wrong(formulas[n].written, formulas[n].built))
            fail_msg("%s\n%s: not noticed", formulas[n].written, formulas[n].built);
    }
}

/* ---- rounding ---- */

static void check_rounding(enum element_type type, double x)
{
    const struct element_type_info *t = &element_types[type];
    mpfr_t value;
    mpfr_init2(value, t->format.precision);
    mpfr_set_emin(t->format.min_exponent - t->format.precision + 2);
    mpfr_set_emax(t->format.max_exponent + 1);
    mpfr_subnormalize(value, mpfr_set_d(value, x, MPFR_RNDN), MPFR_RNDN);
    const double nearest = mpfr_get_d(value, MPFR_RNDN), got = written_rounded(x, type);
    const double right = element_is_integer(type)
                             ? integer_within(nearest, element_least(type), element_most(type))
                         : t->format.has_infinity ? nearest
                                                  : saturated(nearest, t->format.largest);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_clear(value);
    if (isnan(right) ? !isnan(got) : bits_of_f64(right) != bits_of_f64(got))
        fail_msg("%s of %a: %a, not %a", t->name, x, got, right);
}

/* Checks numbers half way between two of the type, and the doubles next to them. */
static void rounding_is_that_of_mpfr(void **state)
{
    (void)state;
    static const enum element_type types[] = {ELEMENT_F16,  ELEMENT_BF16, ELEMENT_F32, ELEMENT_E4M3,
                                              ELEMENT_E5M2, ELEMENT_I8,   ELEMENT_U8};
    uint64_t seed = 1;
    for (size_t n = 0; n < sizeof types / sizeof *types; n++) {
        const struct element_type_info *t = &element_types[types[n]];
        const double infinities[] = {INFINITY, -INFINITY, NAN, 0.0, -0.0};
        for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++)
            check_rounding(types[n], infinities[i]);
        for (int exponent = t->format.min_exponent - t->format.precision - 3;
             exponent <= t->format.max_exponent + 2; exponent++)
            for (int i = 0; i < 64; i++) {
                const double units = floor((1 + random_unit(&seed)) *
                                           /* The last bit is lost. */
                                           ldexp(1, t->format.precision));
                const double tie =
                    ldexp(units, exponent - t->format.precision) * (next_random(&seed) & 1 ? 1 : -1);
                check_rounding(types[n], tie);
                check_rounding(types[n], nextafter(tie, INFINITY));
                check_rounding(types[n], nextafter(tie, -INFINITY));
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broken_back_end_is_noticed),
        cmocka_unit_test(a_broken_lowering_is_noticed),
        cmocka_unit_test(rounding_is_that_of_mpfr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
