/* Tests of what a host needs when strangers write the specs: limits of time and of memory, and progress in
 * every phase. Making the code of large programs takes a bounded time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_watch.h"
#include "backend.h"
#include "engine.h"
#include "isas.h"
#include "kernel.h"
#include "progress.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A kernel that takes minutes to plan, because the planner sweeps over all inputs for it. */
static const char endless[] =
    "kernel k(x: f32) -> (y: f32) { accuracy 0.5 ulp\ny = sin(3*x + 1)*exp(x/7) + tanh(x) }";
/* A kernel that takes megabytes to plan, and less than a second. */
static const char modest[] = "kernel k(x: f32) -> (y: f32) { y = tanh(1.0625*x) }";

static int compile_within(const char *text, double seconds, uint64_t bytes)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    options.time_limit = seconds;
    options.memory_limit = bytes;
    options.tier = ACTGEN_TIER_INTERPRETER;
    memset(&error, 0, sizeof error);
    const int status = actgen_compile_text(&kernel, engine, NULL, text, strlen(text), NULL, &options, &error);
    actgen_kernel_free(kernel);
    return status;
}

static void a_limit_of_time_ends_planning(void **state)
{
    (void)state;
    assert_refused(compile_within(endless, 0.05, 0), ACTGEN_ELIMIT, "within 0.05 s");
    assert_non_null(strstr(error.message, "options.time_limit"));
    const double wrong[] = {-1, (double)NAN, (double)INFINITY, 1e10};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(compile_within(modest, wrong[i], 0), ACTGEN_EINVAL, "time_limit");
}

/* Checks that the library keeps nothing that a limit ended. Without the limit it makes the same kernel. */
static void a_limit_of_memory_ends_planning(void **state)
{
    (void)state;
    assert_refused(compile_within(modest, 0, 100000), ACTGEN_ELIMIT, "options.memory_limit");
    assert_int_equal(compile_within(modest, 1e9, 100000000), ACTGEN_OK);
}

/* Checks that a kernel gives back what its planning took, so that a process can keep thousands of them. */
static void a_kernel_keeps_little_memory(void **state)
{
    (void)state;
    actgen_kernel *k = NULL;
    static const char unknown[] = "kernel k(x: f32) -> (y: f32) { y = tanh(1.1875*x) }"; /* in no cache */
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.tier = ACTGEN_TIER_INTERPRETER;
    const int status =
        actgen_compile_text(&k, engine, NULL, unknown, strlen(unknown), NULL, &options, &error);
    assert_int_equal(status, ACTGEN_OK);
    arena *rest = arena_create_within(k->memory);
    assert_non_null(rest);
    assert_in_range(arena_limit(k->memory) - arena_limit(rest), 1, 300000);
    arena_free(rest);
    actgen_kernel_free(k);
}

static void work_that_would_end_too_late_is_not_begun(void **state)
{
    (void)state;
    struct progress p = {.deadline = progress_clock() + 1000000};
    assert_true(progress_goes_on(&p) && progress_has_time(&p, 10));
    assert_false(progress_has_time(&p, 1001));
    assert_true(atomic_load(&p.is_late));
    assert_false(progress_goes_on(&p)); /* The answer stays the same. */
    struct progress over = {.deadline = progress_clock() - 1};
    assert_false(progress_goes_on(&over));
}

struct call { /* A call on a thread of its own. */
    const char *text;
    int status;
};

static void *compile_there(void *call)
{
    struct call *c = call;
    c->status = compile_within(c->text, 0, 0);
    return NULL;
}

static int compile_on_stack(const char *text, size_t bytes)
{
    struct call call = {text, -1};
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, bytes), 0);
    assert_int_equal(pthread_create(&thread, &attributes, compile_there, &call), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    return call.status;
}

/* Compiles a formula with as many levels as the language allows on small stacks. The parser descends
 * into all levels. */
static void threads_of_small_stacks_are_refused(void **state)
{
    (void)state;
    static const size_t small[] = {64 << 10, 128 << 10, 192 << 10};
    char text[4096] = "kernel k(x: f32) -> (y: f32) { y = ";
    for (int i = 0; i < 190; i++) strcat(text, "abs(1 + ");
    strcat(text, "x");
    for (int i = 0; i < 190; i++) strcat(text, ")");
    strcat(text, " }");
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        assert_refused(compile_on_stack(text, small[i]), ACTGEN_ENOMEM, "KiB of stack");
    if (has_usual_frames()) assert_int_equal(compile_on_stack(text, 256 << 10), ACTGEN_OK);
}

struct phases { /* The phases of which progress was reported. */
    const char *wanted;
    bool stops, is_heard;
};

/* Waits longer than the time between two calls, so that the library also reports the next phase, however
 * short that phase is. */
