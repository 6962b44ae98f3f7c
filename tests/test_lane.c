/* Tests of lane programs, of their verifier and of their text, and of the table of instruction sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lane.h"
#include "target.h"

#include <string.h>

static const struct target_profile with_fma = {.name = "test",
                                               .fma = true,
                                               .lookup_f32 = 32,
                                               .lookup_f64 = 16},
                                   without_fma = {.name = "test-nofma"};
static arena *memory;

static int set_up(void **state)
{
    (void)state;
    memory = arena_create(0);
    if (!memory || setjmp(*arena_escape(memory))) return 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

/* Builds clamp(x, -1, 1), its index and a table: a program with every kind of line. Each instruction has a
 * statement of its own, because C does not say which argument of a call comes first. */
static lane_program *example(const struct target_profile *profile)
{
    static const uint64_t entries[] = {0x3f800000, 0x40000000, 0xbf800000, 0};
    lane_program *p = lane_create(memory, profile);
    lane_value x = lane_load(p, LANE_F32, 0), one = lane_const(p, LANE_F32, 1);
    lane_value minus_one = lane_const(p, LANE_F32, -1);
    lane_value low = lane_binary(p, LANE_MAX, minus_one, x);
    lane_value t = lane_binary(p, LANE_MIN, low, one);
    lane_value bits = lane_unary(p, LANE_BITCAST, t), shift = lane_const(p, LANE_I32, 22);
    lane_value index = lane_binary(p, LANE_SHR, bits, shift);
    lane_value c = lane_lookup(p, lane_table_add(p, LANE_F32, 2, entries), index);
    lane_value sum = lane_fma(p, t, c, one);
    lane_value wide = lane_unary(p, LANE_WIDEN, sum), half = lane_const(p, LANE_F64, 0.5);
    lane_value product = lane_binary(p, LANE_MUL, wide, half);
    lane_value small = lane_binary(p, LANE_LT, x, one);
    lane_store(p, lane_select(p, small, lane_unary(p, LANE_NARROW, product), sum), 1);
    return p;
}

/* Checks what a kernel knows of its operands: groups of packed ones, and results that are sums. */
static void test_kernels(void **state)
{
    (void)state;
    for (unsigned sums = 0; sums < 4; sums++) { /* which of the two results is a sum */
        struct kernel_operand operands[] = {
            {.name = "a", .type = ELEMENT_F32, .layout = LAYOUT_PACKED, .parts = 2, .part = 0},
            {.name = "b", .type = ELEMENT_F32, .layout = LAYOUT_PACKED, .parts = 2, .part = 1},
            {.name = "y", .type = ELEMENT_F32, .parts = 1, .is_result = true, .reduction = sums & 1},
            {.name = "z", .type = ELEMENT_F32, .parts = 1, .is_result = true, .reduction = sums >> 1},
            {.name = "beyond the kernel", .type = ELEMENT_F32, .parts = 1}};
        const struct lane_kernel kernel = lane_kernel_make("k", operands, 4, NULL);
        assert_int_equal(kernel.group_count, 3);
        assert_int_equal(operands[1].group, 0);
        assert_int_equal(operands[3].group, 2);
        assert_int_equal(kernel.has_sums, sums != 0);
        assert_string_equal(kernel_parameters(memory, &kernel)[0].name, "a_b");
        assert_string_equal(kernel_parameters(memory, &kernel)[2].stride, "z_stride");
    }
}

