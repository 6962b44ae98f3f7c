/* Tests that the state of the host's threads changes nothing. The states are every rounding mode, with and
 * without flush-to-zero and denormals-are-zero, and locales with other decimal points and other letters.
 * The library makes the same plans, objects, texts and figures, and leaves the thread's state as it was.
 * The test plans each formula under a quarter of the states and in one of the locales. ACTGEN_TEST_ALL in
 * the environment makes it use all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "float_state.h"
#include "folder.h"
#include "part.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Formulas whose plans would be different or wrong if numbers were rounded differently, or
 * subnormals were zero. */
static const struct formula {
    const char *text, *type, *accuracy;
} formulas[] = {
    {"tanh(x)*1.5", "bf16", NULL},
    {"sin(x)", "bf16", NULL},
    {"erf(x)+1", "bf16", NULL},
    {"tanh(x)*0.75", "f16", NULL},
    {"erf(x)+1", "f16", "2 ulp"},
    {"x*x+1.5", "f32", NULL},
    {"sqrt(x)*3", "f16", NULL},
    {"tanh(x)*1.5", "f32", "abs 1e-4"},
    {"exp(-x*x)", "f32", NULL},
    {"x*sigmoid(1.7*x)", "f32", "2.5 ulp"},
    {"log(1+x^2)", "f32", "1 ulp on [-4.5, 4.5]"},
    {"tanh(x)*0.5", "f64", NULL},
    {"exp(1/x) + sin(x)", "f32", "1 ulp"}, /* The planner refuses this formula. */
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* -- all that the library says and computes of a formula, as text -- */

struct record {
    char text[1 << 18];
    size_t length;
    bool overflowed;
};

static void add(struct record *r, const void *data, size_t size)
{
    if (size >= sizeof r->text - r->length) {
        r->overflowed = true;
        return;
    }
    memcpy(r->text + r->length, data, size);
    r->length += size;
    r->text[r->length] = 0;
}

static void add_line(struct record *r, const char *text)
{
    add(r, text, strlen(text));
    add(r, "\n", 1);
}

static void add_bytes(struct record *r, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char *const digits = "0123456789abcdef";
        const unsigned byte = ((const unsigned char *)data)[i];
        add(r, (char[]){digits[byte >> 4], digits[byte & 15]}, 2);
    }
    add(r, "\n", 1);
}

/* The state that each callback of the library must find, and whether one did not. */
static struct thread_floats expected;
static bool called_otherwise;

static void check_callback(void)
{
    if (!thread_floats_equal(thread_floats(), expected)) called_otherwise = true;
}

static int add_written(void *payload, const void *data, size_t size)
{
    check_callback();
    add(payload, data, size);
    return 0;
}

static int see_progress(void *payload, double done, double max_ulp)
{
    (void)payload, (void)done, (void)max_ulp;
    check_callback();
    return 0;
}

static int see_builtin(void *payload, const actgen_builtin *builtin)
{
    (void)builtin;
    check_callback();
    return ++*(int *)payload == 3;
}

struct task {
    void (*run)(void *context, size_t i);
    void *context;
    size_t count;
};

/* Runs tasks on a thread of the host's with a state of its own. */
static void *run_tasks(void *context)
{
    const struct task *t = context;
    const struct thread_floats own = {FE_DOWNWARD, true, true};
    thread_floats_set(own);
    for (size_t i = 0; i < t->count; i++) t->run(t->context, i);
    return thread_floats_equal(thread_floats(), own) ? context : NULL;
}

static void on_another_thread(void *payload, size_t count, void (*run)(void *, size_t), void *context)
{
    struct task t = {run, context, count};
    pthread_t thread;
    void *result;
    (void)payload;
    check_callback();
    assert_int_equal(pthread_create(&thread, NULL, run_tasks, &t), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
}

static void add_results(struct record *r, const actgen_kernel *k)
{
    enum { COUNT = 24 };
    static const double inputs[] = {0.1, 1e-40, -2.5, 3e-310, 1e30, 88.9};
    double values[COUNT] = {0}, results[COUNT];
    actgen_error error = {0};
    const actgen_operand operands[] = {{values, 0}, {results, 0}};
    memset(results, 0, sizeof results);
    for (int i = 0; i < COUNT; i++) ((unsigned short *)values)[i] = (unsigned short)(i * 2749 + 1);
    assert_int_equal(actgen_interpret(k, 1, COUNT / 4, operands, 2, &error), 0);
    add_bytes(r, results, sizeof results);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        double value;
        assert_int_equal(actgen_reference(k, 0, &inputs[i], &value, &error), 0);
        add_bytes(r, &value, sizeof value);
    }
}