static int hear(void *payload, double done, const char *what)
{
    static const struct timespec pause = {0, 30000000};
    struct phases *p = payload;
    (void)done;
    const bool is_it = !strcmp(what, p->wanted);
    p->is_heard = p->is_heard || is_it;
    if (!is_it) nanosleep(&pause, NULL);
    return is_it && p->stops;
}

/* Uses a built-in plan, so that the library does nothing before it makes code. */
static void making_code_is_heard_and_can_be_stopped(void **state)
{
    (void)state;
    for (int stops = 0; stops < 2; stops++) {
        struct phases phases = {.wanted = "making code", .stops = stops};
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        options.progress = hear;
        options.progress_payload = &phases;
        const int status =
            actgen_compile_builtin(&kernel, engine, stops ? "gelu" : "silu", NULL, &options, &error);
        assert_true(phases.is_heard);
        assert_int_equal(status, stops ? ACTGEN_ESTOPPED : ACTGEN_OK);
        actgen_kernel_free(kernel);
    }
}

static bool stops(void *asked) { return ++*(int *)asked < 3; }

static void who_allocates_can_be_stopped(void **state)
{
    (void)state;
    int asked = 0;
    volatile int allocated = 0;
    arena *const a = arena_create(0);
    assert_non_null(a);
    if (!setjmp(*arena_escape(a))) {
        arena_watch(a, stops, &asked);
        for (; allocated < 100000; allocated++) arena_alloc(a, 1);
    }
    assert_true(arena_is_stopped(a) && !arena_is_exhausted(a));
    assert_true(asked == 3 && allocated < 1000);
    arena_free(a);
}

/* Checks that a part's arena shares the host's limit. When the part runs out of memory, the host's work
 * ends for the same reason. */
static void parts_share_the_limit_and_who_is_asked(void **state)
{
    (void)state;
    for (volatile int is_watched = 0; is_watched < 2; is_watched++) {
        enum { LIMIT = 1 << 20 };
        int asked = 0;
        volatile bool is_passed_on = false;
        volatile size_t taken = LIMIT / 2;
        arena *const host = arena_create(LIMIT);
        arena *volatile part = NULL;
        assert_non_null(host);
        if (!setjmp(*arena_escape(host))) {
            if (is_watched) arena_watch(host, stops, &asked);
            arena_alloc(host, LIMIT / 2);
            part = arena_create_within(host);
            assert_non_null(part);
            if (setjmp(*arena_escape(part))) {
                is_passed_on = true;
                arena_escape_to(host, part);
            }
            for (; taken < 2 * LIMIT; taken += 1024) arena_alloc(part, 1024);
        }
        assert_true(is_passed_on && taken <= LIMIT);
        assert_true(arena_is_stopped(host) == is_watched && arena_is_exhausted(host) == !is_watched);
        assert_int_equal(asked, is_watched ? 3 : 0);
        arena_free(part);
        arena_free(host);
    }
}

