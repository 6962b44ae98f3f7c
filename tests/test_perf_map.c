/* Names of code for profilers: who asks for them, what the file says, and that nothing else is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static int start(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/perf-%ld.map", (long)getpid());
    unlink(path);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    unlink(path);
    return unsetenv("ACTGEN_PERF");
}

static actgen_kernel *compile(const char *name, int32_t perf_map)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *engine = NULL;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    actgen_error error;
    options.perf_map = perf_map;
    options.cache_directory = "";
    if (actgen_engine_create_with(&engine, &options, &error) || actgen_spec_builtin(&spec, name, &error) ||
        actgen_compile(&kernel, engine, spec, NULL, NULL, &error))
        fail_msg("%s", error.message);
    actgen_spec_free(spec);
    actgen_engine_free(engine);
    return kernel;
}

/* The lines of the file, two a kernel (its functions of few and of many columns); of one that begins at that kernel's code, `*named` if it is well formed. */
static size_t read_map(const actgen_kernel *kernel, bool *named)
{
    const actgen_fn run = actgen_kernel_fn(kernel);
    char line[256], expected[64];
    size_t count = 0, code, from, size;
    FILE *map = fopen(path, "r");
    memcpy(&code, &run, sizeof code);
    *named = false;
    if (!map) return 0;
    snprintf(expected, sizeof expected, "actgen:%s_", actgen_kernel_name(kernel));
    for (; fgets(line, sizeof line, map); count++) {
        char name[128];
        assert_int_equal(sscanf(line, "%zx %zx %127s\n", &from, &size, name), 3);
        *named |= from == code && size > 64 && size < 100000 && !strncmp(name, expected, strlen(expected));
    }
    fclose(map);
    return count;
}

static void check(const char *name, int32_t perf_map, size_t lines)
{
    bool named;
    actgen_kernel *kernel = compile(name, perf_map);
    assert_non_null(actgen_kernel_fn(kernel));
    assert_int_equal(read_map(kernel, &named), lines);
    assert_int_equal(named, perf_map != 0 || getenv("ACTGEN_PERF") != NULL);
    actgen_kernel_free(kernel);
}

static void names_are_written_if_asked_for(void **state)
{
    (void)state;
    check("gelu", 0, 0);
    assert_int_equal(access(path, F_OK), -1);
    check("gelu", 1, 2); /* planning compiles more, which is not listed */
    check("tanh", 1, 4);
    setenv("ACTGEN_PERF", "1", 1);
    check("relu", 0, 6);
}

static void links_are_not_followed(void **state)
{
    (void)state;
    char target[64];
    snprintf(target, sizeof target, "/tmp/actgen-test-perf-%ld", (long)getpid());
    FILE *file = fopen(target, "w");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(symlink(target, path), 0);
    actgen_kernel *kernel = compile("gelu", 1);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(link(target, path), 0);
    actgen_kernel *other = compile("gelu", 1);
    file = fopen(target, "r");
    assert_non_null(file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    unlink(target);
    actgen_kernel_free(kernel);
    actgen_kernel_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_written_if_asked_for, start, finish),
        cmocka_unit_test_setup_teardown(links_are_not_followed, start, finish)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