static void add_verification(struct record *r, const actgen_kernel *k)
{
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report;
    actgen_error error = {0};
    options.progress = see_progress;
    options.parallel = on_another_thread;
    options.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    memset(&report, 0, sizeof report); /* The comparison includes the padding. */
    report.size = sizeof report;
    assert_int_equal(actgen_verify(k, &options, &report, &error), 0);
    add_bytes(r, &report, sizeof report);
}

static void add_kernel(struct record *r, const actgen_kernel *k, bool verify)
{
    static const int stages[] = {ACTGEN_STAGE_SPEC, ACTGEN_STAGE_EXPR, ACTGEN_STAGE_LANE, ACTGEN_STAGE_C,
                                 ACTGEN_STAGE_LIBM};
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_error error = {0};
    add_line(r, actgen_kernel_plan(k));
    add_line(r, actgen_kernel_accuracy(k));
    add_line(r, actgen_kernel_object_hash(k));
    actgen_kernel_certificate(k, &c);
    add_bytes(r, &c.max_ulp, sizeof c.max_ulp);
    add_bytes(r, &c.max_abs_at_bits, sizeof c.max_abs_at_bits);
    assert_int_equal(actgen_emit(&k, 1, ACTGEN_EMIT_HEADER, "iI.h", add_written, r, &error), 0);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        assert_int_equal(actgen_show(k, stages[i], add_written, r, &error), 0);
    add_results(r, k);
    if (verify) add_verification(r, k);
}

static void record_formula(struct record *r, const struct formula *f, const char *cache, bool verify)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_engine *engine;
    actgen_spec *spec;
    actgen_kernel *kernel;
    actgen_error error = {0};
    with.cache_directory = cache;
    options.accuracy = f->accuracy;
    *r = (struct record){0};
    assert_int_equal(actgen_engine_create_with(&engine, &with, &error), 0);
    assert_int_equal(actgen_spec_expression_typed(&spec, f->text, f->type, &error), 0);
    if (actgen_compile(&kernel, engine, spec, NULL, &options, &error)) {
        add_line(r, error.message);
    } else {
        add_kernel(r, kernel, verify);
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
    actgen_engine_free(engine);
    assert_false(r->overflowed);
}

static struct record usual[FORMULAS], now;
static struct record usual_verified;

static int record_usual(void **state)
{
    for (size_t i = 0; i < FORMULAS; i++) record_formula(&usual[i], &formulas[i], "", false);
    expected = thread_floats();
    record_formula(&usual_verified, &formulas[0], "", true);
    return make_folder(state);
}

static void assert_as_usual(const struct formula *f, const struct record *was, const char *under)
{
    if (!strcmp(now.text, was->text)) return;
    size_t same = 0;
    while (now.text[same] == was->text[same]) same++;
    while (same && now.text[same - 1] != '\n') same--;
    fail_msg("%s, %s, under %s: `%.*s` is usually `%.*s`", f->text, f->type, under,
             (int)strcspn(now.text + same, "\n"), now.text + same, (int)strcspn(was->text + same, "\n"),
             was->text + same);
}

static void try_state(struct thread_floats state, unsigned number)
{
    const bool all = takes_all();
    const char *const name = thread_floats_name(state);
    expected = state;
    for (unsigned i = 0; i < FORMULAS; i++) {
        if (!all && (i + number) % 4) continue;
        thread_floats_set(state);
        record_formula(&now, &formulas[i], "", false);
        const bool kept = thread_floats_equal(thread_floats(), state);
        thread_floats_set(thread_floats_usual);
        if (!kept)
            fail_msg("%s, %s: the state %s was not left as it was", formulas[i].text, formulas[i].type, name);
        assert_as_usual(&formulas[i], &usual[i], name);
    }
}

