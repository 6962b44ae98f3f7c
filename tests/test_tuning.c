/* Tests of planning by times, without real times: the stopwatch is the test's and decides who wins. The
 * winner gives the interpreter's bits and keeps the bound. Plan files come back unchanged, and faults in
 * them are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "folder.h"
#include "tuned.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char row_text[] =
    "kernel row(x: f32) -> (y: f32) { accuracy abs 2^-12\n y = sigmoid(x - amax(x)) }";
static const char added_text[] =
    "kernel added(x: f32) -> (s: f32[cols]) { accuracy abs 2^-12\n s = sum(tanh(x)) }";

/* ---- who wins ---- */

/* Compares bits for all lengths of a row, of f32 or bf16. */
static void assert_interpreters_bits(const actgen_kernel *k, size_t parts, size_t bytes)
{
    enum { MOST = 300 };
    static float inputs[2][2 * MOST];
    for (size_t i = 0; i < 2 * MOST; i++) {
        const float x = (float)(i % 61) * 0.3f - 9;
        inputs[0][i] = inputs[1][i] = x;
        if (bytes == 2) ((uint16_t *)(void *)inputs[0])[i] = (uint16_t)(0x3c00 + 37 * i);
    }
    for (size_t cols = 1; cols <= MOST / parts; cols += 1 + cols / 5) {
        float code[MOST] = {0}, interpreted[MOST] = {0};
        const size_t count = actgen_kernel_group_count(k);
        const actgen_operand first = {inputs[0], 0}, second = {inputs[1], 0};
        const actgen_operand a[] = {first, count > 2 ? second : (actgen_operand){code, 0}, {code, 0}};
        const actgen_operand b[] = {
            first, count > 2 ? second : (actgen_operand){interpreted, 0}, {interpreted, 0}};
        assert_int_equal(actgen_run(k, 1, cols, a, count, &error), 0);
        assert_int_equal(actgen_interpret(k, 1, cols, b, count, &error), 0);
        assert_memory_equal(code, interpreted, cols * bytes);
    }
}

/* Returns the row of the last race's winner. */
static actgen_timing winner_of(const actgen_kernel *k)
{
    actgen_timing t = ACTGEN_TIMING_INIT, winner = ACTGEN_TIMING_INIT;
    for (size_t i = 0; !actgen_kernel_timing(k, i, &t); i++)
        if (t.is_chosen) winner = t;
    assert_true(winner.is_chosen);
    return winner;
}

/* Returns true if plans other than the estimate's ran, not only its loops. */
static bool ran_another_plan(const actgen_kernel *k)
{
    actgen_timing first = ACTGEN_TIMING_INIT, t = ACTGEN_TIMING_INIT;
    assert_int_equal(actgen_kernel_timing(k, 0, &first), 0);
    assert_int_equal(actgen_kernel_timing(k, 0, NULL), ACTGEN_EINVAL);
    assert_int_equal(actgen_kernel_timing(k, 0, &(actgen_timing){.size = 1}), ACTGEN_EINVAL);
    for (size_t i = 0; !actgen_kernel_timing(k, i, &t); i++)
        if (t.piece == first.piece && strcmp(t.description, first.description)) return true;
    return false;
}

/* Runs a race that the last entrant wins, or several, of which the estimate wins the first. */
static void check_winners(const char *text, const char *isa, size_t parts, size_t bytes, unsigned tries)
{
    size_t count = 1;
    char first[HASH_TEXT_SIZE] = "";
    bool is_always_first = true;
    for (unsigned i = 0; i < tries; i++) {
        const bool is_first = !i && tries > 1;
        const size_t winner = tries == 1 ? LAST : i ? count - 1 - (i - 1) * count / tries : 0;
        actgen_kernel *k = tuned_for(text, isa, winner);
        const actgen_timing t = winner_of(k);
        assert_string_equal(actgen_kernel_object_hash(k), t.object_hash);
        assert_string_equal(actgen_kernel_isa(k), actgen_isa_extends(isa) ? actgen_isa_extends(isa) : isa);
        if (is_first) assert_true(t.is_estimate);
        if (is_first) memcpy(first, t.object_hash, sizeof first);
        is_always_first = is_always_first && !strcmp(first, t.object_hash);
        if (tries == 1) assert_false(t.is_estimate);
        assert_interpreters_bits(k, parts, bytes);
        if (i + 1 == tries) assert_kept(k);
        for (count = 0; !actgen_kernel_timing(k, count, &(actgen_timing)ACTGEN_TIMING_INIT);) count++;
        assert_true(count >= 2);
        assert_true(!strcmp(text, SUM_TEXT) || ran_another_plan(k));
        actgen_kernel_free(k);
    }
    assert_false(is_always_first);
}

/* Checks winners. The first set has a function of each kind, because other sets repeat the same planning.
 * Only the first function has a win of the estimate, which is the same code for each. */
static void whoever_wins_gives_the_interpreters_bits(void **state)
{
    (void)state;
    open_in("");
    bool is_first = true;
    for (size_t n = 0; actgen_isa_name(n); n++) {
        const char *const isa = actgen_isa_name(n);
        if (!actgen_isa_runs_here(isa)) continue;
        check_winners(GATE_TEXT, isa, 1, 4, is_first ? 4 : 1);
        if (is_first) {
            check_winners(HALF_TEXT, isa, 1, 2, 1);
            check_winners(PAIR_TEXT, isa, 2, 4, 1);
            check_winners(SUM_TEXT, isa, 1, 4, 3);
            check_winners(row_text, isa, 1, 4, 1);
            check_winners(added_text, isa, 1, 4, 1);
        }
        is_first = false;
    }
    actgen_engine_free(engine);
}

