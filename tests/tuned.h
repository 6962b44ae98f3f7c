/* Compiles kernels whose races a test decides: a stopwatch that names the winner. */
#ifndef ACTGEN_TEST_TUNED_H
#define ACTGEN_TEST_TUNED_H

#include "engine.h"
#include "kernel.h"

/* Kernels that races are about. */
#define GATE_TEXT "kernel gate(x: f32) -> (y: f32) { accuracy abs 2^-16\n y = x*sigmoid(1.25*x) }"
#define HALF_TEXT "kernel half(x: bf16) -> (y: bf16) { y = x*tanh(0.625*x) }"
#define PAIR_TEXT "kernel pair([a | b]: f32) -> (y: f32) { accuracy abs 2^-12\n y = tanh(a)*sigmoid(b) }"
#define SUM_TEXT  "kernel sum(a: f32, b: f32[cols]) -> (y: f32) { y = a*b + 1 }"

enum { LAST = 1 << 20 };             /* More than any race has entrants. */
static size_t chosen, asked_to_time; /* The winner of the next race; the races that were timed. */

static inline arena *memory_for_text(void)
{
    arena *memory = arena_create(0);
    assert_non_null(memory);
    return memory;
}

static inline bool name_the_winner(const struct timed_call *calls, size_t count,
                                   const struct timing_limits *limits, struct timing *times)
{
    (void)limits;
    asked_to_time++;
    const size_t winner = chosen == LAST ? count - 1 : chosen % count;
    for (size_t i = 0; i < count; i++)
        times[i].min = times[i].median = !calls[i].run ? 0 : i == winner ? 1 : 100;
    return true;
}

static inline void open_in(const char *directory)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = directory;
    assert_int_equal(actgen_engine_create_with(&engine, &options, &error), 0);
    engine->time = name_the_winner;
    asked_to_time = 0;
}

static inline actgen_kernel *tuned_for(const char *text, const char *isa, size_t winner)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.plan = ACTGEN_PLAN_MEASURE_ANEW;
    chosen = winner;
    return compile_with(text, &options);
}

/* Verifies the kernel by a small sample. */
static inline void assert_kept(const actgen_kernel *k)
{
    actgen_verify_options how = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    how.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    assert_int_equal(actgen_verify(k, &how, &report, &error), 0);
    if (!report.ok) fail_msg("%s: %g ulp, %g abs", actgen_kernel_name(k), report.max_ulp, report.max_abs);
}

#endif
