/* Tests of planning in another process (actgen_options.program). That process makes the same kernels as
 * this one, and the library returns a status whatever happens to the program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "folder.h"
#include "part.h"
#include "skipping.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static actgen_engine *open_engine(const char *cache)
{
    actgen_engine_options with = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *engine;
    with.cache_directory = cache;
    assert_int_equal(actgen_engine_create_with(&engine, &with, NULL), 0);
    return engine;
}

/* Compiles the spec, and writes the object's hash into `hash` unless that is NULL. */
static int compile(const char *cache, const char *program, const actgen_spec *spec, const char *accuracy,
                   int32_t tier, char *hash, actgen_error *error)
{
    actgen_engine *const engine = open_engine(cache);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    options.accuracy = accuracy;
    options.program = program;
    options.tier = tier;
    const int status = actgen_compile(&kernel, engine, spec, NULL, &options, error);
    if (!status && hash) strcpy(hash, actgen_kernel_object_hash(kernel));
    actgen_kernel_free(kernel);
    actgen_engine_free(engine);
    return status;
}

static void makes_the_same(void **unused)
{
    static const struct {
        const char *text, *accuracy;
        int32_t tier;
    } cases[] = {
        {"kernel k(x: f32) -> (y: f32) { y = tanh(x)*1.25 }", "abs 1e-3", ACTGEN_TIER_BEST},
        {"kernel k(x: f32) -> (y: f32) { y = tanh(x)*1.25 }", "abs 1e-3", ACTGEN_TIER_QUICK},
        {"kernel k(x: f32) -> (y: f32) { y = tanh(x)*1.375 }", "abs 1e-3", ACTGEN_TIER_INTERPRETER},
        {"kernel gelu(x: f32) -> (y: f32) { y = gelu(x) }", NULL, ACTGEN_TIER_BEST},
        {"function f(x; a = 0.1) = if x > 0 then x else a*x\nkernel g([a | b]: bf16, s: f32[cols]) -> (y: "
         "bf16) {\n"
         "accuracy 2 ulp\nt = f(a + s)\ny = t*b }",
         NULL, ACTGEN_TIER_BEST},
    };
    char cache[96], here[64], there[64];
    (void)unused;
    snprintf(cache, sizeof cache, "%s/same", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        actgen_spec *spec;
        actgen_error error = {0};
        const char *const text = cases[i].text;
        if (actgen_spec_parse(&spec, NULL, text, strlen(text), &error)) fail_msg("%s", error.message);
        if (compile(cache, PROGRAM, spec, cases[i].accuracy, cases[i].tier, there, &error))
            fail_msg("%s: %s", text, error.message);
        assert_int_equal(compile("", NULL, spec, cases[i].accuracy, cases[i].tier, here, &error), 0);
        assert_string_equal(there, here);
        actgen_spec_free(spec);
    }
}

