/* Tests of machine code against the interpreter over all types, shapes and layouts of operands, bit for
 * bit, with all NaNs equal. Operands lie between guard pages. The test runs on every instruction set
 * that runs here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "element.h"
#include "guarded.h"
#include "isas.h"
#include "llvm_subject.h"

enum { MOST_GROUPS = 5, MOST_NAMES = 20, BYTES = 8192 };

/* An operand in memory. */
struct group {
    enum operand_shape shape;
    enum operand_layout layout;
    uint32_t parts;
};

static const struct group input_forms[] = {
    {SHAPE_MATRIX, LAYOUT_SEPARATE, 1},    {SHAPE_MATRIX, LAYOUT_PACKED, 2},
    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 2}, {SHAPE_COLS, LAYOUT_SEPARATE, 1},
    {SHAPE_ROWS, LAYOUT_SEPARATE, 1},      {SHAPE_ONE, LAYOUT_SEPARATE, 1},
    {SHAPE_MATRIX, LAYOUT_SEPARATE, 1},    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 3},
    {SHAPE_COLS, LAYOUT_PACKED, 2},        {SHAPE_COLS, LAYOUT_INTERLEAVED, 2},
    {SHAPE_MATRIX, LAYOUT_PACKED, 3},      {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 4},
    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 6}, {SHAPE_ONE, LAYOUT_PACKED, 5},
};
static const struct group result_forms[] = {
    {SHAPE_MATRIX, LAYOUT_SEPARATE, 1},    {SHAPE_MATRIX, LAYOUT_PACKED, 2},
    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 2}, {SHAPE_MATRIX, LAYOUT_SEPARATE, 1},
    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 3}, {SHAPE_MATRIX, LAYOUT_SEPARATE, 1},
    {SHAPE_MATRIX, LAYOUT_INTERLEAVED, 4},
};
enum {
    INPUT_FORMS = sizeof input_forms / sizeof *input_forms,
    RESULT_FORMS = sizeof result_forms / sizeof *result_forms,
    /* The types f32 f64 f16 bf16 e4m3 e5m2 i8 u8. */
    TYPES = ELEMENT_U8 + 1
};

struct layouts {
    arena *memory;
    struct kernel_operand names[MOST_NAMES];
    uint32_t name_count, group_count;
    const struct kernel_operand *group[MOST_GROUPS]; /* The first name of each group. */
    /* For a result, an input that the result may replace, or that input's part `over_part`. Otherwise -1. */
    int over[MOST_GROUPS];
    uint32_t over_part[MOST_GROUPS];
    struct lane_kernel kernel;
    struct subject code;
    interp *oracle;
};

/* -- kernels -- */

static void add_group(struct layouts *l, enum element_type type, struct group form, bool is_result)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    l->group[l->group_count++] = &l->names[l->name_count];
    for (uint32_t k = 0; k < form.parts; k++)
        l->names[l->name_count++] = (struct kernel_operand){.name = names[k],
                                                            .type = type,
                                                            .shape = form.shape,
                                                            .layout = form.layout,
                                                            .is_result = is_result,
                                                            .part = k,
                                                            .parts = form.parts};
}

/* Computes a number or NaN by operations on bits, as abs, copysign and truncation do. The results can
 * take all values. */
static lane_value by_bits(lane_program *p, struct randomness *r, lane_value x, lane_value y)
{
    const lane_value a = lane_unary(p, LANE_BITCAST, x), b = lane_unary(p, LANE_BITCAST, y);
    const lane_value low = lane_const_bits(p, LANE_I32, 0x7fffffff),
                     sign = lane_const_bits(p, LANE_I32, 0x80000000);
    switch (random_below(r, 3)) {
    case 0: return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_AND, a, low));
    case 1:
        return lane_unary(
            p, LANE_BITCAST,
            lane_binary(p, LANE_OR, lane_binary(p, LANE_AND, a, low), lane_binary(p, LANE_AND, b, sign)));
    default:
        return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, a, lane_binary(p, LANE_AND, b, sign)));
    }
}

