/* Tests of machine code for debuggers: which code is shown and for how long, calls by several threads at
 * once, and what gdb reports, where it is installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "debugger.h"
#include "skipping.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static actgen_engine *make_engine(int32_t perf_map)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *engine = NULL;
    options.perf_map = perf_map;
    options.cache_directory = "";
    assert_int_equal(actgen_engine_create_with(&engine, &options, NULL), ACTGEN_OK);
    return engine;
}

static actgen_kernel *compile(const char *name, int32_t perf_map)
{
    actgen_engine *engine = make_engine(perf_map);
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    assert_int_equal(actgen_spec_builtin(&spec, name, NULL), ACTGEN_OK);
    assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, NULL, NULL), ACTGEN_OK);
    actgen_spec_free(spec);
    actgen_engine_free(engine);
    return kernel;
}

/* Returns the length of the list, and checks its links in both directions. */
static size_t count_shown(void)
{
    size_t count = 0;
    const struct debugger_entry *before = NULL;
    for (const struct debugger_entry *e = __jit_debug_descriptor.first; e; before = e, e = e->next, count++) {
        assert_ptr_equal(e->previous, before);
        assert_memory_equal(e->object, "\177ELF", 4);
        assert_true(e->size > 64);
    }
    return count;
}

static void kernels_are_shown_until_freed(void **state)
{
    (void)state;
    actgen_kernel_free(compile("gelu", 0));
    assert_int_equal(count_shown(), 0);
    actgen_kernel *silent = compile("relu", 0), *first = compile("gelu", ACTGEN_PERF_GDB);
    assert_int_equal(count_shown(), 1); /* Planning compiles more code, which is not shown. */
    setenv("ACTGEN_PERF", "gdb", 1);
    actgen_kernel *second = compile("tanh", 0), *third = compile("silu", 0);
    unsetenv("ACTGEN_PERF");
    assert_int_equal(count_shown(), 3);
    actgen_kernel_free(second); /* This entry is in the middle of the list. */
    assert_int_equal(count_shown(), 2);
    actgen_kernel_free(first);
    actgen_kernel_free(silent);
    actgen_kernel_free(third);
    assert_int_equal(count_shown(), 0);
    assert_int_equal(__jit_debug_descriptor.action, DEBUGGER_NOTHING);
}

enum { THREADS = 4, ROUNDS = 2000, MOST_SHOWN = 5 };

static void *add_and_remove(void *unused)
{
    (void)unused;
    static const char object[65] = "\177ELF";
    struct debugger_entry entries[MOST_SHOWN];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MOST_SHOWN; i++) {
            entries[i] = (struct debugger_entry){.object = object, .size = sizeof object};
            debugger_add(&entries[i]);
        }
        for (int i = 0; i < MOST_SHOWN; i++) debugger_remove(&entries[(i + round) % MOST_SHOWN]);
    }
    return NULL;
}

static void threads_share_the_list(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_and_remove, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(count_shown(), 0);
}

/* ---- gdb ---- */

/* Marks the place where gdb stops first. The kernel's code exists by then, and has a name that
 * gdb can look for. */
void stop_before_call(void);
__attribute__((noinline)) void stop_before_call(void) { __asm__ volatile("" ::: "memory"); }

/* Runs a kernel. The call is no tail call of its caller, because a backtrace must show that caller. */
__attribute__((noinline)) static int run_kernel(void)
{
    actgen_kernel *kernel = compile("gelu", ACTGEN_PERF_GDB);
    float x[100] = {0};
    const actgen_operand operands[] = {{x, 0}, {x, 0}};
    stop_before_call();
    actgen_kernel_fn(kernel)(1, 100, operands);
    actgen_kernel_free(kernel);
    return 0;
}

static char *program;

static void gdb_names_code_and_its_callers(void **state)
{
    (void)state;
    char command[4096], line[1024];
    bool stopped = false, named = false, called = false;
    snprintf(command, sizeof command,
             "gdb -nx --batch -ex 'break stop_before_call' -ex run -ex 'rbreak ^gelu_' -ex continue "
             "-ex backtrace --args '%s' run_kernel 2>&1 < /dev/null",
             program);
    FILE *gdb = popen(command, "r");
    assert_non_null(gdb);
    while (fgets(line, sizeof line, gdb)) {
        const char *frame = strstr(line, " in gelu_");
        stopped |= strstr(line, "Breakpoint 1, ") != NULL;
        named |= line[0] == '#' && line[1] == '0' && frame;
        called |= named && strstr(line, " in run_kernel ") != NULL;
    }
    pclose(gdb);
    if (!stopped) { SKIP_BECAUSE("gdb is not here, or may run no program here"); }
    assert_true(named);  /* The debugger found the symbols. */
    assert_true(called); /* The debugger found the table for unwinding. */
}

int main(int count, char **arguments)
{
    program = arguments[0];
    if (count == 2 && !strcmp(arguments[1], "run_kernel")) return run_kernel();
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_shown_until_freed),
                                       cmocka_unit_test(threads_share_the_list),
                                       cmocka_unit_test(gdb_names_code_and_its_callers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