/* Makes a program that runs the shell on `script`, where "$@" are the arguments. Returns its path. */
static const char *program_of(const char *name, const char *script)
{
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static void expect(const char *program, const char *formula, int status, const char *message)
{
    actgen_spec *spec;
    actgen_error error = {0};
    char cache[96];
    snprintf(cache, sizeof cache, "%s/deaths", folder);
    assert_int_equal(actgen_spec_expression(&spec, formula, &error), 0);
    const int got = compile(cache, program, spec, "abs 1e-3", ACTGEN_TIER_BEST, NULL, &error);
    if (got != status || !strstr(error.message, message))
        fail_msg("%s: %s: `%s` is not %s: `%s`", program, actgen_status_name(got), error.message,
                 actgen_status_name(status), message);
    actgen_spec_free(spec);
}

static void tells_every_end(void **unused)
{
    static const char formula[] = "tanh(x)*1.125";
    (void)unused;
    expect(program_of("aborts", "kill -ABRT $$"), formula, ACTGEN_EBACKEND, "signal 6");
    expect(program_of("is_killed", "kill -KILL $$"), formula, ACTGEN_ENOMEM, "signal 9");
    expect(program_of("does_nothing", "exit 0"), formula, ACTGEN_EBACKEND, "no plan or code in the cache");
    expect(program_of("fails", "echo 'error: no such luck' >&2; exit 3"), formula, ACTGEN_EBACKEND,
           "no such luck");
    expect(program_of("fails", "echo 'error: no such memory' >&2; exit 70"), formula, ACTGEN_EBACKEND,
           "no such memory"); /* The code decides, not the words. */
    expect(program_of("starves", "echo 'error: no room' >&2; exit 6"), formula, ACTGEN_ENOMEM, "no room");
    expect("/bin/false", formula, ACTGEN_EBACKEND, "code 1: it said nothing");
    expect(program_of("refuses", "echo 'error: not within 3 ulp' >&2; exit 1"), formula, ACTGEN_EACCURACY,
           "not within 3 ulp");
    expect(program_of("is_limited", "echo 'error: too large' >&2; exit 5"), formula, ACTGEN_ELIMIT,
           "too large");
    expect("/nonexistent/actgen", formula, ACTGEN_EINVAL, "/nonexistent/actgen");
    expect(PROGRAM, formula, ACTGEN_OK, "");
    expect("/nonexistent/actgen", formula, ACTGEN_OK, ""); /* A kernel in the cache needs no program. */
}

static int stop(void *payload, double done, const char *what)
{
    (void)payload, (void)done, (void)what;
    return 1;
}

/* Checks that the library kills a program that would never end. */
static void ends_the_program(void **unused)
{
    static const struct {
        double seconds;
        int (*progress)(void *payload, double done, const char *what);
        int status;
    } rows[] = {{0.05, NULL, ACTGEN_ELIMIT}, {0, stop, ACTGEN_ESTOPPED}};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char cache[96];
        snprintf(cache, sizeof cache, "%s/stopped", folder);
        actgen_engine *const engine = open_engine(cache);
        actgen_options options = ACTGEN_OPTIONS_INIT;
        actgen_kernel *kernel;
        actgen_error error = {0};
        options.program = program_of("endless", "exec sleep 1000");
        options.time_limit = rows[i].seconds;
        options.progress = rows[i].progress;
        assert_int_equal(actgen_compile_expression(&kernel, engine, "tanh(x)*1.1875", NULL, &options, &error),
                         rows[i].status);
        actgen_engine_free(engine);
    }
}

/* Checks that the library also ends what the program started. A script without exec leaves a child
 * process. That child dies with the script, so nobody holds its end of the pipe. */
static void ends_what_the_program_started(void **unused)
{
    char cache[96], script[256], pipe_name[96], read_so_far[8] = "";
    (void)unused;
    snprintf(cache, sizeof cache, "%s/stopped", folder);
    snprintf(pipe_name, sizeof pipe_name, "%s/pipe", folder);
    snprintf(script, sizeof script, "exec 9> %s; (sleep 20; echo late >&9)", pipe_name);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    const int end = open(pipe_name, O_RDONLY | O_NONBLOCK);
    assert_true(end >= 0);
    actgen_engine *const engine = open_engine(cache);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    actgen_error error = {0};
    options.program = program_of("script", script);
    options.time_limit = 0.5;
    assert_int_equal(actgen_compile_expression(&kernel, engine, "tanh(x)*1.1875", NULL, &options, &error),
                     ACTGEN_ELIMIT);
    actgen_engine_free(engine);
    assert_int_equal(fcntl(end, F_SETFL, 0), 0);
    /* The pipe has ended, and nothing came before. */
    assert_int_equal(read(end, read_so_far, sizeof read_so_far), 0);
    close(end);
}

/* Checks programs that run out of memory. The place where they do depends on the machine and on the build. */
static void survives_starvation(void **unused)
{
    actgen_spec *spec;
    actgen_error error = {0};
    char cache[96];
    (void)unused;
    snprintf(cache, sizeof cache, "%s/starved", folder);
    assert_int_equal(actgen_spec_expression(&spec, "tanh(x)*1.125", &error), 0);
    for (int megabytes = 10; megabytes <= 160; megabytes *= 2) {
        char script[512];
        snprintf(script, sizeof script, "ulimit -v %d; exec %s \"$@\"", 1024 * megabytes, PROGRAM);
        const int status =
            compile(cache, program_of("starves", script), spec, "abs 1e-3", ACTGEN_TIER_BEST, NULL, &error);
        assert_true(status == ACTGEN_OK || *error.message);
        if (megabytes == 10) assert_true(status < 0);
    }
    actgen_spec_free(spec);
}