/* An operand of a call with 13 columns: how wide its row is, and where its third row begins. */
static const struct {
    struct kernel_operand operand;
    size_t stride, width, first, step; /* `first` in bytes */
} places[] = {
    {{.type = ELEMENT_F32, .parts = 1}, 0, 13, 2 * 13 * 4, 1},
    {{.type = ELEMENT_F32, .parts = 1}, 32, 13, 2 * 32 * 4, 1},
    {{.type = ELEMENT_F16, .parts = 1, .block = 4}, 0, 4, 2 * 4 * 2, 1},
    {{.type = ELEMENT_U1, .parts = 1}, 0, 16, 2 * 2, 1},
    {{.type = ELEMENT_F32, .parts = 2, .part = 1, .layout = LAYOUT_PACKED}, 0, 26, (2 * 26 + 13) * 4, 1},
    {{.type = ELEMENT_F32, .parts = 2, .part = 1, .layout = LAYOUT_INTERLEAVED}, 0, 26, (2 * 26 + 1) * 4, 2},
    {{.type = ELEMENT_F64, .parts = 1, .shape = SHAPE_ROWS}, 0, 1, 2 * 8, 0},
    {{.type = ELEMENT_F64, .parts = 1, .shape = SHAPE_ROWS}, 5, 1, 2 * 5 * 8, 0},
    {{.type = ELEMENT_F32, .parts = 1, .shape = SHAPE_COLS}, 0, 13, 0, 1},
    {{.type = ELEMENT_F32, .parts = 2, .part = 1, .shape = SHAPE_ONE, .layout = LAYOUT_PACKED}, 0, 2, 4, 0},
    /* A number of an element or of a row, which is not in memory. */
    {{.type = ELEMENT_U64, .parts = 1}, 7, 13, 0, 7 + 2 * 13},
    {{.type = ELEMENT_U64, .parts = 1, .counts_rows = true}, 7, 13, 0, 7 + 2},
};

static void test_places(void **state)
{
    (void)state;
    static const char data[4096];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const struct kernel_operand *o = &places[i].operand;
        const struct kernel_row row = kernel_row(o, data, places[i].stride, 2, 13);
        if (kernel_row_width(o, 13) != places[i].width || row.step != places[i].step ||
            (const char *)row.data - data != (ptrdiff_t)places[i].first || row.block != o->block)
            fail_msg("row %zu: width %zu, %td bytes, step %zu", i, kernel_row_width(o, 13),
                     (const char *)row.data - data, row.step);
    }
    const struct kernel_operand bits = {.type = ELEMENT_U1, .parts = 1};
    assert_int_equal(kernel_row_width(&bits, 16), 16);
    assert_int_equal(kernel_row_width(&bits, 17), 24);
    assert_int_equal(kernel_row_blocks(4, 12), 3);
    assert_int_equal(kernel_pass_columns(&(struct kernel_pass){.is_of_rows = true}, 13), 1);
    assert_int_equal(kernel_pass_columns(&(struct kernel_pass){.block = 4}, 13), 4);
    assert_int_equal(kernel_pass_columns(&(struct kernel_pass){0}, 13), 13);
}

static void test_print(void **state)
{
    (void)state;
    struct text out = text_new(memory);
    lane_print(&out, example(&with_fma));
    assert_string_equal(out.data, "profile test\n"
                                  "%0: f32 = load 0\n"
                                  "%1: f32 = const 0x3f800000 (1)\n"
                                  "%2: f32 = const 0xbf800000 (-1)\n"
                                  "%3: f32 = max %2, %0\n"
                                  "%4: f32 = min %3, %1\n"
                                  "%5: i32 = bitcast %4\n"
                                  "%6: i32 = const 0x00000016 (22)\n"
                                  "%7: i32 = shr %5, %6\n"
                                  "%8: f32 = lookup table 0, %7\n"
                                  "%9: f32 = fma %4, %8, %1\n"
                                  "%10: f64 = widen %9\n"
                                  "%11: f64 = const 0x3fe0000000000000 (0.5)\n"
                                  "%12: f64 = mul %10, %11\n"
                                  "%13: truth = lt %0, %1\n"
                                  "%14: f32 = narrow %12\n"
                                  "%15: f32 = select %13, %14, %9\n"
                                  "store 1, %15\n"
                                  "table 0: 4 f32\n"
                                  "    3f800000 40000000 bf800000 00000000\n");
}