/* Adds terms to a kernel's formula, each with a number of its own between two texts, and ends the kernel. */
static void add_terms(char *text, size_t size, const char *before, const char *after)
{
    size_t length = strlen(text);
    for (int i = 1; i < 2000; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%d%s", before, i, after);
    snprintf(text + length, size - length, " }");
}

/* Compiles the text, and stops when progress reports the phase. */
static void stop_while(const char *text, const char *phase)
{
    struct phases phases = {.wanted = phase, .stops = true};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    options.progress = hear;
    options.progress_payload = &phases;
    assert_int_equal(actgen_compile_text(&kernel, engine, NULL, text, strlen(text), NULL, &options, &error),
                     ACTGEN_ESTOPPED);
    assert_true(phases.is_heard);
}

/* Reads a text with thousands of constants, each of which the reader looks at. */
static void reading_is_heard_and_can_be_stopped(void **state)
{
    (void)state;
    char text[65536] = "kernel k(x: f32) -> (y: f32) { y = x";
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    add_terms(text, sizeof text, " + x*sin(exp(", "))");
    stop_while(text, "reading");
    options.progress = NULL;
    options.memory_limit = 100000;
    assert_refused(actgen_compile_text(&kernel, engine, NULL, text, strlen(text), NULL, &options, &error),
                   ACTGEN_ELIMIT, "options.memory_limit");
}

/* Checks that a list moves when its number of elements is 0, 4, 8, 16, ..., and else stays where it is. */
static void a_list_moves_at_powers_of_two(void **state)
{
    (void)state;
    arena *const a = arena_create(0);
    assert_non_null(a);
    assert_false(setjmp(*arena_escape(a)));
    int *list = NULL;
    for (int count = 0; count < 1000; count++) {
        int *const more = arena_with_room(a, list, (size_t)count, sizeof *list);
        const bool is_full = count == 0 || (count >= 4 && !(count & (count - 1)));
        assert_true((more != list) == is_full);
        list = more;
        for (int i = 0; i <= count; i++) assert_int_equal(list[i], i < count ? i + 1 : 0);
        list[count] = count + 1;
    }
    arena_free(a);
}

/* Checks that the next inner arena can use the memory that one inner arena gave back. */
static void an_inner_arena_takes_from_the_limit_and_gives_back(void **state)
{
    (void)state;
    arena *const a = arena_create(100000);
    volatile int rounds = 0;
    assert_non_null(a);
    if (!setjmp(*arena_escape(a))) {
        for (; rounds < 10; rounds++) {
            arena *inner = arena_create_inner(a);
            arena_alloc(inner, 60000);
            arena_free(inner);
        }
        arena_alloc(arena_create_inner(a), 60000); /* The outer arena releases this inner one. */
        arena_alloc(a, 60000);
        fail_msg("the limit does not count what inner arenas have");
    }
    assert_int_equal(rounds, 10);
    assert_true(arena_is_exhausted(a));
    arena_free(a);
}

/* Plans a hundred sums. Each is a piece of its own and judged on the sample. The search for each has
 * buffers of about a megabyte, which must be freed with the search. */
static void the_buffers_of_a_search_go_with_it(void **state)
{
    (void)state;
    char text[16384] = "kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = 0";
    size_t length = strlen(text);
    for (int i = 1; i < 100; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, " + (a*b + %d)*c", i);
    strcpy(text + length, " }");
    assert_int_equal(compile_within(text, 0, 100000000), ACTGEN_OK);
}

/* Simplifies thousands of terms, which takes long before the planner looks for a plan. */
static void simplifying_is_heard_and_can_be_stopped(void **state)
{
    (void)state;
    char text[65536] = "kernel k(x: f32, a: f32) -> (y: f32) { y = 0";
    add_terms(text, sizeof text, " + ", ".25*a*x");
    stop_while(text, "simplifying");
}

/* Emits y = x + x*x + x*x + ..., with that number of operations. */
static bool emit_sum(struct backend_buffer *out, arena *memory, uint32_t operations, bool quick)
{
    const struct target_isa *isa = target_isa_find("x86-64");
    struct kernel_operand operands[] = {
        {.name = "x", .type = ELEMENT_F32, .parts = 1},
        {.name = "y", .type = ELEMENT_F32, .is_result = true, .parts = 1, .group = 1}};
    lane_program *p = lane_create(memory, &isa->profile);
    const lane_value x = lane_load(p, LANE_F32, 0);
    lane_value y = x;
    for (uint32_t i = 0; i < operations; i++) y = lane_binary(p, i % 2 ? LANE_ADD : LANE_MUL, y, x);
    lane_store(p, y, 1);
    const struct lane_kernel kernel = lane_kernel_make("sum", operands, 2, p);
    const struct backend_function f = {.kernel = &kernel, .symbol = "sum", .isa = isa};
    const struct backend_options options = {.quick = quick};
    struct diag d = {0};
    const int status = backend_emit(&f, 1, &options, BACKEND_IR, out, &d);
    if (status) print_error("%s\n", d.message);
    return !status;
}

/* Checks the IR only, for which LLVM takes no time. */
static void large_programs_are_made_quickly(void **state)
{
    (void)state;
    static const struct {
        uint32_t operations;
        bool is_large;
    } rows[] = {{20, false}, {40000, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct backend_buffer best, quick;
        arena *memory = arena_create(0);
        assert_non_null(memory);
        if (setjmp(*arena_escape(memory))) fail_msg("no memory");
        assert_true(emit_sum(&best, memory, rows[i].operations, false));
        assert_true(emit_sum(&quick, memory, rows[i].operations, true));
        assert_int_equal(best.size == quick.size && !memcmp(best.data, quick.data, best.size),
                         rows[i].is_large);
        backend_buffer_free(&best);
        backend_buffer_free(&quick);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_of_time_ends_planning),
        cmocka_unit_test(a_limit_of_memory_ends_planning),
        cmocka_unit_test(a_kernel_keeps_little_memory),
        cmocka_unit_test(threads_of_small_stacks_are_refused),
        cmocka_unit_test(work_that_would_end_too_late_is_not_begun),
        cmocka_unit_test(who_allocates_can_be_stopped),
        cmocka_unit_test(parts_share_the_limit_and_who_is_asked),
        cmocka_unit_test(a_list_moves_at_powers_of_two),
        cmocka_unit_test(an_inner_arena_takes_from_the_limit_and_gives_back),
        cmocka_unit_test(the_buffers_of_a_search_go_with_it),
        cmocka_unit_test(reading_is_heard_and_can_be_stopped),
        cmocka_unit_test(simplifying_is_heard_and_can_be_stopped),
        cmocka_unit_test(making_code_is_heard_and_can_be_stopped),
        cmocka_unit_test(large_programs_are_made_quickly),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