static lane_value combined(lane_program *p, struct randomness *r, lane_value x, lane_value y)
{
    static const double constants[] = {0.25, 1.0, -3.0, 1e-7, 0x1p-130, 70000};
    const lane_value c = lane_const(p, LANE_F32, constants[random_below(r, 6)]);
    switch (random_below(r, 10)) {
    case 0: return lane_binary(p, LANE_ADD, lane_binary(p, LANE_MUL, x, c), y);
    case 1: return lane_binary(p, LANE_MAX, x, y);
    case 2: return lane_select(p, lane_binary(p, LANE_LT, x, c), y, x);
    case 3: return lane_unary(p, LANE_TO_BF16, lane_binary(p, LANE_MUL, x, y));
    case 4: {
        static const enum lane_op roundings[] = {LANE_TO_F16,  LANE_TO_F16, LANE_TO_E4M3,
                                                 LANE_TO_E5M2, LANE_TO_I8,  LANE_TO_U8};
        return lane_unary(p, roundings[random_below(r, 6)], lane_binary(p, LANE_SUB, x, y));
    }
    case 5: return lane_fma(p, x, c, lane_binary(p, LANE_MUL, y, c));
    case 6: return by_bits(p, r, x, y);
    case 7:
        return lane_unary(
            p, LANE_NARROW,
            lane_binary(p, LANE_MUL, lane_unary(p, LANE_WIDEN, x), lane_unary(p, LANE_WIDEN, y)));
    case 8: return x;
    default: return lane_binary(p, LANE_MUL, x, y);
    }
}

static lane_program *program_of(const struct layouts *l, const struct target_profile *profile, uint64_t seed)
{
    struct randomness r = {seed};
    lane_program *p = lane_create(l->memory, profile);
    lane_value values[MOST_NAMES];
    uint32_t count = 0;
    /* Unrolled loops, moved values, and pipelined loops. */
    static const uint32_t lengths[] = {1, 1, 0, 4, 8, 24};
    for (uint32_t k = 0; k < l->name_count; k++) {
        const struct kernel_operand *o = &l->names[k];
        if (o->is_result) {
            lane_value x = values[random_below(&r, count)];
            const uint32_t length = lengths[random_below(&r, 6)];
            for (uint32_t n = 0; n < length; n++) x = combined(p, &r, x, values[random_below(&r, count)]);
            lane_store(p, o->type == ELEMENT_F64 ? lane_unary(p, LANE_WIDEN, x) : x, k);
        } else {
            const lane_value x = lane_load(p, kernel_lane_type(o), k);
            values[count++] = o->type == ELEMENT_F64 ? lane_unary(p, LANE_NARROW, x) : x;
        }
    }
    return p;
}

/* Finds what each result may be written over. */
static void find_places(struct layouts *l)
{
    bool taken[MOST_GROUPS] = {false};
    for (uint32_t r = 0; r < l->group_count; r++) {
        const struct kernel_operand *result = l->group[r];
        l->over[r] = -1;
        for (uint32_t i = 0; i < r && result->is_result && l->over[r] < 0; i++) {
            const struct kernel_operand *input = l->group[i];
            const bool same = input->layout == result->layout && input->parts == result->parts;
            const bool is_part = input->layout == LAYOUT_PACKED && result->parts == 1;
            if (input->is_result || input->shape != SHAPE_MATRIX || taken[i]) continue;
            if (input->type != result->type || !(same || is_part)) continue;
            l->over[r] = (int)i;
            l->over_part[r] = is_part ? input->parts - 1 : 0;
            taken[i] = true;
        }
    }
}

/* Makes kernel `number`. Its first input and its first result take all forms and types in turn. Its other
 * operands take random ones. */
static void make(struct layouts *l, const struct target_isa *isa, uint32_t number)
{
    struct randomness r = {number};
    const struct target_profile profile = isa->profile;
    *l = (struct layouts){.memory = arena_create(0)};
    assert_non_null(l->memory);
    if (setjmp(*arena_escape(l->memory))) fail_msg("no memory");
    /* Most kernels have one type only. */
    const bool all_bf16 = number % 3 == 0, one_type = number % 3 == 1;
    enum element_type type = all_bf16 ? ELEMENT_BF16 : (enum element_type)(number / 3 % TYPES);
    add_group(l, type, input_forms[number % INPUT_FORMS], false);
    for (uint32_t k = random_below(&r, 3); k-- > 0;) {
        if (!all_bf16 && !one_type) type = (enum element_type)random_below(&r, TYPES);
        add_group(l, type, input_forms[random_below(&r, INPUT_FORMS - 3)], false);
    }
    for (uint32_t k = 1 + random_below(&r, 2); k-- > 0;) {
        if (!all_bf16 && !one_type) type = (enum element_type)random_below(&r, TYPES);
        add_group(l, type, result_forms[k ? random_below(&r, RESULT_FORMS) : number % RESULT_FORMS], true);
    }
    lane_program *program = program_of(l, &profile, number);
    l->kernel = lane_kernel_make("kernel", l->names, l->name_count, program);
    l->code = (struct subject){.memory = l->memory, .program = program};
    l->code.function = (struct backend_function){.kernel = &l->kernel, .symbol = "kernel", .isa = isa};
    l->oracle = interp_create_kernel(&l->kernel);
    assert_non_null(l->oracle);
    find_places(l);
}

