/* Tests of what the public interface writes and reports: objects, headers, stages and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "actgen.h"
#include "isas.h"
#include "skipping.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, MOST_KERNELS = 8 };

struct sink {
    char data[BUFFER];
    size_t size, limit; /* The bytes so far, and the size beyond which writing fails. */
};
static struct sink sink;

static int take(void *payload, const void *data, size_t size)
{
    struct sink *s = payload;
    if (s->size + size > s->limit) return 1;
    memcpy(s->data + s->size, data, size);
    s->size += size;
    return 0;
}

static void empty(size_t limit)
{
    sink.size = 0;
    sink.limit = limit;
    memset(sink.data, 0, sizeof sink.data);
}

static actgen_kernel *kernels[MOST_KERNELS];
static size_t kernel_count;

/* Compiles one kernel of two operands for each instruction set. */
static int compile_kernels(void **state)
{
    (void)state;
    static const char text[] = "kernel gate(a: f32, b: f32) -> (y: f32) { y = relu(a) * b }";
    actgen_engine *engine;
    actgen_spec *spec;
    if (actgen_engine_create(&engine, NULL)) return -1;
    if (actgen_spec_parse(&spec, NULL, text, sizeof text - 1, NULL)) return -1;
    for (kernel_count = 0; own_isa(kernel_count) && kernel_count < MOST_KERNELS; kernel_count++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = own_isa(kernel_count);
        if (actgen_compile(&kernels[kernel_count], engine, spec, NULL, &options, NULL)) return -1;
    }
    actgen_spec_free(spec);
    actgen_engine_free(engine);
    return 0;
}

static int free_kernels(void **state)
{
    (void)state;
    while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
    return 0;
}

static void emit(size_t count, int what)
{
    actgen_error error;
    empty(BUFFER - 1);
    if (actgen_emit((const actgen_kernel *const *)kernels, count, what, "gate.h", take, &sink, &error))
        fail_msg("%s", error.message);
    assert_true(sink.size > 0);
}

static void make_file_name(char *out, size_t size, const char *suffix)
{
    snprintf(out, size, "/tmp/actgen-test-%ld%s", (long)getpid(), suffix);
}

static void write_sink(const char *path)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(sink.data, 1, sink.size, file), sink.size);
    assert_int_equal(fclose(file), 0);
}

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

/* Compiles the header for one instruction set, and for several, where the header chooses among them. */
static void headers_compile_as_c_and_cxx(void **state)
{
    (void)state;
    static const char *const compilers[][2] = {
        {"cc",
         "cc -std=c90 -pedantic -Wall -Wextra -Werror -Wcast-qual -Wconversion -Wstrict-prototypes -x c "
         "-fsyntax-only"},
        {"c++", "c++ -std=c++11 -pedantic -Wall -Wextra -Werror -Wcast-qual -Wold-style-cast "
                "-Wzero-as-null-pointer-constant -x c++ -fsyntax-only"}};
    static const char *const includes[] = {"#include \"%1$s\"", "#include \"actgen.h\"\\n#include \"%1$s\"",
                                           "#include \"%1$s\"\\n#include \"actgen.h\""};
    char path[64], command[512];
    make_file_name(path, sizeof path, ".h");
    for (size_t count = 1; count <= kernel_count; count++) {
        emit(count, ACTGEN_EMIT_HEADER);
        assert_non_null(strstr(sink.data, "gate_strided"));
        write_sink(path);
        for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
            if (!has_command(compilers[c][0])) continue;
            for (size_t i = 0; i < sizeof includes / sizeof *includes; i++) {
                char lines[256];
                snprintf(lines, sizeof lines, includes[i], path);
                snprintf(command, sizeof command,
                         "printf '%s\\nint main(void) { return 0; }\\n' | %s -I%s/../include -", lines,
                         compilers[c][1], TEST_DATA);
                if (system(command) != 0) fail_msg("%s fails on the header of %zu kernels", command, count);
            }
        }
    }
    remove(path);
}

/* Lists the symbols, one per line, sorted. Undefined symbols have a "U " in front, or a "w " if
 * they are weak. */
static void list_symbols(const char *path, char *out, size_t size)
{
    char command[256];
    snprintf(command, sizeof command, "nm %s | sed 's/^[0-9a-f]* *//' | grep -v '^[rtdb] ' | sort", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, size - 1, pipe)] = 0;
    assert_int_equal(pclose(pipe), 0);
}