#ifndef FAIL_CALLS /* A sanitizer allocates by itself. */
#define FAIL_CALLS ""
#endif

/* Runs the program in a new cache, with FAULT as given, and then without a fault. Returns the status of the
 * first run. Writes the object's hash. */
static int compile_with_fault(const actgen_spec *spec, unsigned long number, const char *fault, char hash[64])
{
    char cache[96], script[512];
    actgen_error error = {0};
    snprintf(cache, sizeof cache, "%s/fault%lu%s", folder, number, *fault ? fault + 1 : "");
    snprintf(script, sizeof script,
             "FAULT_COUNTS=%s/counts FAULT='malloc %lu%s' LD_PRELOAD=%s exec %s \"$@\"", folder, number,
             fault, FAIL_CALLS, PROGRAM);
    const int status =
        compile(cache, program_of("lacks", script), spec, "abs 1e-3", ACTGEN_TIER_BEST, NULL, &error);
    if (status && (!*error.message || (status != ACTGEN_ENOMEM && status != ACTGEN_EBACKEND)))
        fail_msg("allocation %lu%s: %s: `%s`", number, fault, actgen_status_name(status), error.message);
    assert_int_equal(compile(cache, PROGRAM, spec, "abs 1e-3", ACTGEN_TIER_BEST, hash, &error), ACTGEN_OK);
    return status;
}

static unsigned long allocations_of_program(void)
{
    char path[96], line[64];
    unsigned long count = 0;
    snprintf(path, sizeof path, "%s/counts", folder);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    while (!count && fgets(line, sizeof line, f))
        if (sscanf(line, "malloc %lu", &count) != 1) count = 0;
    fclose(f);
    return count;
}

/* Makes allocations of the program fail, whichever library asks for the memory: this one, LLVM, GMP, MPFR or
 * FLINT. The result is right or refused, and the cache keeps nothing wrong. ACTGEN_TEST_ALL in the
 * environment tries more of them. */
static void survives_failed_allocations(void **unused)
{
    actgen_spec *spec;
    actgen_error error = {0};
    char usual[64], hash[64];
    unsigned refused = 0;
    (void)unused;
    if (!*FAIL_CALLS) SKIP_BECAUSE("allocations that fail are not for a build with sanitizers");
    assert_int_equal(actgen_spec_expression(&spec, "tanh(x)*1.0625", &error), 0);
    assert_int_equal(compile_with_fault(spec, 0, "", usual), ACTGEN_OK);
    const unsigned long count = allocations_of_program(), step = takes_all() ? 32 : 2;
    assert_true(count > 1000);
    for (unsigned long n = 1; n <= count; n += 1 + n / step)
        for (unsigned i = 0; i < 2; i++) {
            refused += compile_with_fault(spec, n, i ? " all" : "", hash) != ACTGEN_OK;
            assert_string_equal(hash, usual);
        }
    assert_true(refused > 0);
    actgen_spec_free(spec);
}

static void needs_a_cache(void **unused)
{
    actgen_spec *spec;
    actgen_error error = {0};
    (void)unused;
    assert_int_equal(actgen_spec_expression(&spec, "x", &error), 0);
    assert_int_equal(compile("", PROGRAM, spec, NULL, ACTGEN_TIER_BEST, NULL, &error), ACTGEN_EINVAL);
    assert_non_null(strstr(error.message, "disk cache"));
    actgen_spec_free(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(makes_the_same),      cmocka_unit_test(tells_every_end),
        cmocka_unit_test(ends_the_program),    cmocka_unit_test(ends_what_the_program_started),
        cmocka_unit_test(survives_starvation), cmocka_unit_test(survives_failed_allocations),
        cmocka_unit_test(needs_a_cache),
    };
    return cmocka_run_group_tests_name("elsewhere", tests, make_folder, remove_folder);
}