/* -- calls -- */

static struct guarded pages[MOST_GROUPS];
static unsigned char wanted[MOST_GROUPS][BYTES], before[MOST_GROUPS][BYTES];

struct call {
    /* The gap in elements between rows, which is one larger for each further operand. 0 leaves
     * out the strides. */
    size_t rows, cols, gap;
    /* The offset from the alignment, in elements. */
    size_t offset;
    bool at_end, in_place;
};

struct memory_of {
    /* The place in the operand's pages, the stride as given, and the size of all rows. */
    size_t from, stride, bytes;
};

static struct memory_of memory_of(const struct layouts *l, uint32_t g, const struct call *c)
{
    const struct kernel_operand *o = l->group[g];
    const size_t element = element_types[o->type].bytes, width = kernel_row_width(o, c->cols);
    const bool is_one = o->shape == SHAPE_ONE || o->shape == SHAPE_COLS;
    struct memory_of m = {.stride = c->gap ? width + c->gap + g : 0};
    if (!c->rows || !c->cols) return m;
    m.bytes = (is_one ? width : (c->rows - 1) * (m.stride ? m.stride : width) + width) * element;
    assert_true(m.bytes + 512 < BYTES);
    m.from = c->at_end ? BYTES - m.bytes : element * (c->offset * (g + 1) % 17);
    return m;
}

static void random_elements(struct randomness *r, enum element_type type, unsigned char *out, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += element_types[type].bytes) {
        const float x = random_float(r);
        const double wide = random_below(r, 4) ? (double)x : f64_of_bits(random_bits(r));
        uint64_t bits = element_types[type].near(type == ELEMENT_F64 ? wide : (double)x);
        if (element_is_half(type) && !random_below(r, 4)) bits = random_bits(r);
        element_set(out + at, type, 0, bits);
    }
}

/* Returns true if all bytes of the pages are equal, except for NaNs among the elements. */
static bool same_pages(enum element_type type, const struct memory_of *m, const unsigned char *a,
                       const unsigned char *b)
{
    const size_t element = element_types[type].bytes, end = m->from + m->bytes;
    if (!memcmp(a, b, BYTES)) return true;
    if (memcmp(a, b, m->from) || memcmp(a + end, b + end, BYTES - end)) return false;
    for (size_t at = m->from; at < end; at += element)
        if (!element_same(type, element_get(a + at, type, 0), element_get(b + at, type, 0))) return false;
    return true;
}

/* Places the call's operands in memory that begins at base[0], base[1] ... */
static void place(const struct layouts *l, const struct call *c, unsigned char *const *base,
                  struct operand *out)
{
    for (uint32_t g = 0; g < l->group_count; g++) {
        const struct memory_of m = memory_of(l, g, c);
        out[g] = (struct operand){base[g] + m.from, m.stride};
        if (!c->in_place || l->over[g] < 0) continue;
        const uint32_t over = (uint32_t)l->over[g];
        const struct kernel_operand *input = l->group[over];
        const size_t width = kernel_row_width(input, c->cols);
        out[g] = out[over];
        out[g].stride = out[over].stride ? out[over].stride : width;
        out[g].data =
            (unsigned char *)out[over].data + l->over_part[g] * c->cols * element_types[input->type].bytes;
    }
}

static void interpret(const struct layouts *l, const struct call *c, const struct operand *operands)
{
    struct kernel_row rows[MOST_NAMES];
    for (size_t row = 0; row < c->rows && c->cols; row++) {
        for (uint32_t k = 0; k < l->name_count; k++) {
            const struct operand *o = &operands[l->names[k].group];
            rows[k] = kernel_row(&l->names[k], o->data, o->stride, row, c->cols);
        }
        interp_run_row(l->oracle, rows, c->cols);
    }
}

static bool call_is_right(const struct layouts *l, struct call c, struct randomness *r)
{
    struct operand operands[MOST_GROUPS];
    unsigned char *base[MOST_GROUPS], *oracle_base[MOST_GROUPS];
    for (uint32_t g = 0; g < l->group_count; g++) {
        const struct memory_of m = memory_of(l, g, &c);
        memset(before[g], UNTOUCHED, BYTES);
        if (!l->group[g]->is_result) random_elements(r, l->group[g]->type, before[g] + m.from, m.bytes);
        memcpy(wanted[g], before[g], BYTES);
        memcpy(pages[g].data, before[g], BYTES);
        base[g] = pages[g].data;
        oracle_base[g] = wanted[g];
    }
    place(l, &c, oracle_base, operands);
    interpret(l, &c, operands);
    place(l, &c, base, operands);
    l->code.run(c.rows, c.cols, operands);
    for (uint32_t g = 0; g < l->group_count; g++) {
        const struct memory_of m = memory_of(l, g, &c);
        if (!same_pages(l->group[g]->type, &m, pages[g].data, wanted[g])) return false;
    }
    return true;
}