/* Returns times that differ only by noise, so that the estimate stays. */
static bool all_alike(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                      struct timing *times)
{
    (void)limits;
    for (size_t i = 0; i < count; i++) times[i].min = calls[i].run ? 100 - (double)(i % 2) : 0;
    return true;
}

/* Entrant 1 wins in the nearest cache, which is timed first and second. Entrant 2 wins in the two others. */
static bool name_two_winners(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                             struct timing *times)
{
    (void)limits;
    const bool is_nearest = ++asked_to_time <= 2;
    for (size_t i = 0; i < count; i++) {
        const double time = i == 1 ? (is_nearest ? 90 : 200) : i == 2 && !is_nearest ? 90 : 100;
        times[i].min = times[i].median = calls[i].run ? time : 0;
    }
    return true;
}

static void all_levels_of_the_caches_count(void **state)
{
    (void)state;
    open_in("");
    engine->time = name_two_winners;
    actgen_kernel *k = tuned_for(GATE_TEXT, "host", 0);
    assert_int_equal(asked_to_time, 4);
    for (size_t i = 0; i < k->timing_count; i++) assert_int_equal(k->timings[i].is_chosen, i == 2);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
}

static void noise_changes_nothing(void **state)
{
    (void)state;
    open_in("");
    engine->time = all_alike;
    actgen_kernel *k = tuned_for(GATE_TEXT, "host", 0);
    assert_true(winner_of(k).is_estimate);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
}

/* ---- what is kept ---- */

static void winners_are_found_again(void **state)
{
    (void)state;
    open_in(folder);
    actgen_kernel *first = tuned_for(GATE_TEXT, "host", 3);
    assert_true(asked_to_time);
    actgen_engine_free(engine);
    open_in(folder);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_timing none = ACTGEN_TIMING_INIT;
    options.plan = ACTGEN_PLAN_MEASURE;
    actgen_kernel *again = compile_with(GATE_TEXT, &options), *shared = compile_with(GATE_TEXT, &options);
    assert_int_equal(asked_to_time, 0);
    assert_ptr_equal(again, shared);
    assert_string_equal(actgen_kernel_object_hash(first), actgen_kernel_object_hash(again));
    assert_string_equal(actgen_kernel_chosen_by(first), actgen_kernel_chosen_by(again));
    assert_int_equal(actgen_kernel_timing(again, 0, &none), ACTGEN_EINVAL);
    actgen_kernel *estimated = compile_for(GATE_TEXT, "host");
    assert_string_not_equal(actgen_kernel_object_hash(estimated), actgen_kernel_object_hash(again));
    actgen_kernel_free(estimated);
    actgen_kernel_free(first);
    actgen_kernel_free(again);
    actgen_kernel_free(shared);
    actgen_engine_free(engine);
}

struct stopper {
    unsigned calls, most;
};

static int stop(void *payload, double done, const char *what)
{
    struct stopper *s = payload;
    (void)done;
    return strstr(what, "loops") && ++s->calls > s->most;
}

static bool take_a_while(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                         struct timing *times)
{
    memset(times, 0, count * sizeof *times);
    for (unsigned i = 0; i < 1000000 && !limits->is_stopped(limits->stop_context); i++)
        calls[0].run(calls[0].context);
    return true;
}

static void measuring_can_be_stopped(void **state)
{
    (void)state;
    for (unsigned most = 0; most < 3; most++) { /* While loops are compiled, and while they are timed. */
        struct stopper stopper = {0, most == 2 ? 8 : most};
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_spec *spec = parse(SUM_TEXT);
        actgen_kernel *k;
        open_in("");
        if (most == 2) engine->time = take_a_while;
        options.plan = ACTGEN_PLAN_MEASURE;
        options.progress = stop;
        options.progress_payload = &stopper;
        if (most == 2)
            assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_ESTOPPED,
                           "stopped");
        else if (!actgen_compile(&k, engine, spec, NULL, &options, &error))
            actgen_kernel_free(k); /* The race was quick. */
        else
            assert_int_equal(error.status, ACTGEN_ESTOPPED);
        actgen_spec_free(spec);
        actgen_engine_free(engine);
    }
}

/* ---- what cannot be ---- */

static void what_this_machine_is_not_is_refused(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_core core = ACTGEN_CORE_INIT;
    actgen_spec *spec = parse(SUM_TEXT);
    actgen_kernel *k;
    open_in("");
    options.plan = 7;
    assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_EINVAL,
                   "options.plan is 7");
    options.plan = ACTGEN_PLAN_MEASURE;
    options.interpret = 1;
    assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_EINVAL, "interpreter");
    options.interpret = 0;
    unsigned cores = 0;
    for (size_t i = 0; !actgen_core_info(i, &core); i++) {
        if (!actgen_isa_runs_here(core.isa) || target_core_is_here(target_core_at(i))) continue;
        options.isa = core.isa;
        options.tune = core.name;
        assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_ETARGET, core.name);
        cores++;
    }
    options.tune = NULL;
    for (size_t i = 0; actgen_isa_name(i); i++) {
        options.isa = actgen_isa_name(i);
        if (actgen_isa_runs_here(options.isa)) continue;
        assert_refused(actgen_compile(&k, engine, spec, NULL, &options, &error), ACTGEN_ETARGET,
                       "cannot run");
        cores++;
    }
    assert_true(cores);
    actgen_spec_free(spec);
    actgen_engine_free(engine);
}

int main(int argc, char **argv)
{
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_wins_gives_the_interpreters_bits),
        cmocka_unit_test(noise_changes_nothing),
        cmocka_unit_test(all_levels_of_the_caches_count),
        cmocka_unit_test_setup_teardown(winners_are_found_again, make_folder, remove_folder),
        cmocka_unit_test(measuring_can_be_stopped),
        cmocka_unit_test(what_this_machine_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
