/* Tests of machine code against the interpreter, bit for bit, on every instruction set that runs here.
 * Other tests cover the linker and errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "guarded.h"
#include "isas.h"
#include "llvm_subject.h"

#include <stdlib.h>

/* The place of a call's operands in their pages. */
enum placement { AT_START, AT_END, ALIGNED_LIKE_RESULT, ALIGNED_DIFFERENTLY };

static size_t place(enum placement how, const struct guarded *g, size_t bytes, uint32_t operand,
                    size_t offset)
{
    switch (how) {
    case AT_START: return 0;
    case AT_END: return g->size - bytes;
    case ALIGNED_LIKE_RESULT: return 256 + 4 * offset;
    default: return 256 + 4 * ((offset * (operand + 1) + 3 * operand) % 16);
    }
}

struct call {
    enum placement placement;
    /* The first operand's stride. Each further operand has a stride that is one larger. 0 means no gaps. */
    size_t offset, rows, cols, stride;
    bool in_place; /* The first result lies over the first input. */
};

static size_t stride_of(const struct call *c, uint32_t operand)
{
    return c->stride ? c->stride + operand : c->cols;
}

static size_t bytes_of(const struct call *c, uint32_t operand)
{
    return c->rows && c->cols ? ((c->rows - 1) * stride_of(c, operand) + c->cols) * sizeof(float) : 0;
}

static unsigned char *row_of(const struct guarded *g, size_t from, const struct call *c, uint32_t operand,
                             size_t row)
{
    return g->data + from + row * stride_of(c, operand) * sizeof(float);
}

/* Returns true after a call if the values are right and nothing around and between the rows has changed. */
static bool operand_is_right(struct guarded *g, size_t from, const struct call *c, uint32_t operand,
                             const float *wanted)
{
    if (!guarded_untouched(g, from, bytes_of(c, operand))) return false;
    for (size_t row = 0; row < c->rows; row++) {
        unsigned char *at = row_of(g, from, c, operand, row);
        if (!same_floats((const float *)(const void *)at, wanted + row * c->cols, c->cols)) return false;
        memset(at, UNTOUCHED, c->cols * sizeof(float));
    }
    return guarded_untouched(g, 0, 0);
}

/* Runs the call between guard pages and compares. The elements are those of the expectation,
 * row after row. */
static bool call_is_right(const struct subject *s, struct guarded *memory, const struct expectation *e,
                          struct call c)
{
    struct operand operands[MOST_OPERANDS];
    size_t from[MOST_OPERANDS];
    for (uint32_t k = 0; k < s->inputs + s->results; k++) {
        guarded_fill(&memory[k]);
        from[k] = place(c.placement, &memory[k], bytes_of(&c, k), k, c.offset);
        operands[k] = (struct operand){memory[k].data + from[k], c.stride ? stride_of(&c, k) : 0};
        for (size_t row = 0; row < c.rows && k < s->inputs; row++)
            memcpy(row_of(&memory[k], from[k], &c, k, row), e->values[k] + row * c.cols,
                   c.cols * sizeof(float));
    }
    if (c.in_place) operands[s->inputs] = operands[0];
    s->run(c.rows, c.cols, operands);
    for (uint32_t k = 0; k < s->inputs + s->results; k++) {
        const float *wanted = e->values[c.in_place && !k ? s->inputs : k];
        bool unused = c.in_place && k == s->inputs;
        if (!unused && !operand_is_right(&memory[k], from[k], &c, k, wanted)) return false;
    }
    return true;
}

static bool all_lengths_are_right(const struct subject *s, struct guarded *memory,
                                  const struct expectation *e)
{
    size_t lanes = s->function.isa->vector_bytes / sizeof(float),
           longest = 10 * lanes + 3; /* More vectors than a loop has stages. */
    for (size_t n = 0; n <= longest; n++)
        for (int in_place = 0; in_place < 2; in_place++) {
            if (!call_is_right(s, memory, e, (struct call){AT_START, 0, 1, n, 0, in_place})) return false;
            if (!call_is_right(s, memory, e, (struct call){AT_END, 0, 1, n, 0, in_place})) return false;
        }
    for (size_t offset = 0; offset < 16; offset++)
        for (size_t n = 0; n <= longest; n += offset % 3 ? 5 : 1) {
            if (!call_is_right(s, memory, e, (struct call){ALIGNED_LIKE_RESULT, offset, 1, n, 0, false}))
                return false;
            if (!call_is_right(s, memory, e, (struct call){ALIGNED_DIFFERENTLY, offset, 1, n, 0, false}))
                return false;
        }
    return true;
}