static void describe_kernel(const struct layouts *l)
{
    struct text t = text_new(l->memory);
    for (uint32_t k = 0; k < l->name_count; k++)
        print_message("%s %s shape %d layout %d part %u of %u\n", l->names[k].is_result ? "result" : "input",
                      element_types[l->names[k].type].name, (int)l->names[k].shape, (int)l->names[k].layout,
                      (unsigned)l->names[k].part, (unsigned)l->names[k].parts);
    lane_print(&t, l->kernel.program);
    print_message("%s\n", t.data);
}

static void check_call(const struct layouts *l, struct call c, struct randomness *r)
{
    if (call_is_right(l, c, r)) return;
    describe_kernel(l);
    fail_msg("%s: rows %zu cols %zu gap %zu offset %zu at_end %d in_place %d: machine code differs from the "
             "interpreter",
             l->code.function.isa->name, c.rows, c.cols, c.gap, c.offset, c.at_end, c.in_place);
}

static void check_lengths(const struct layouts *l, struct randomness *r)
{
    const size_t lanes = l->code.function.isa->vector_bytes / 4, all = 4 * lanes + 3,
                 longest = 10 * lanes + 3;
    for (size_t n = 0; n <= longest; n += n < all ? 1 : 7) {
        check_call(l, (struct call){1, n, 0, 0, true, n % 2}, r);
        check_call(l, (struct call){1, n, 0, n, false, n % 3 == 0}, r);
    }
}

static void check_rows(const struct layouts *l, struct randomness *r)
{
    for (size_t cols = 0; cols <= 40; cols += 1 + cols / 5)
        for (size_t rows = 0; rows <= 3; rows++)
            for (size_t gap = 0; gap <= 8; gap += 3)
                check_call(l, (struct call){rows, cols, gap, cols + gap, cols % 2, gap % 2}, r);
}

static void check_kernel(const struct target_isa *isa, uint32_t number, const struct backend_options *options)
{
    static struct layouts l;
    struct diag error = {0};
    struct randomness r = {number};
    make(&l, isa, number);
    if (lane_verify(l.kernel.program, &error)) fail_msg("kernel %u: %s", (unsigned)number, error.message);
    compile(&l.code, options);
    check_lengths(&l, &r);
    check_rows(&l, &r);
    interp_free(l.oracle);
    dispose(&l.code);
}

/* Checks all kernels on the first set that runs here. The other sets have the same operands with other
 * instructions, and take two kernels in three each. Sets that extend another differ from it in
 * instructions, not in their loops. */
static void check_kernels(uint32_t first, uint32_t count, struct backend_options options)
{
    const bool is_other_loop = options.quick || options.streaming_bytes;
    uint32_t sets = 0;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (!target_isa_runs_here(isa) || (isa->extends && is_other_loop)) continue;
        for (uint32_t n = first; n < first + count; n++)
            if ((!sets || (n / 3 + sets) % 3 || takes_all()) && is_row_tried(i + n, 3) &&
                (!runs_again() || n % 3 == 2))
                check_kernel(isa, n, &options);
        sets += !isa->extends;
    }
}

/* Checks each form three times: with kernels of bf16, of one type and of mixed types. With another LLVM
 * the test checks each form once, with mixed types, in which all types occur. */
static void test_forms_and_types(void **state)
{
    (void)state;
    check_kernels(0, 3 * INPUT_FORMS, (struct backend_options){0});
}

static void test_quick(void **state)
{
    (void)state;
    check_kernels(0, INPUT_FORMS, (struct backend_options){.quick = true});
}

static void test_streaming(void **state)
{
    (void)state;
    check_kernels(1000, INPUT_FORMS, (struct backend_options){.streaming_bytes = 1});
    check_kernels(2000, 3,
                  (struct backend_options){/* The processor decides between streaming and prefetching. */
                                           .streaming_bytes = 2});
}

static int set_up(void **state)
{
    (void)state;
    for (int g = 0; g < MOST_GROUPS; g++)
        if (!guarded_create(&pages[g], BYTES)) return 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int g = 0; g < MOST_GROUPS; g++) guarded_free(&pages[g]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms_and_types), cmocka_unit_test(test_quick),
                                       cmocka_unit_test(test_streaming)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