static void same_in_every_float_state(void **unused)
{
    static const int roundings[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
    (void)unused;
    for (unsigned n = 0, tried = 0; n < 16; n++) {
        const struct thread_floats floats = {roundings[n % 4], n & 4, n & 8};
        if (thread_floats_differ(floats)) try_state(floats, tried++);
    }
}

static void same_verification(void **unused)
{
    const struct thread_floats state = {FE_UPWARD, true, true};
    int builtins = 0;
    (void)unused;
    expected = state;
    thread_floats_set(state);
    record_formula(&now, &formulas[0], "", true);
    actgen_builtins(see_builtin, &builtins, NULL);
    const bool kept = thread_floats_equal(thread_floats(), state);
    thread_floats_set(thread_floats_usual);
    assert_true(kept);
    assert_false(called_otherwise);
    assert_as_usual(&formulas[0], &usual_verified, "verification");
}

/* Checks exceptions that the host has raised or traps. They are the same after the call as before. */
static void same_exceptions(void **unused)
{
    (void)unused;
    expected = thread_floats();
    feclearexcept(FE_ALL_EXCEPT);
    feraiseexcept(FE_UNDERFLOW); /* Some processors raise it with an operation that is also inexact. */
    const int before = fetestexcept(FE_ALL_EXCEPT);
    const int wanted = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;
    const int can_trap = feenableexcept(wanted) == 0; /* Few arm64 processors can trap. */
    record_formula(&now, &formulas[0], "", true);
    const int raised = fetestexcept(FE_ALL_EXCEPT), trapped = fegetexcept();
    fedisableexcept(FE_ALL_EXCEPT);
    assert_true(before & FE_UNDERFLOW);
    assert_int_equal(raised, before);
    assert_int_equal(trapped, can_trap ? wanted : 0);
    assert_as_usual(&formulas[0], &usual_verified, "traps");
}

/* Checks that a process that rounds toward zero leaves the same files in the disk cache as a usual one. */
static void same_cache(void **unused)
{
    char here[96], there[96], command[512];
    (void)unused;
    snprintf(here, sizeof here, "%s/usual", folder);
    snprintf(there, sizeof there, "%s/strange", folder);
    for (unsigned i = 0; i < FORMULAS; i += 4) {
        expected = thread_floats_usual;
        record_formula(&now, &formulas[i], here, false);
        expected = (struct thread_floats){FE_TOWARDZERO, true, true};
        thread_floats_set(expected);
        record_formula(&now, &formulas[i], there, false);
        thread_floats_set(thread_floats_usual);
    }
    snprintf(command, sizeof command, "test $(ls %s | wc -l) -ge 6 && diff -r %s %s >&2", here, here, there);
    assert_int_equal(system(command), 0);
}

/* -- locales -- */

/* Makes a locale if the system can make it, whether or not the system has it already. */
static bool make_locale(const char *name)
{
    char command[512];
    snprintf(command, sizeof command,
             "mkdir -p %s/locales && localedef -i %s -f UTF-8 %s/locales/%s.UTF-8 2>/dev/null", folder, name,
             folder, name);
    return system(command) == 0;
}

static void try_locale(const char *name, unsigned number)
{
    const bool all = takes_all();
    char full[32];
    if (!make_locale(name)) {
        print_message("LEFT OUT: localedef does not know %s (Debian: the package locales)\n", name);
        return;
    }
    snprintf(full, sizeof full, "%s.UTF-8", name);
    assert_non_null(setlocale(LC_ALL, full));
    expected = thread_floats_usual;
    for (unsigned i = 0; i < FORMULAS; i++) {
        if (!all && i % 2 != number) continue;
        record_formula(&now, &formulas[i], "", false);
        char point[8];
        snprintf(point, sizeof point, "%.1f", 0.5);
        assert_string_equal(point, "0,5");
        assert_as_usual(&formulas[i], &usual[i], name);
    }
    setlocale(LC_ALL, "C");
}

static void same_in_every_locale(void **unused)
{
    char path[96];
    (void)unused;
    snprintf(path, sizeof path, "%s/locales", folder);
    setenv("LOCPATH", path, 1);
    try_locale("de_DE", 0);
    try_locale("tr_TR", 1);
    unsetenv("LOCPATH");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_in_every_float_state), cmocka_unit_test(same_verification),
        cmocka_unit_test(same_exceptions),           cmocka_unit_test(same_cache),
        cmocka_unit_test(same_in_every_locale),
    };
    return cmocka_run_group_tests_name("thread_state", tests, record_usual, remove_folder);
}
