/* Tests of the loops that costs choose, without times: they follow the processor and narrow results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tuned.h"

#include <stdio.h>

static int keep(void *payload, const void *data, size_t size)
{
    text_bytes(payload, data, size);
    return 0;
}

/* Compiles the kernel for a processor that is said to be here. Returns the estimate's loop, and adds the
 * object for other programs. */
static struct loop_choice loop_on(const char *processor, const char *kernel, struct text *object)
{
    struct loop_choice loops[LOOP_MOST_CHOICES];
    struct diag why = {0};
    size_t count;
    open_in("");
    engine->host.core = processor;
    for (size_t i = 0; target_isa_at(i); i++) engine->host.here.isas |= UINT64_C(1) << i;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = "avx512";
    options.interpret = 1;
    actgen_kernel *k = compile_with(kernel, &options);
    const struct backend_function f = own_function(k);
    assert_string_equal(f.core->name, processor ? processor : "skylake-x");
    assert_string_equal(k->core->name, "skylake-x");
    assert_int_equal(engine_loops(engine, loops, &count, &f, &why), 0);
    const actgen_kernel *const list[] = {k};
    assert_int_equal(actgen_emit(list, 1, ACTGEN_EMIT_OBJECT, NULL, keep, object, &error), 0);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
    return loops[0];
}

/* A loop that narrows f32 to 8 or 16 bits waits for its chain of operations, and so it is pipelined. */
static void narrowing_loops_are_pipelined(void **state)
{
    (void)state;
    static const char *const types[] = {"bf16", "f16", "e4m3", "i8"};
    arena *memory = memory_for_text();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[100];
        struct text object = text_new(memory);
        snprintf(text, sizeof text, "kernel k(x: f32, s: f32[]) -> (y: %s) { accuracy 3 ulp; y = gelu(x)*s }",
                 types[i]);
        const struct loop_choice loop = loop_on("zen5", text, &object);
        assert_int_equal(loop.stages, 4);
        assert_int_equal(loop.unroll, 2);
        assert_int_equal(loop.constants, CONSTANTS_IN_MEMORY);
    }
    arena_free(memory);
}

/* The code that runs here has the loops of this processor. Objects for other programs do not depend on it. */
static void loops_follow_the_processor(void **state)
{
    (void)state;
    arena *memory = memory_for_text();
    struct text objects[3] = {text_new(memory), text_new(memory), text_new(memory)};
    static const char silu[] = "kernel k(x: f32) -> (y: f32) { accuracy abs 2^-22\n y = silu(x) }";
    const struct loop_choice plain = loop_on("skylake-x", silu, &objects[0]),
                             unknown = loop_on(NULL, silu, &objects[1]),
                             zen5 = loop_on("zen5", silu, &objects[2]);
    assert_int_equal(plain.unroll, 2);
    assert_int_equal(unknown.unroll, 2);
    assert_int_equal(zen5.unroll, 4);
    for (size_t i = 1; i < 3; i++) {
        assert_int_equal(objects[i].length, objects[0].length);
        assert_memory_equal(objects[i].data, objects[0].data, objects[0].length);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_follow_the_processor),
        cmocka_unit_test(narrowing_loops_are_pipelined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
