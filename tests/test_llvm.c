/* Machine code against the interpreter, bit for bit, on every instruction set that runs here; the linker;
 * errors. */
#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "backend.h"
#include "guarded.h"
#include "interp.h"
#include "random_program.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct operand {
    void *data;
    size_t stride;
};
typedef void kernel_fn(size_t rows, size_t cols, const struct operand *operands);

enum { MOST_OPERANDS = 6, MOST_ELEMENTS = 3 * 4 * 16 + 3 + 4 * 16 };

static const struct kernel_operand operand_names[MOST_OPERANDS + 1] = {
    {.name = "a", .parts = 1}, {.name = "b", .parts = 1}, {.name = "c", .parts = 1}};

/* A kernel with everything that the tests need of it. */
struct subject {
    arena *memory;
    lane_program *program;
    struct kernel_operand operands[MOST_OPERANDS];
    struct lane_kernel kernel;
    uint32_t inputs, results;
    struct backend_function function;
    struct backend_buffer object;
    backend_code *code;
    kernel_fn *run;
};

static struct lane_profile profile_of(const struct target_isa *isa)
{
    return (struct lane_profile){isa->profile.name, isa->profile.fma, isa->profile.lookup_f32,
                                 isa->profile.lookup_f64};
}

static void describe(struct subject *s, const struct target_isa *isa, uint32_t inputs, uint32_t results)
{
    s->inputs = inputs;
    s->results = results;
    for (uint32_t k = 0; k < inputs + results; k++) {
        s->operands[k] = operand_names[0];
        s->operands[k].is_result = k >= inputs;
    }
    s->kernel = (struct lane_kernel){"kernel", s->operands, inputs + results, s->program};
    s->function = (struct backend_function){&s->kernel, "kernel", isa};
}

static void prepare(struct subject *s, const struct target_isa *isa, uint64_t seed, uint32_t length)
{
    *s = (struct subject){.memory = arena_create(0)};
    assert_non_null(s->memory);
    if (setjmp(*arena_escape(s->memory))) fail();
    struct lane_profile profile = profile_of(isa);
    uint32_t inputs = 1 + (uint32_t)(seed % 3), results = 1 + (uint32_t)(seed / 3 % 3);
    s->program = random_program(s->memory, &profile, seed, inputs, results, length);
    describe(s, isa, inputs, results);
}

static void compile(struct subject *s, backend_jit *jit, const struct backend_options *options)
{
    struct diag error = {0};
    if (backend_emit(&s->function, 1, options, BACKEND_OBJECT, &s->object, &error))
        fail_msg("%s", error.message);
    if (backend_link(&s->code, jit, &s->object, &error)) fail_msg("%s", error.message);
    void *address = backend_symbol(s->code, "kernel", &error);
    assert_non_null(address);
    memcpy(&s->run, &address, sizeof address); /* C has no cast from object to function pointers */
}

static void dispose(struct subject *s)
{
    backend_code_free(s->code);
    backend_buffer_free(&s->object);
    arena_free(s->memory);
}

static bool same_floats(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

/* Inputs, and what the interpreter makes of them. */
struct expectation {
    float values[MOST_OPERANDS][MOST_ELEMENTS];
};

static void expect(struct expectation *e, const struct subject *s, uint64_t seed)
{
    struct randomness r = {seed};
    void *arrays[MOST_OPERANDS];
    for (uint32_t k = 0; k < MOST_OPERANDS; k++) {
        arrays[k] = e->values[k];
        for (size_t i = 0; k < s->inputs && i < MOST_ELEMENTS; i++) e->values[k][i] = random_float(&r);
    }
    interp *i = interp_create(s->program);
    assert_non_null(i);
    interp_run(i, arrays, MOST_ELEMENTS);
    interp_free(i);
}

/* Where the operands of a call lie in their pages. */
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
    size_t offset, rows, cols, stride; /* stride 0: no gaps */
    bool in_place;                     /* the first result over the first input */
};