static void test_equal_instructions_are_one(void **state)
{
    (void)state;
    lane_program *p = lane_create(memory, &with_fma);
    lane_value x = lane_load(p, LANE_F32, 0), y = lane_load(p, LANE_F32, 1);
    assert_int_equal(lane_load(p, LANE_F32, 0), x);
    assert_int_not_equal(x, y);
    lane_value sum = lane_binary(p, LANE_ADD, x, y);
    assert_int_not_equal(lane_binary(p, LANE_ADD, y, x),
                         /* The two are equal except for NaNs, but the author's order stays. */
                         sum);
    for (int i = 0; i < 500; i++) lane_const(p, LANE_F32, i); /* The program grows. */
    assert_int_equal(lane_binary(p, LANE_ADD, x, y), sum);
    assert_int_not_equal(lane_const(p, LANE_F32, 0.0), lane_const(p, LANE_F32, -0.0));
    uint32_t count = p->count;
    lane_store(p, sum, 2);
    lane_store(p, sum, 3);
    assert_int_equal(p->count, count + 2); /* Stores are never merged. */
    assert_int_equal(lane_select(p, lane_binary(p, LANE_LT, x, y), sum, sum), sum);
}

static void test_tables_are_shared(void **state)
{
    (void)state;
    static const uint64_t a[] = {1, 2}, b[] = {1, 3};
    lane_program *p = lane_create(memory, &with_fma);
    uint32_t first = lane_table_add(p, LANE_I32, 1, a);
    assert_int_equal(lane_table_add(p, LANE_I32, 1, a), first);
    assert_int_not_equal(lane_table_add(p, LANE_I32, 1, b), first);
    assert_int_not_equal(lane_table_add(p, LANE_I64, 1, a), first);
    assert_int_not_equal(lane_table_add(p, LANE_I32, 0, a), first);
}

static void test_fma_by_profile(void **state)
{
    (void)state;
    for (int fma = 0; fma < 2; fma++) {
        lane_program *p = lane_create(memory, fma ? &with_fma : &without_fma);
        lane_value x = lane_load(p, LANE_F32, 0);
        assert_int_equal(p->code[lane_fma(p, x, x, x)].op, fma ? LANE_FMA : LANE_ADD);
    }
}

static void test_inline(void **state)
{
    (void)state;
    lane_program *p = lane_create(memory, &with_fma);
    lane_value x = lane_binary(p, LANE_ADD, lane_load(p, LANE_F32, 0), lane_load(p, LANE_F32, 1));
    lane_value y = lane_inline(p, example(&with_fma), &x);
    uint32_t count = p->count;
    assert_int_equal(lane_inline(p, example(&with_fma), &x), y); /* The program already has this piece. */
    assert_int_equal(p->count, count);
    assert_int_equal(p->table_count, 1);
    lane_store(p, y, 2);
    assert_int_equal(lane_verify(p, NULL), 0);
}

static lane_value limited(lane_program *p, enum lane_op op, double limit, lane_value v)
{
    return lane_binary(p, op, lane_const(p, p->code[v].type, limit), v);
}

static void test_idle_limits_go(void **state)
{
    (void)state;
    lane_program *p = lane_create(memory, &with_fma), *q = lane_create(memory, &with_fma);
    const lane_value held = limited(p, LANE_MIN, 2, limited(p, LANE_MAX, -1, lane_load(p, LANE_F32, 0)));
    const lane_value wide =
        limited(p, LANE_MAX, -700, lane_unary(p, LANE_WIDEN, limited(p, LANE_MAX, -1.5, held)));
    const lane_value nearer = limited(p, LANE_MIN, 1.5, limited(p, LANE_MIN, 2, wide));
    lane_store(p, lane_unary(p, LANE_NARROW, limited(p, LANE_MAX, -0.0, limited(p, LANE_MAX, 0, nearer))), 1);
    const lane_value own = limited(q, LANE_MIN, 2, limited(q, LANE_MAX, -1, lane_load(q, LANE_F32, 0)));
    const lane_value rest = limited(q, LANE_MIN, 1.5, lane_unary(q, LANE_WIDEN, own));
    lane_store(q, lane_unary(q, LANE_NARROW, limited(q, LANE_MAX, -0.0, limited(q, LANE_MAX, 0, rest))), 1);
    struct text got = text_new(memory), expected = text_new(memory);
    lane_print(&got, lane_canonical(p));
    lane_print(&expected, lane_canonical(q));
    assert_string_equal(got.data, expected.data);
    assert_null(strstr(got.data, "700"));
    assert_non_null(strstr(got.data, "(-0)"));
}

static void test_good_programs_pass(void **state)
{
    (void)state;
    struct diag error = {0};
    if (lane_verify(example(&with_fma), &error)) fail_msg("%s", error.message);
    if (lane_verify(example(&without_fma), &error)) fail_msg("%s", error.message);
}

