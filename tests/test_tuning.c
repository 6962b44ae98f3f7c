/* Tests of planning by times, without real times: the stopwatch is the test's and decides who wins. The
 * winner gives the interpreter's bits and keeps the bound. Plan files come back unchanged, and faults in
 * them are reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtin.h"
#include "engine.h"
#include "folder.h"
#include "kernel.h"
#include "plan_file.h"
#include "plan_pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the stopwatch ---- */

enum { LAST = 1 << 20 }; /* More than any race has entrants. */
static size_t chosen, asked_to_time;

static arena *memory_for_text(void)
{
    arena *memory = arena_create(0);
    assert_non_null(memory);
    return memory;
}

static bool name_the_winner(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                            struct timing *times)
{
    (void)limits;
    asked_to_time++;
    const size_t winner = chosen == LAST ? count - 1 : chosen % count;
    for (size_t i = 0; i < count; i++)
        times[i].min = times[i].median = !calls[i].run ? 0 : i == winner ? 1 : 100;
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

static void open_in(const char *directory)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    options.cache_directory = directory;
    assert_int_equal(actgen_engine_create_with(&engine, &options, &error), 0);
    engine->time = name_the_winner;
    asked_to_time = 0;
}

static const char gate_text[] =
    "kernel gate(x: f32) -> (y: f32) { accuracy abs 2^-16\n y = x*sigmoid(1.25*x) }";
static const char half_text[] = "kernel half(x: bf16) -> (y: bf16) { y = x*tanh(0.625*x) }";
static const char pair_text[] =
    "kernel pair([a | b]: f32) -> (y: f32) { accuracy abs 2^-12\n y = tanh(a)*sigmoid(b) }";
static const char row_text[] =
    "kernel row(x: f32) -> (y: f32) { accuracy abs 2^-12\n y = sigmoid(x - amax(x)) }";
static const char added_text[] =
    "kernel added(x: f32) -> (s: f32[cols]) { accuracy abs 2^-12\n s = sum(tanh(x)) }";
static const char sum_text[] = "kernel sum(a: f32, b: f32[cols]) -> (y: f32) { y = a*b + 1 }";

static actgen_kernel *tuned_for(const char *text, const char *isa, size_t winner)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.plan = ACTGEN_PLAN_MEASURE_ANEW;
    chosen = winner;
    return compile_with(text, &options);
}

static actgen_kernel *with_plans(const char *text, const char *isa, const char *plans)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.plans = plans;
    return compile_with(text, &options);
}

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

static void assert_kept(const actgen_kernel *k)
{
    actgen_verify_options how = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    how.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    assert_int_equal(actgen_verify(k, &how, &report, &error), 0);
    if (!report.ok) fail_msg("%s: %g ulp, %g abs", actgen_kernel_name(k), report.max_ulp, report.max_abs);
}