/* Runs the call among guard pages and compares. The elements are the expectation's, row after row. */
static bool call_is_right(const struct subject *s, struct guarded *memory, const struct expectation *e,
                          struct call c)
{
    struct operand operands[MOST_OPERANDS];
    size_t from[MOST_OPERANDS], stride = c.stride ? c.stride : c.cols, count = s->inputs + s->results;
    size_t bytes = c.rows && c.cols ? ((c.rows - 1) * stride + c.cols) * sizeof(float) : 0;
    for (uint32_t k = 0; k < count; k++) {
        guarded_fill(&memory[k]);
        from[k] = place(c.placement, &memory[k], bytes, k, c.offset);
        operands[k] = (struct operand){memory[k].data + from[k], c.stride};
        for (size_t row = 0; row < c.rows && k < s->inputs; row++)
            memcpy(memory[k].data + from[k] + row * stride * sizeof(float), e->values[k] + row * c.cols,
                   c.cols * sizeof(float));
    }
    if (c.in_place) operands[s->inputs] = operands[0];
    s->run(c.rows, c.cols, operands);
    for (uint32_t k = 0; k < count; k++) {
        if (!guarded_untouched(&memory[k], from[k], bytes)) return false;
        if (c.in_place && k == s->inputs) continue;
        const float *wanted = e->values[c.in_place && !k ? s->inputs : k];
        for (size_t row = 0; row < c.rows; row++) {
            unsigned char *at = memory[k].data + from[k] + row * stride * sizeof(float);
            if (!same_floats((const float *)(const void *)at, wanted + row * c.cols, c.cols)) return false;
            memset(at, UNTOUCHED, c.cols * sizeof(float));
        }
        if (!guarded_untouched(&memory[k], 0, 0)) return false; /* the gaps between rows */
    }
    return true;
}

static bool all_lengths_are_right(const struct subject *s, struct guarded *memory,
                                  const struct expectation *e)
{
    size_t lanes = s->function.isa->vector_bytes / sizeof(float), longest = 4 * lanes + 3;
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
static backend_jit *jit;

static int set_up(void **state)
{
    (void)state;
    for (int k = 0; k < MOST_OPERANDS; k++)
        if (!guarded_create(&pages[k], 4096)) return 1;
    return backend_jit_create(&jit, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    for (int k = 0; k < MOST_OPERANDS; k++) guarded_free(&pages[k]);
    backend_jit_free(jit);
    return 0;
}

static const struct target_isa *isa_here(size_t i)
{
    const struct target_isa *isa = target_isa_at(i);
    if (target_isa_runs_here(isa)) return isa;
    print_message("  (%s does not run here: skipped)\n", isa->name);
    return NULL;
}

enum { FULL, ALL_LENGTHS };

static void check_program(const struct target_isa *isa, uint64_t seed, uint32_t length, size_t streaming,
                          int how)
{
    static struct expectation e;
    struct subject s;
    prepare(&s, isa, seed, length);
    struct diag error = {0};
    if (lane_verify(s.program, &error)) fail_msg("seed %d: %s", (int)seed, error.message);
    compile(&s, jit, &(struct backend_options){.streaming_bytes = streaming});
    expect(&e, &s, seed);
    bool right = call_is_right(&s, pages, &e, (struct call){AT_END, 0, 1, MOST_ELEMENTS, 0, false});
    if (right && how == ALL_LENGTHS)
        right = all_lengths_are_right(&s, pages, &e) && all_shapes_are_right(&s, pages, &e);
    if (!right) fail_msg("%s, seed %d: machine code differs from the interpreter", isa->name, (int)seed);
    dispose(&s);
}

static void test_random_programs(void **state)
{
    (void)state;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = isa_here(i);
        for (uint64_t seed = 1; isa && seed <= 36; seed++) check_program(isa, seed, 16, 0, FULL);
    }
}

static void test_lengths_and_places(void **state)
{
    (void)state;
    static const uint32_t lengths[] = {0, 2, 6,
                                       14}; /* so that every unrolling occurs; the digest adds to them */
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = isa_here(i);
        for (uint64_t seed = 0; isa && seed < 4; seed++)
            for (size_t streaming = 0; streaming < 2; streaming++)
                check_program(isa, 100 + seed * 2, lengths[seed], streaming, ALL_LENGTHS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_lengths_and_places),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