/* A change that damages a good program, and words of the message that the verifier must give. Numbers are
 * those of test_print. */
struct damage {
    const char *words;
    uint32_t at;
    struct lane_instruction instruction;
};

static const struct damage damages[] = {
    {"no such op", 3, {.op = LANE_OP_COUNT, .type = LANE_F32}},
    {"before its user", 3, {.op = LANE_MAX, .type = LANE_F32, .operand = {2, 3}}},
    {"before its user", 3, {.op = LANE_MAX, .type = LANE_F32, .operand = {9, 0}}},
    {"an operand's type", 12, {.op = LANE_MUL, .type = LANE_F64, .operand = {10, 9}}},
    {"an operand's type", 12, {.op = LANE_IADD, .type = LANE_I32, .operand = {5, 4}}},
    {"an operand's type", 10, {.op = LANE_WIDEN, .type = LANE_F64, .operand = {5}}},
    {"an operand's type", 15, {.op = LANE_SELECT, .type = LANE_F32, .operand = {9, 14, 9}}},
    {"an operand's type", 15, {.op = LANE_SELECT, .type = LANE_F32, .operand = {13, 12, 9}}},
    {"an operand's type", 15, {.op = LANE_MNOT, .type = LANE_TRUTH, .operand = {9}}},
    {"result type", 12, {.op = LANE_MUL, .type = LANE_I64, .operand = {10, 11}}},
    {"result type", 13, {.op = LANE_LT, .type = LANE_I32, .operand = {0, 1}}},
    {"result type", 0, {.op = LANE_LOAD, .type = LANE_NOTHING}},
    {"result type", 1, {.op = LANE_CONST, .type = LANE_NOTHING}},
    {"does not belong", 5, {.op = LANE_BITCAST, .type = LANE_I64, .operand = {4}}},
    {"does not belong", 5, {.op = LANE_F2I, .type = LANE_F32, .operand = {4}}},
    {"an operand's type", 8, {.op = LANE_F2I, .type = LANE_F32, .operand = {7}}},
    {"an operand's type", 8, {.op = LANE_I2F, .type = LANE_I32, .operand = {4}}},
    {"an operand's type", 8, {.op = LANE_IWIDEN, .type = LANE_I64, .operand = {4}}},
    {"an operand's type", 8, {.op = LANE_INARROW, .type = LANE_I32, .operand = {7}}},
    {"an operand's type", 14, {.op = LANE_BITCAST, .type = LANE_I32, .operand = {13}}},
    {"more bits", 6, {.op = LANE_CONST, .type = LANE_I32, .bits = (uint64_t)1 << 32}},
    {"not a constant", 7, {.op = LANE_SHL, .type = LANE_I32, .operand = {5, 5}}},
    {"not below the width", 6, {.op = LANE_CONST, .type = LANE_I32, .bits = 32}},
    {"no such table", 8, {.op = LANE_LOOKUP, .type = LANE_F32, .operand = {7}, .index = 1}},
    {"not the table's", 8, {.op = LANE_LOOKUP, .type = LANE_I32, .operand = {7}}},
    {"an operand's type", 8, {.op = LANE_LOOKUP, .type = LANE_F32, .operand = {4}}},
    {"an operand's type", 11, {.op = LANE_IMULHI, .type = LANE_I64, .operand = {10, 10}}},
    {"both loaded and stored", 16, {.op = LANE_STORE, .type = LANE_NOTHING, .operand = {15}, .index = 0}},
    {"two types", 14, {.op = LANE_LOAD, .type = LANE_F64}},
    {"has no value", 16, {.op = LANE_STORE, .type = LANE_F32, .operand = {15}, .index = 1}},
    {"stores no result", 16, {.op = LANE_NEG, .type = LANE_F32, .operand = {15}}},
};

static void test_damaged_programs_fail(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *d = &damages[i];
        lane_program *p = example(&with_fma);
        struct diag error = {0};
        p->code[d->at] = d->instruction;
        if (d->instruction.op == LANE_IMULHI)
            p->code[10] = (struct lane_instruction){.op = LANE_CONST, .type = LANE_I64};
        assert_int_equal(lane_verify(p, &error), DIAG_INVALID);
        if (!strstr(error.message, d->words))
            fail_msg("%d: '%s' lacks '%s'", (int)i, error.message, d->words);
    }
}