/* Returns true if plans other than the estimate's ran, not only its loops. */
static bool ran_another_plan(const actgen_kernel *k)
{
    actgen_timing first = ACTGEN_TIMING_INIT, t = ACTGEN_TIMING_INIT;
    assert_int_equal(actgen_kernel_timing(k, 0, &first), 0);
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
        assert_true(text == sum_text || ran_another_plan(k));
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
        check_winners(gate_text, isa, 1, 4, is_first ? 4 : 1);
        if (is_first) {
            check_winners(half_text, isa, 1, 2, 1);
            check_winners(pair_text, isa, 2, 4, 1);
            check_winners(sum_text, isa, 1, 4, 3);
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

static void all_levels_of_the_caches_count(void **state)
{
    (void)state;
    open_in("");
    engine->time = name_two_winners;
    actgen_kernel *k = tuned_for(gate_text, "host", 0);
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
    actgen_kernel *k = tuned_for(gate_text, "host", 0);
    assert_true(winner_of(k).is_estimate);
    actgen_kernel_free(k);
    actgen_engine_free(engine);
}

/* ---- what is kept ---- */

static void winners_are_found_again(void **state)
{
    (void)state;
    open_in(folder);
    actgen_kernel *first = tuned_for(gate_text, "host", 3);
    assert_true(asked_to_time);
    actgen_engine_free(engine);
    open_in(folder);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_timing none = ACTGEN_TIMING_INIT;
    options.plan = ACTGEN_PLAN_MEASURE;
    actgen_kernel *again = compile_with(gate_text, &options), *shared = compile_with(gate_text, &options);
    assert_int_equal(asked_to_time, 0);
    assert_ptr_equal(again, shared);
    assert_string_equal(actgen_kernel_object_hash(first), actgen_kernel_object_hash(again));
    assert_string_equal(actgen_kernel_chosen_by(first), actgen_kernel_chosen_by(again));
    assert_int_equal(actgen_kernel_timing(again, 0, &none), ACTGEN_EINVAL);
    actgen_kernel *estimated = compile_for(gate_text, "host");
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
        actgen_spec *spec = parse(sum_text);
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

/* ---- plan files ---- */

static int add_bytes(void *payload, const void *data, size_t size)
{
    text_bytes(payload, data, size);
    return 0;
}

static char *plans_of(arena *memory, const actgen_kernel *const *kernels, size_t count)
{
    struct text t = text_new(memory);
    assert_int_equal(actgen_emit(kernels, count, ACTGEN_EMIT_PLANS, NULL, add_bytes, &t, &error), 0);
    return t.data;
}

static void plan_files_come_back(void **state)
{
    (void)state;
    arena *memory = memory_for_text();
    open_in("");
    actgen_kernel *gate = tuned_for(gate_text, "host", 4), *half = tuned_for(half_text, "x86-64", 2),
                  *pair = tuned_for(pair_text, "host", 5);
    const actgen_kernel *const all[] = {gate, half, pair, gate};
    const char *plans = plans_of(memory, all, 4);
    actgen_engine_free(engine);
    open_in(folder);
    for (int run = 0; run < 2; run++) { /* The second run finds the first one's judgement. */
        actgen_kernel *gate2 = with_plans(gate_text, "host", plans),
                      *half2 = with_plans(half_text, "x86-64", plans),
                      *pair2 = with_plans(pair_text, "host", plans),
                      *other = with_plans(sum_text, "host", plans);
        assert_int_equal(asked_to_time, 0);
        assert_string_equal(actgen_kernel_object_hash(gate), actgen_kernel_object_hash(gate2));
        assert_string_equal(actgen_kernel_object_hash(half), actgen_kernel_object_hash(half2));
        assert_string_equal(actgen_kernel_object_hash(pair), actgen_kernel_object_hash(pair2));
        assert_string_equal(actgen_kernel_chosen_by(gate), actgen_kernel_chosen_by(gate2));
        assert_string_equal(actgen_kernel_chosen_by(other), actgen_kernel_core(other)); /* Not in it. */
        assert_true(run == 0 || actgen_kernel_plan_ms(gate2) == 0);
        const actgen_kernel *const back[] = {pair2, half2, gate2};
        assert_string_equal(plans, plans_of(memory, back, 3));
        actgen_kernel_free(gate2);
        actgen_kernel_free(half2);
        actgen_kernel_free(pair2);
        actgen_kernel_free(other);
        actgen_engine_free(engine);
        open_in(folder);
    }
    actgen_kernel *estimated = compile_for(gate_text, "host");
    const actgen_kernel *const none[] = {estimated};
    assert_refused(actgen_emit(none, 1, ACTGEN_EMIT_PLANS, NULL, drop, NULL, &error), ACTGEN_EINVAL,
                   "by times");
    actgen_kernel_free(estimated);
    actgen_kernel_free(gate);
    actgen_kernel_free(half);
    actgen_kernel_free(pair);
    actgen_engine_free(engine);
    arena_free(memory);
}

/* Returns the status of compiling `text` with that plan file. A kernel that comes out keeps its bound. */
static int status_of(const char *text, const char *plans)
{
    actgen_spec *spec = parse(text);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *k = NULL;
    options.plans = plans;
    const int status = actgen_compile(&k, engine, spec, NULL, &options, &error);
    if (!status) assert_kept(k);
    actgen_kernel_free(k);
    actgen_spec_free(spec);
    return status;
}

/* Makes the hash fit, as a stranger would. */
static void set_hash(char *plans)
{
    char *line = strstr(plans, "\nhash ") + 1, hash[HASH_TEXT_SIZE];
    hash_text(plans, (size_t)(line - plans), hash);
    memcpy(line + 5, hash, HASH_TEXT_SIZE - 1);
}

static void damaged_plan_files_are_refused(void **state)
{
    (void)state;
    arena *memory = memory_for_text();
    open_in("");
    actgen_kernel *gate = tuned_for(gate_text, "host", 4);
    const actgen_kernel *const all[] = {gate};
    char *plans = plans_of(memory, all, 1);
    const size_t length = strlen(plans);
    for (size_t i = 0; i < length; i++) { /* Every byte matters. */
        const char byte = plans[i];
        plans[i] = byte == 'x' ? 'y' : 'x';
        assert_int_equal(plan_file_check(plans, NULL), DIAG_INVALID);
        plans[i] = 0;
        assert_int_equal(plan_file_check(plans, NULL), DIAG_INVALID);
        plans[i] = byte;
    }
    assert_int_equal(plan_file_check(plans, NULL), DIAG_OK);
    assert_refused(status_of(gate_text, "rubbish"), ACTGEN_EINVAL, "no plan file");
    assert_refused(status_of(gate_text, ""), ACTGEN_EINVAL, "no plan file");
    assert_refused(status_of(gate_text, "actgen plans 2\nand more\n"), ACTGEN_EINVAL, "another version");
    assert_refused(status_of(gate_text, arena_text(memory, plans, length / 2)), ACTGEN_EINVAL,
                   "cut or damaged");
    const char *twice = "actgen plans 1\nprocessor x\n0123456789abcdef0123456789abcdef AAAA a\n"
                        "0123456789abcdef0123456789abcdef AAAA a\nhash x\n";
    assert_refused(status_of(gate_text, twice), ACTGEN_EINVAL, "line 4");
    /* Changed bytes with a hash that fits are refused, or give a plan that keeps the bound. */
    char *record = strchr(strchr(plans, '\n') + 1, '\n') + 1 + HASH_TEXT_SIZE;
    unsigned refused = 0, tried = 0;
    for (size_t i = 0, end = strcspn(record, " "); i < end; i += 1 + end / 30) {
        const char byte = record[i];
        record[i] = byte == 'A' ? 'g' : 'A';
        set_hash(plans);
        refused += status_of(gate_text, plans) != 0;
        record[i] = byte;
        tried++;
    }
    assert_true(tried > 20 && refused > tried / 2);
    set_hash(plans);
    assert_int_equal(status_of(gate_text, plans), 0);
    actgen_kernel_free(gate);
    actgen_engine_free(engine);
    arena_free(memory);
}

/* Makes a stranger's plan file: the kernel's own with another program, and errors within the bound. */
static char *lie(arena *memory, const actgen_kernel *k, const actgen_kernel *rougher)
{
    struct text record = text_new(memory), packed = text_new(memory), file = text_new(memory);
    struct plan plan = *rougher->lowered->pieces[0].plan;
    char hash[HASH_TEXT_SIZE];
    plan.measured.max_abs = plan.measured.max_ulp = 0;
    plan_pack(&packed, &plan);
    const unsigned numbers[] = {2, 2, CONSTANTS_IN_REGISTERS, 1};
    for (size_t i = 0; i < 4; i++) bytes_add_number(&record, numbers[i]);
    bytes_add_number(&record, packed.length);
    text_bytes(&record, packed.data, packed.length);
    text_add(&file, "actgen plans 1\nprocessor %s\n", k->tuning.processor);
    builtin_line(&file, k->tuning.key, &record, "a lie");
    hash_text(file.data, file.length, hash);
    text_add(&file, "hash %s\n", hash);
    return file.data;
}

static void plans_are_not_believed(void **state)
{
    (void)state;
    static const char rough_text[] =
        "kernel gate(x: f32) -> (y: f32) { accuracy abs 2^-8\n y = x*sigmoid(1.25*x) }";
    static const char exact_text[] =
        "kernel half(x: bf16) -> (y: bf16) { accuracy abs 2^-8\n y = x*tanh(0.625*x) }";
    arena *memory = memory_for_text();
    open_in(folder);
    actgen_kernel *gate = tuned_for(gate_text, "host", 0), *rough = compile_for(rough_text, "host");
    actgen_kernel *half = tuned_for(half_text, "host", 0), *loose = compile_for(exact_text, "host");
    for (int run = 0; run < 2; run++) { /* The refusal is not kept as a judgement. */
        assert_refused(status_of(gate_text, lie(memory, gate, rough)), ACTGEN_EINVAL,
                       "does not keep the bound");
        assert_refused(status_of(half_text, lie(memory, half, loose)), ACTGEN_EINVAL, "line 3");
    }
    assert_int_equal(status_of(gate_text, lie(memory, gate, gate)), 0); /* The lie is in the program. */
    actgen_kernel_free(gate);
    actgen_kernel_free(rough);
    actgen_kernel_free(half);
    actgen_kernel_free(loose);
    actgen_engine_free(engine);
    arena_free(memory);
}

/* ---- loops without times ---- */

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
        snprintf(text, sizeof text, "kernel k(x: f32, s: f32[]) -> (y: %s) { y = gelu(x)*s }", types[i]);
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

/* ---- what cannot be ---- */

static void what_this_machine_is_not_is_refused(void **state)
{
    (void)state;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_core core = ACTGEN_CORE_INIT;
    actgen_spec *spec = parse(sum_text);
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
        cmocka_unit_test_setup_teardown(plan_files_come_back, make_folder, remove_folder),
        cmocka_unit_test(damaged_plan_files_are_refused),
        cmocka_unit_test_setup_teardown(plans_are_not_believed, make_folder, remove_folder),
        cmocka_unit_test(loops_follow_the_processor),
        cmocka_unit_test(narrowing_loops_are_pipelined),
        cmocka_unit_test(what_this_machine_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