static bool all_shapes_are_right(const struct subject *s, struct guarded *memory, const struct expectation *e)
{
    for (size_t rows = 0; rows <= 3; rows++)
        for (size_t cols = 0; cols <= MOST_ELEMENTS / 3; cols += 1 + cols / 9)
            for (size_t gap = 0; gap < 20; gap += 7)
                for (int in_place = 0; in_place < 2; in_place++) {
                    struct call c = {AT_END, 0, rows, cols, gap ? cols + gap : 0, in_place};
                    if (!call_is_right(s, memory, e, c)) return false;
                    c.placement = ALIGNED_DIFFERENTLY;
                    c.offset = gap;
                    if (!call_is_right(s, memory, e, c)) return false;
                }
    return true;
}

static struct guarded pages[MOST_OPERANDS];
static int set_up(void **state)
{
    (void)state;
    for (int k = 0; k < MOST_OPERANDS; k++)
        if (!guarded_create(&pages[k], 4096)) return 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int k = 0; k < MOST_OPERANDS; k++) guarded_free(&pages[k]);
    return 0;
}

static const struct target_isa *isa_here(size_t i)
{
    const struct target_isa *isa = target_isa_at(i);
    if (target_isa_runs_here(isa)) return isa;
    print_message("  (%s does not run here: skipped)\n", isa->name);
    return NULL;
}

struct series { /* Programs of `length` ops, to which the digest adds, and what the test does with them. */
    uint32_t programs, length;
    size_t streaming_bytes;
    /* Sets that extend another have its loops for f32, and are not tried at all lengths. */
    bool all_lengths, quick, compact;
};

static void check_program(const struct target_isa *isa, const struct series *series, uint32_t number)
{
    static struct expectation e;
    struct subject s;
    prepare(&s, isa, number, number * series->length, series->length);
    struct diag error = {0};
    if (lane_verify(s.program, &error)) fail_msg("program %d: %s", (int)number, error.message);
    compile(&s, &(struct backend_options){.streaming_bytes = series->streaming_bytes,
                                          .quick = series->quick,
                                          .compact = series->compact});
    expect(&e, &s, number);
    bool right = call_is_right(&s, pages, &e, (struct call){AT_END, 0, 1, MOST_ELEMENTS, 0, false});
    if (right && series->all_lengths)
        right = all_lengths_are_right(&s, pages, &e) && all_shapes_are_right(&s, pages, &e);
    if (!right) fail_msg("%s, program %d: machine code differs from the interpreter", isa->name, (int)number);
    dispose(&s);
}

static void check_series(const struct series *series)
{
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = isa_here(i);
        if (!isa || (series->all_lengths && isa->extends)) continue;
        for (uint32_t number = 0; number < series->programs; number++)
            if (is_row_tried(i + number, 3)) check_program(isa, series, number);
    }
}

/* Returns the number of programs of 12 ops in which each op comes twice for narrow types and twice for
 * wide ones. With another LLVM, each comes once. */
static uint32_t programs_of_every_op(void) { return ((runs_again() ? 2 : 4) * LANE_OP_COUNT + 11) / 12; }

static void test_every_op(void **state)
{
    (void)state;
    check_series(&(struct series){.programs = programs_of_every_op(), .length = 12});
}

/* Checks a set whose row in the table names no instruction of its own, as a new row would. Such a set uses
 * only what all sets have, in vectors of each width. Each op comes once narrow and once wide. */
static void test_without_own_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = isa_here(i);
        if (!isa || isa->extends) continue; /* This test does not use what such sets add. */
        const struct target_isa plain = {.name = "plain",
                                         .architecture = isa->architecture,
                                         .triple = isa->triple,
                                         .cpu = isa->cpu,
                                         .features = isa->features,
                                         .vector_bytes = isa->vector_bytes,
                                         .registers = isa->registers,
                                         .profile = isa->profile,
                                         .costs = isa->costs};
        const struct series series = {.programs = (2 * LANE_OP_COUNT + 11) / 12, .length = 12};
        for (uint32_t number = 0; number < series.programs; number++) check_program(&plain, &series, number);
    }
}

static void test_lengths_and_places(void **state)
{
    /* Short programs, for which the loop is unrolled, with all numbers of inputs and results, and others. */
    (void)state;
    check_series(&(struct series){.programs = 9, .length = 0, .all_lengths = true});
    check_series(&(struct series){.programs = 3, .length = 7, .all_lengths = true});
}

static bool some_lengths_are_right(const struct subject *s, const struct expectation *e)
{
    for (size_t n = 0; n <= MOST_ELEMENTS; n += 1 + n / 3)
        for (int in_place = 0; in_place < 2; in_place++)
            if (!call_is_right(s, pages, e, (struct call){AT_END, 0, 1, n, 0, in_place})) return false;
    return true;
}