static void test_other_damage_fails(void **state)
{
    (void)state;
    static const uint64_t wide[] = {0, (uint64_t)1 << 40, 0, 0};
    struct diag error = {0};
    lane_program *p = example(&with_fma);
    p->tables[0].log2_size = LANE_LARGEST_LOG2_TABLE + 1;
    assert_int_equal(lane_verify(p, &error), DIAG_INVALID);
    assert_non_null(strstr(error.message, "larger than"));
    p = example(&with_fma);
    p->tables[0].bits = wide;
    assert_int_equal(lane_verify(p, NULL), DIAG_INVALID);
    p = example(&with_fma);
    p->tables[0].type = LANE_TRUTH;
    assert_int_equal(lane_verify(p, NULL), DIAG_INVALID);
    p = example(&with_fma);
    lane_store(p, 0, 1);
    error = (struct diag){0};
    assert_int_equal(lane_verify(p, &error), DIAG_INVALID);
    assert_non_null(strstr(error.message, "stored twice"));
    p = example(&with_fma);
    p->profile = without_fma;
    error = (struct diag){0};
    assert_int_equal(lane_verify(p, &error), DIAG_INVALID);
    assert_non_null(strstr(error.message, "no fma"));
}

/* Checks the table of ops. Packed programs hold the ops' codes. A wrong letter in a signature
 * would fit no type. */
static void test_op_table(void **state)
{
    (void)state;
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++) {
        const struct lane_op_info *o = &lane_ops[op];
        bool takes_any = !o->arity;
        for (enum lane_op other = 0; other < op; other++)
            if (lane_ops[other].code == o->code)
                fail_msg("%s and %s have one code", lane_ops[other].name, o->name);
        if (strspn(o->signature, "fignvwmsdjlt-") != strlen(o->signature))
            fail_msg("%s: %s", o->name, o->signature);
        for (enum lane_type type = 0; type < LANE_TYPE_COUNT; type++) takes_any |= lane_op_has_type(op, type);
        if (!takes_any || !o->operations) fail_msg("%s", o->name);
    }
    for (enum lane_type type = 0; type < LANE_TYPE_COUNT; type++)
        for (enum lane_type other = 0; other < type; other++)
            if (lane_types[other].code == lane_types[type].code) fail_msg("%s", lane_types[type].name);
}

static bool is_extended(const char *isa)
{
    bool found = false;
    for (size_t i = 0; target_isa_at(i); i++)
        found = found || (target_isa_at(i)->extends && !strcmp(target_isa_at(i)->extends, isa));
    return found;
}

static void test_isa_table(void **state)
{
    (void)state;
    static const char *const names[] = {"avx512fp16", "avx512vbmi", "avx512", "avx2",      "x86-64", "vsx",
                                        "sve2",       "sve",        "neon",   "armv7neon", "armv7",  "s390x",
                                        "rvv",        "wasm",       "ptx100", "ptx80",     "ptx"};
    const struct target_isa *best = NULL;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = target_isa_at(i);
        assert_string_equal(isa->name, names[i]);
        assert_ptr_equal(target_isa_find(names[i]), isa);
        assert_int_equal(isa->vector_bytes & (isa->vector_bytes - 1), 0);
        for (unsigned f = 0; f < FEATURE_COUNT; f++)
            assert_true(!(isa->needs >> f & 1) || target_features[f].architecture == isa->architecture);
        if (isa->extends) assert_false(target_isa_find(isa->extends)->needs & ~isa->needs);
        const struct target_isa *of = target_profile_find(isa->profile.name);
        assert_memory_equal(&of->profile, &isa->profile,
                            sizeof isa->profile); /* A profile is a choice of plans. */
        assert_ptr_equal(of->costs, isa->costs);
        assert_non_null(target_architectures[isa->architecture].name);
        /* The sets of an architecture stand together. */
        for (size_t j = 0; j < i; j++)
            assert_true(target_isa_at(j)->architecture != isa->architecture ||
                        target_isa_at(i - 1)->architecture == isa->architecture);
        assert_true(!isa->extends == !(isa->profile.plain || isa->flushes));
        assert_ptr_equal(target_isa_extended(target_isa_extended(isa)), target_isa_extended(isa));
        if (!best && !isa->extends && target_isa_runs_here(isa)) best = isa;
    }
    for (size_t i = 0; target_core_at(i); i++) {
        const struct target_costs *core = target_core_at(i);
        assert_ptr_equal(target_core_find(core->name, target_isa_find(core->isa)), core);
        assert_true(core->source[0] && core->per_uop > 0);
        for (unsigned class = 0; class < CLASS_COUNT; class ++)
            if (!(core->op[class][0].count > 0) || !core->op[class][0].ports ||
                core->op[class][1].ports >= PORT_SETS)
                fail_msg("%s has no cost of class %u of target.h", core->name, class);
        assert_int_equal(core->lookup_f16[0].count > 0, is_extended(core->isa));
        assert_int_equal(core->small_lookup[0].count > 0, core->small_table > 0);
    }
    assert_null(target_core_find("skylake-x", target_isa_find("avx2")));
    assert_null(target_isa_at(target_isa_count()));
    assert_null(target_isa_find("avx3"));
    assert_ptr_equal(target_isa_find("host"), best);
}