static void objects_have_the_kernels_symbols_only(void **state)
{
    (void)state;
    char path[64], symbols[1024];
    /* The names are those of x86-64's sets. tests/cross/ looks at the objects of other machines. */
    if (!has_command("nm") || strcmp(actgen_isa_architecture("host"), "x86-64") != 0)
        SKIP_BECAUSE("nm is not here, or another machine is");
    make_file_name(path, sizeof path, ".o");
    emit(1, ACTGEN_EMIT_OBJECT);
    write_sink(path);
    list_symbols(path, symbols, sizeof symbols);
    assert_string_equal(symbols, "T gate\nT gate_avx512\nT gate_kernel\nT gate_strided\n");
    emit(kernel_count, ACTGEN_EMIT_OBJECT);
    write_sink(path);
    list_symbols(path, symbols, sizeof symbols);
    assert_string_equal(symbols,
                        "T gate\nT gate_avx2\nT gate_avx512\nT gate_kernel\nT gate_strided\nT gate_x86_64\n"
                        "w getenv\nw secure_getenv\n");
    remove(path);
}

static void failing_writes_are_reported(void **state)
{
    (void)state;
    const actgen_kernel *const *list = (const actgen_kernel *const *)kernels;
    actgen_error error;
    for (int what = ACTGEN_EMIT_OBJECT; what <= ACTGEN_EMIT_HEADER; what++) {
        empty(0);
        assert_int_equal(actgen_emit(list, 1, what, "gate.h", take, &sink, &error), ACTGEN_EWRITE);
        assert_true(error.message[0] != 0);
    }
    for (int stage = ACTGEN_STAGE_SPEC; stage <= ACTGEN_STAGE_LIBM; stage++) {
        empty(0);
        assert_int_equal(actgen_show(kernels[0], stage, take, &sink, &error), ACTGEN_EWRITE);
        empty(BUFFER - 1);
        assert_int_equal(actgen_show(kernels[0], stage, take, &sink, &error), ACTGEN_OK);
        if (!sink.size && stage != ACTGEN_STAGE_PLAN) fail_msg("stage %d is empty", stage);
    }
}

static void wrong_emissions_are_refused(void **state)
{
    (void)state;
    const actgen_kernel *const *list = (const actgen_kernel *const *)kernels;
    const actgen_kernel *twice[2] = {kernels[0], kernels[0]};
    actgen_error error;
    empty(BUFFER - 1);
    const struct {
        int status;
    } rows[] = {{actgen_emit(list, 0, ACTGEN_EMIT_OBJECT, "gate.h", take, &sink, &error)},
                {actgen_emit(NULL, 1, ACTGEN_EMIT_OBJECT, "gate.h", take, &sink, &error)},
                {actgen_emit(list, 1, 17, "gate.h", take, &sink, &error)},
                {actgen_emit(list, 1, ACTGEN_EMIT_OBJECT, "gate.h", NULL, NULL, &error)},
                {actgen_emit(twice, 2, ACTGEN_EMIT_OBJECT, "gate.h", take, &sink, &error)},
                {actgen_show(kernels[0], 99, take, &sink, &error)},
                {actgen_show(kernels[0], ACTGEN_STAGE_SPEC, NULL, NULL, &error)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status != ACTGEN_EINVAL) fail_msg("row %zu: status %d", i, rows[i].status);
    assert_int_equal(sink.size, 0);
}

/* ---- names ---- */

static int count_until(void *payload, const actgen_builtin *b)
{
    size_t *left = payload;
    assert_non_null(b->name);
    assert_non_null(b->definition);
    assert_non_null(b->summary);
    return --*left == 0 ? 5 : 0;
}

static void the_library_tells_of_itself(void **state)
{
    (void)state;
    size_t all = 1000, three = 3;
    assert_int_equal(actgen_version(), ACTGEN_VERSION);
    assert_int_equal(strncmp(actgen_backend_version(), "LLVM ", 5), 0);
    assert_int_equal(actgen_builtins(count_until, &all, NULL), ACTGEN_OK);
    assert_true(1000 - all > 40);
    actgen_builtins(count_until, &three, NULL);
    assert_int_equal(three, 0); /* The listing stopped after three. */
    for (int status = ACTGEN_ESTOPPED; status <= ACTGEN_OK; status++) {
        assert_non_null(actgen_status_name(status));
        for (int other = status + 1; other <= ACTGEN_OK; other++)
            assert_string_not_equal(actgen_status_name(status), actgen_status_name(other));
    }
    assert_int_equal(actgen_isa_runs_here("sse9"), 0);
    assert_int_equal(actgen_isa_runs_here(actgen_host_isa()), 1);
    assert_int_equal(actgen_isa_runs_here("host"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_compile_as_c_and_cxx),
        cmocka_unit_test(objects_have_the_kernels_symbols_only),
        cmocka_unit_test(failing_writes_are_reported),
        cmocka_unit_test(wrong_emissions_are_refused),
        cmocka_unit_test(the_library_tells_of_itself),
    };
    return cmocka_run_group_tests(tests, compile_kernels, free_kernels);
}