/* Checks that each loop that may be timed gives the bits of the estimated loop, which the loop of zeros
 * stands for. The test tries each step-th of the other loops, from number `from` on. */
static void check_loops(const struct target_isa *isa, uint32_t seed, uint32_t length, size_t from,
                        size_t step)
{
    static struct expectation e;
    struct loop_choice loops[LOOP_MOST_CHOICES], most = {0};
    struct backend_buffer estimated = {0};
    struct subject s;
    prepare(&s, isa, seed, seed * length, length);
    expect(&e, &s, seed);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &estimated, NULL), 0);
    const size_t count = backend_loops(loops, &s.function);
    assert_true(count > 2 && count <= LOOP_MOST_CHOICES);
    for (size_t i = 0; i < count; i++) {
        assert_true(loop_choice_is_valid(&loops[i]));
        if (loops[i].stages > most.stages) most = loops[i];
        if (i && (i % step != from || !is_row_tried(i / step, 4))) continue;
        s.function.loop = loops[i];
        compile(&s, NULL);
        if (!i) assert_int_equal(s.object.size, estimated.size);
        if (!i) assert_memory_equal(s.object.data, estimated.data, estimated.size);
        if (!some_lengths_are_right(&s, &e))
            fail_msg("%s, program %u: %u stages of %u vectors, constants %d: not the interpreter's bits",
                     isa->name, seed, loops[i].stages, loops[i].unroll, (int)loops[i].constants);
        loader_free(s.code);
        backend_buffer_free(&s.object);
    }
    if (length > 30) assert_true(most.stages > 2);
    s.code = NULL;
    backend_buffer_free(&estimated);
    dispose(&s);
}

/* Checks the loops of the longest program, whose values do not fit in registers, on every instruction set.
 * Each set takes a share of the loops, so that together the sets have all of them. Sets differ only in
 * registers and masks here. The first set also takes a program that fits, in all loops. The others take a
 * short program in all of its few loops. With another LLVM the test takes one loop in three. */
static void test_loops(void **state)
{
    const size_t shares = sharing_sets();
    size_t sets = 0;
    (void)state;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = isa_here(i);
        if (!isa || isa->extends) continue; /* Such sets have the loops of the set that they extend. */
        check_loops(isa, 8, 40, sets % shares, shares);
        if (sets++)
            check_loops(isa, 1, 6, 0, runs_again() ? 3 : 1);
        else
            check_loops(isa, 5, 20, 0, runs_again() ? 3 : 1);
    }
}

static void test_streaming(void **state)
{
    (void)state;
    check_series(&(struct series){.programs = 9, .length = 0, .streaming_bytes = 1, .all_lengths = true});
    check_series(&(struct series){.programs = 3, .length = 7, .streaming_bytes = 1, .all_lengths = true});
    /* The processor decides between streaming and prefetching. */
    check_series(&(struct series){.programs = 3, .length = 0, .streaming_bytes = 2, .all_lengths = true});
}

/* Checks code that is made quickly, at another level of LLVM's and with another loop: every op, and every
 * length and place. */
static void test_quick(void **state)
{
    (void)state;
    check_series(&(struct series){.programs = programs_of_every_op(), .length = 12, .quick = true});
    check_series(&(struct series){.programs = 9, .length = 0, .all_lengths = true, .quick = true});
    check_series(&(struct series){.programs = 3, .length = 7, .all_lengths = true, .quick = true});
}

/* Checks short code: programs of many operations, whose loop is for whole and partial vectors, and of few. */
static void test_compact(void **state)
{
    (void)state;
    check_series(&(struct series){.programs = programs_of_every_op(), .length = 20, .compact = true});
    check_series(&(struct series){.programs = 6, .length = 0, .all_lengths = true, .compact = true});
    check_series(&(struct series){.programs = 6, .length = 20, .all_lengths = true, .compact = true});
}

/* Checks which LLVM is loaded. Otherwise the tests with another LLVM would repeat those of this one. */
static void test_version(void **state)
{
    const char *expected = getenv("ACTGEN_TEST_LLVM");
    (void)state;
    if (!expected) return; /* The build has only the newest LLVM. */
    const char *version = backend_version() + strcspn(backend_version(), "0123456789");
    if (atoi(version) != atoi(expected)) fail_msg("%s is loaded, not %s", backend_version(), expected);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_every_op),
        cmocka_unit_test(test_without_own_instructions),
        cmocka_unit_test(test_lengths_and_places),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_streaming),
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_compact),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
