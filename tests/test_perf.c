/* Tests of names of code for profilers: who asks for them, what the file says, and that nothing
 * else is written. */
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

/* Returns the number of lines in the file. Each kernel has two, for its functions of few and of many
 * columns. Sets `*named` if a well-formed line begins at that kernel's code. */
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
    check("gelu", 1, 2); /* Planning compiles more code, which is not listed. */
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

/* ---- with the code ---- */

static char dump_path[64];

static int start_dump(void **state)
{
    (void)state;
    snprintf(dump_path, sizeof dump_path, "./jit-%ld.dump", (long)getpid());
    unlink(dump_path);
    return setenv("JITDUMPDIR", ".", 1);
}

static int finish_dump(void **state)
{
    (void)state;
    unlink(dump_path);
    return unsetenv("ACTGEN_PERF") || unsetenv("JITDUMPDIR");
}

struct dump_header {
    uint32_t magic, version, bytes, machine, padding, process;
    uint64_t time, flags;
};

struct dump_record {
    uint32_t kind, bytes;
    uint64_t time;
    uint32_t process, thread;
    uint64_t virtual_address, address, code_bytes, number;
};

/* Returns the number of records in the file, each with the bytes that lie at its address. Sets `*named` if
 * a record begins at that kernel's code. */
static size_t read_dump(const actgen_kernel *kernel, bool *named)
{
    struct dump_header header;
    struct dump_record record;
    const actgen_fn run = actgen_kernel_fn(kernel);
    uintptr_t code;
    size_t count = 0;
    uint64_t number = 0;
    FILE *dump = fopen(dump_path, "rb");
    assert_non_null(dump);
    memcpy(&code, &run, sizeof code);
    *named = false;
    assert_int_equal(fread(&header, sizeof header, 1, dump), 1);
    assert_true(header.magic == 0x4a695444 && header.version == 1 && header.bytes == sizeof header &&
                header.machine != 0 && header.process == (uint32_t)getpid());
    for (; fread(&record, sizeof record, 1, dump) == 1; count++) {
        static char rest[100000];
        const size_t bytes = record.bytes - sizeof record;
        assert_true(record.kind == 0 && bytes <= sizeof rest && record.number > number);
        number = record.number;
        assert_int_equal(fread(rest, bytes, 1, dump), 1);
        const size_t length = strlen(rest) + 1;
        assert_int_equal(length + record.code_bytes, bytes);
        if (record.address != code) continue;
        assert_memory_equal(rest + length, (const void *)code, record.code_bytes);
        *named |= strstr(rest, actgen_kernel_name(kernel)) != NULL;
    }
    assert_true(feof(dump));
    fclose(dump);
    return count;
}

static void code_is_dumped_if_asked_for(void **state)
{
    (void)state;
    bool named;
    actgen_kernel *first = compile("gelu", ACTGEN_PERF_DUMP);
    assert_int_equal(read_dump(first, &named), 2);
    assert_true(named);
    setenv("ACTGEN_PERF", "dump", 1);
    actgen_kernel *second = compile("tanh", 0);
    assert_int_equal(read_dump(second, &named), 4);
    assert_true(named);
    actgen_kernel_free(first);
    actgen_kernel_free(second);
    assert_int_equal(access(path, F_OK), -1); /* Nobody asked for the map. */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_written_if_asked_for, start, finish),
        cmocka_unit_test_setup_teardown(links_are_not_followed, start, finish),
        cmocka_unit_test_setup_teardown(code_is_dumped_if_asked_for, start_dump, finish_dump)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