/* Compares the detection of the processor with the compiler's run-time support, which asks in another way. */
static void test_detection(void **state)
{
    (void)state;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl");
    assert_int_equal(target_isa_runs_here(target_isa_find("avx2")), avx2);
    assert_int_equal(target_isa_runs_here(target_isa_find("avx512")), avx512);
    assert_true(target_isa_runs_here(target_isa_find("x86-64")));
    assert_false(target_isa_runs_here(target_isa_find("neon")));
#elif defined(__aarch64__)
    assert_true(target_isa_runs_here(target_isa_find("neon")));
    assert_false(target_isa_runs_here(target_isa_find("x86-64")));
#else
    assert_null(target_isa_find("host"));
#endif
}

/* Checks that a processor without AVX-512 is recognised by its model. One with AVX-512 is recognised even
 * where the plans are for AVX2. */
static void test_models(void **state)
{
    (void)state;
    static const struct {
        const char *best;
        unsigned family, model;
        const char *core;
    } rows[] = {
        {"avx2", 0x19, 0x01, "zen3"},   {"avx2", 0x19, 0x11, "zen4"},   {"avx2", 0x19, 0x21, "zen3"},
        {"avx2", 0x19, 0x50, "zen3"},   {"avx2", 0x19, 0x61, "zen4"},   {"avx2", 0x19, 0x74, "zen4"},
        {"avx512", 0x19, 0x11, "zen4"}, {"avx512", 0x19, 0x61, "zen4"}, {"avx512", 0x19, 0xa1, "zen4"},
        {"avx2", 0x1a, 0x24, "zen5"},   {"avx512", 0x1a, 0x02, "zen5"}, {"avx2", 6, 207, "emeraldrapids"},
        {"avx2", 6, 158, "skylake"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct target_here here = {.family = rows[i].family, .model = rows[i].model};
        for (size_t n = 0; target_isa_at(n); n++)
            if (!strcmp(target_isa_at(n)->name, rows[i].best)) here.isas |= UINT64_C(1) << n;
        const char *core = target_here_core(&here);
        if (!core || strcmp(core, rows[i].core))
            fail_msg("family %#x, model %#x: %s", rows[i].family, rows[i].model, core ? core : "none");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_print),
        cmocka_unit_test(test_equal_instructions_are_one),
        cmocka_unit_test(test_tables_are_shared),
        cmocka_unit_test(test_fma_by_profile),
        cmocka_unit_test(test_inline),
        cmocka_unit_test(test_idle_limits_go),
        cmocka_unit_test(test_good_programs_pass),
        cmocka_unit_test(test_damaged_programs_fail),
        cmocka_unit_test(test_other_damage_fails),
        cmocka_unit_test(test_op_table),
        cmocka_unit_test(test_isa_table),
        cmocka_unit_test(test_detection),
        cmocka_unit_test(test_models),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
