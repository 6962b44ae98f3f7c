/* A random kernel, its machine code, and the interpreter's results for it, for the tests of the back end. */
#ifndef ACTGEN_LLVM_SUBJECT_H
#define ACTGEN_LLVM_SUBJECT_H

#include "backend.h"
#include "interp.h"
#include "loader.h"
#include "part.h"
#include "random_program.h"

#include <math.h>

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
    loader_code *code;
    kernel_fn *run;
};

static inline void describe(struct subject *s, const struct target_isa *isa, uint32_t inputs,
                            uint32_t results)
{
    s->inputs = inputs;
    s->results = results;
    for (uint32_t k = 0; k < inputs + results; k++) {
        s->operands[k] = operand_names[0];
        s->operands[k].is_result = k >= inputs;
    }
    s->kernel = lane_kernel_make("kernel", s->operands, inputs + results, s->program);
    s->function = (struct backend_function){.kernel = &s->kernel, .symbol = "kernel", .isa = isa};
}

/* Prepares a subject. Returns false without memory. random_program explains `first` and `length`. Without
 * a length, the program is short. */
static inline bool prepare_quietly(struct subject *s, const struct target_isa *isa, uint64_t seed,
                                   uint32_t first, uint32_t length)
{
    *s = (struct subject){.memory = arena_create(0)};
    if (!s->memory) return false;
    if (setjmp(*arena_escape(s->memory))) return false;
    struct target_profile profile = isa->profile;
    uint32_t inputs = 1 + (uint32_t)(seed % 3), results = 1 + (uint32_t)(seed / 3 % 3);
    s->program = length ? random_program(s->memory, &profile, seed, inputs, results, first, length)
                        : short_program(s->memory, &profile, seed, inputs, results);
    describe(s, isa, inputs, results);
    return true;
}

static inline void prepare(struct subject *s, const struct target_isa *isa, uint64_t seed, uint32_t first,
                           uint32_t length)
{
    assert_true(prepare_quietly(s, isa, seed, first, length));
}

static inline void compile(struct subject *s, const struct backend_options *options)
{
    struct diag error = {0};
    if (backend_emit(&s->function, 1, options, BACKEND_OBJECT, &s->object, &error))
        fail_msg("%s", error.message);
    if (loader_load(&s->code, s->object.data, s->object.size, &error)) fail_msg("%s", error.message);
    void *address = loader_symbol(s->code, "kernel", &error);
    assert_non_null(address);
    /* C has no cast from object to function pointers. */
    memcpy(&s->run, &address, sizeof address);
}

static inline void dispose(struct subject *s)
{
    loader_free(s->code);
    backend_buffer_free(&s->object);
    arena_free(s->memory);
}

static inline bool same_floats(const float *a, const float *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) && !(isnan(a[i]) && isnan(b[i]))) return false;
    return true;
}

/* The inputs, and the interpreter's results for them. */
struct expectation {
    float values[MOST_OPERANDS][MOST_ELEMENTS];
};

static inline void expect(struct expectation *e, const struct subject *s, uint64_t seed)
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

#endif
