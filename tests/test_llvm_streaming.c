/* Tests of loops for arrays beyond the caches: which programs have one, and what it reads and stores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "llvm_subject.h"
#include "object.h"

#include <stdio.h>
#include <stdlib.h>

/* Checks what no result shows: streaming stores are whole vectors, fenced, and made only on request. */
static void test_streaming_instructions(void **state)
{
    (void)state;
    for (size_t i = 0; i < target_isa_count(); i++)
        for (size_t streaming = 0; streaming < 2; streaming++) {
            struct subject s;
            struct backend_buffer text;
            struct backend_options options = {.streaming_bytes = streaming << 20};
            prepare(&s, target_isa_at(i), 3, 0, 0);
            assert_int_equal(backend_emit(&s.function, 1, &options, BACKEND_ASSEMBLY, &text, NULL), 0);
            const size_t expected = streaming && target_isa_at(i)->streaming;
            assert_int_equal(strstr(text.data, "movntps") || strstr(text.data, "movntdq"), expected);
            assert_int_equal(strstr(text.data, "sfence") != NULL, expected);
            assert_int_equal(strstr(text.data, "cpuid") && strstr(text.data, "prefetch"), expected);
            assert_null(strstr(text.data, "movntss"));
            assert_null(strstr(text.data, "movnti"));
            backend_buffer_free(&text);
            dispose(&s);
        }
}

/* Prepares a polynomial of one input that has as many operations as the test says. */
static void prepare_polynomial(struct subject *s, const struct target_isa *isa, uint32_t inputs,
                               unsigned operations)
{
    struct target_profile profile = isa->profile;
    *s = (struct subject){.memory = arena_create(0)};
    if (!s->memory || setjmp(*arena_escape(s->memory))) fail();
    s->program = lane_create(s->memory, &profile);
    const lane_value x = lane_load(s->program, LANE_F32, 0);
    lane_value y = x;
    for (unsigned i = 0; i < operations; i++)
        y = i + 1 == operations && inputs > 1
                ? lane_add(s->program, y, lane_load(s->program, LANE_F32, 1))
                : lane_fma(s->program, y, x, lane_f32(s->program, 1 / (3.0f + (float)i)));
    lane_store(s->program, y, inputs);
    describe(s, isa, inputs, 1);
}

/* Returns the assembly of the kernel. Large calls store past the caches. */
static struct backend_buffer streaming_assembly(const struct subject *s)
{
    struct backend_buffer text;
    const struct backend_options options = {.streaming_bytes = 1 << 20};
    assert_int_equal(backend_emit(&s->function, 1, &options, BACKEND_ASSEMBLY, &text, NULL), 0);
    return text;
}

/* Counts the lines that access memory, from the last label before `place` to the next jump. */
static unsigned count_accesses(const char *text, const char *place)
{
    unsigned count = 0;
    const char *line = place, *end;
    while (line > text && !(line[-1] == '\n' && *line == '.')) line--;
    for (; (end = strchr(line, '\n')) && !(line > place && strstr(line, "\tj") == line); line = end + 1)
        count += memchr(line, '(', (size_t)(end - line)) != NULL;
    return count;
}

/* Next to streaming stores, a constant in memory costs as much as an element of the stream. */
static void test_streaming_reads_no_constants(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (!isa->streaming || !isa->memory_operands || !isa->profile.fma) continue;
        struct subject s;
        prepare_polynomial(&s, isa, 1, 10);
        s.function.loop = (struct loop_choice){1, 1, CONSTANTS_IN_MEMORY};
        struct backend_buffer text = streaming_assembly(&s);
        const char *store = strstr(text.data, "movntps");
        assert_non_null(strstr(text.data, "constants"));
        assert_non_null(store);
        /* A vector is loaded and stored. Some core of AVX-512 wants another one to be prefetched. */
        assert_int_equal(count_accesses(text.data, store),
                         2 + !strcmp(target_isa_extended(isa)->name, "avx512"));
        backend_buffer_free(&text);
        dispose(&s);
        seen++;
    }
    assert_true(seen > 1);
}

/* The more bytes an element moves, the more operations memory hides. With AVX-512 some core hides twice as
 * many. */
static void test_streaming_follows_bytes(void **state)
{
    static const struct {
        const char *isa;
        uint32_t inputs;
        unsigned operations;
        bool streams;
    } rows[] = {{"avx2", 1, 32, true},   {"avx2", 1, 33, false},  {"avx2", 2, 48, true},
                {"avx2", 2, 49, false},  {"avx512", 1, 64, true}, {"avx512", 1, 65, false},
                {"avx512", 2, 96, true}, {"avx512", 2, 97, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subject s;
        prepare_polynomial(&s, target_isa_find(rows[i].isa), rows[i].inputs, rows[i].operations);
        struct backend_buffer text = streaming_assembly(&s);
        assert_int_equal(strstr(text.data, "movntps") != NULL, rows[i].streams);
        backend_buffer_free(&text);
        dispose(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streaming_instructions),
        cmocka_unit_test(test_streaming_reads_no_constants),
        cmocka_unit_test(test_streaming_follows_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
