/* Tests of generated headers. A kernel with every shape, layout and type is compiled as C and as C++, and
 * run against actgen_run. Other tests cover names that would clash. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "header/data.h"
#include "isas.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 8 };

static const char layouts_text[] =
    "kernel layouts([gate | up]: bf16, [a, b]: f16, x: f64, bias: f32[cols], scale: f32[rows], beta: f64[])"
    " -> (y: f64, [p | q]: f32, [r, s]: bf16) {\n"
    "    y = x*beta + gate\n"
    "    p = gate*scale + bias\n"
    "    q = up - bias\n"
    "    r = a + gate\n"
    "    s = b*up\n"
    "}\n";

/* ---- every layout ---- */

static void fill(struct data *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < ROWS * WIDE; i++) d->x[i] = (i - 50) / 7.0;
    for (int i = 0; i < COLS; i++) d->bias[i] = (float)i / 8;
    for (int i = 0; i < 2 * ROWS; i++) d->scale[i] = (float)i - 2;
    d->beta[0] = 0.75;
    for (int i = 0; i < 2 * ROWS * WIDE; i++) {
        d->gate_up[i] = (uint16_t)(0x3f80 + i % 128);     /* bf16 numbers from 1 to 2. */
        d->a_b[i] = (uint16_t)(0xbc00 + (i * 37) % 1024); /* f16 numbers from -1 to -2. */
    }
}

/* Makes the header's calls by the checked function. `wide` is 0 or WIDE. */
static void run(const actgen_kernel *kernel, struct data *d, size_t wide)
{
    const actgen_operand operands[] = {{d->gate_up, 2 * wide}, {d->a_b, 2 * wide},       {d->x, wide},
                                       {d->bias, 0},           {d->scale, wide ? 2 : 0}, {d->beta, 0},
                                       {d->y, wide},           {d->p_q, 2 * wide},       {d->r_s, 2 * wide}};
    const size_t count = sizeof operands / sizeof *operands;
    if (actgen_run(kernel, ROWS, COLS, operands, count, &error)) fail_msg("%s", error.message);
}

struct sink {
    char folder[64];
    FILE *file;
};

static int take(void *payload, const void *data, size_t size)
{
    const struct sink *s = payload;
    return fwrite(data, 1, size, s->file) != size;
}

static void emit(struct sink *s, actgen_kernel *const *kernels, size_t count, int what, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    s->file = fopen(path, "wb");
    assert_non_null(s->file);
    if (actgen_emit((const actgen_kernel *const *)kernels, count, what, name, take, s, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(s->file), 0);
}

static void compile_program(const char *folder, const char *compiler)
{
    char command[2048];
    snprintf(command, sizeof command,
             "%s -Wall -Wextra -Wpedantic -Werror -I%s -I%s/header %s/header/program.c -x none %s/layouts.o "
             "-o %s/program",
             compiler, folder, TEST_DATA, TEST_DATA, folder, folder);
    if (system(command) != 0) fail_msg("fails: %s", command);
}

static bool has_command(const char *name)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

/* Runs the program in the folder on `d`. */
static void run_program(const char *folder, const struct data *d, struct data out[2])
{
    char path[128], command[256];
    snprintf(path, sizeof path, "%s/in", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(d, sizeof *d, 1, file), 1);
    fclose(file);
    snprintf(command, sizeof command, "%s/program <%s/in", folder, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fread(out, sizeof *out, 2, pipe), 2);
    assert_int_equal(pclose(pipe), 0);
}

static void remove_folder(const char *folder)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
}

static void check_headers(actgen_kernel *const *kernels, size_t count)
{
    static const char *const compilers[][2] = {{"cc", "cc -std=c99 -x c"}, {"c++", "c++ -std=c++11 -x c++"}};
    struct data expected[2], got[2], start;
    struct sink sink = {"/tmp/actgen-header-XXXXXX", NULL};
    assert_non_null(mkdtemp(sink.folder));
    emit(&sink, kernels, count, ACTGEN_EMIT_OBJECT, "layouts.o");
    emit(&sink, kernels, count, ACTGEN_EMIT_HEADER, "layouts.h");
    fill(&start);
    expected[0] = expected[1] = start;
    run(kernels[0], &expected[0], 0);
    run(kernels[0], &expected[1], WIDE);
    assert_memory_not_equal(&expected[0], &start, sizeof start);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!has_command(compilers[c][0])) continue;
        compile_program(sink.folder, compilers[c][1]);
        run_program(sink.folder, &start, got);
        assert_memory_equal(got, expected, sizeof got);
    }
    remove_folder(sink.folder);
}

/* Checks the header for one instruction set, and for all, where the header chooses among them. */
static void headers_call_every_layout(void **state)
{
    (void)state;
    actgen_kernel *kernels[MOST_KERNELS];
    size_t count = 0;
    for (; own_isa(count) && count < MOST_KERNELS; count++)
        kernels[count] = compile_for(layouts_text, own_isa(count));
    actgen_kernel *host = compile_for(layouts_text, "host");
    check_headers(&host, 1);
    check_headers(kernels, count);
    actgen_kernel_free(host);
    while (count) actgen_kernel_free(kernels[--count]);
}

/* ---- names ---- */

static void clashing_names_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; /* A NULL message means no clash. */
    } rows[] = {
        {"kernel k(x: f32, x_stride: f32, x_data: f32) -> (y: f32) { y = x + x_stride*x_data }", NULL},
        {"kernel k([a | b]: f32, a_b: f32) -> (y: f32) { y = a + b + a_b }", "`a` and `a_b` would share"},
        {"kernel k([a | b]: f32, a_b_stride: f32) -> (y: f32) { y = a + b + a_b_stride }", NULL},
        {"kernel k(workspace: f32) -> (s: f32[]) { s = sum(workspace) }", NULL},
        {"kernel k(k_kernel: f32, x: f32) -> (y: f32) { y = x + k_kernel }", NULL},
        {"kernel k(operands: f32, operands_: f32) -> (y: f32) { y = operands + operands_ }", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        actgen_kernel *k = compile_for(rows[i].text, NULL);
        const actgen_kernel *list[] = {k};
        int status = actgen_emit(list, 1, ACTGEN_EMIT_HEADER, "k.h", drop, NULL, &error);
        if (status != (rows[i].message ? ACTGEN_EINVAL : ACTGEN_OK) ||
            (rows[i].message && !strstr(error.message, rows[i].message)))
            fail_msg("%s: status %d, %s", rows[i].text, status, status ? error.message : "");
        actgen_kernel_free(k);
    }
}

/* ---- names that belong to C ---- */

/* The headers of C11 and of POSIX.1-2017, and those that gcc, glibc and BSD add. */
static const char *const headers[] = {
    "aio",         "arpa/inet",     "assert",      "complex",   "cpio",      "ctype",      "dirent",
    "dlfcn",       "errno",         "fcntl",       "fenv",      "float",     "fmtmsg",     "fnmatch",
    "ftw",         "glob",          "grp",         "iconv",     "inttypes",  "iso646",     "langinfo",
    "libgen",      "limits",        "locale",      "math",      "monetary",  "mqueue",     "net/if",
    "netdb",       "netinet/in",    "netinet/tcp", "nl_types",  "poll",      "pthread",    "pwd",
    "regex",       "sched",         "search",      "semaphore", "setjmp",    "signal",     "spawn",
    "stdalign",    "stdarg",        "stdatomic",   "stdbool",   "stddef",    "stdint",     "stdio",
    "stdlib",      "stdnoreturn",   "string",      "strings",   "sys/ipc",   "sys/mman",   "sys/msg",
    "sys/param",   "sys/resource",  "sys/select",  "sys/sem",   "sys/shm",   "sys/socket", "sys/stat",
    "sys/statvfs", "sys/sysmacros", "sys/time",    "sys/times", "sys/types", "sys/uio",    "sys/un",
    "sys/utsname", "sys/wait",      "syslog",      "tar",       "termios",   "tgmath",     "threads",
    "time",        "uchar",         "ulimit",      "unistd",    "utime",     "utmpx",      "wchar",
    "wctype",      "wordexp"};

/* Keywords, to which compilers add, and names that linkers and other systems have. Most of them
 * are in no header. */
static const char others[] = "asm typeof typeof_unqual contract_assert _BitInt _Decimal32 _Float16 __int128 "
                             "__thread __restrict _Complex_I "
                             "__LINE_ __FILE_ __linux_ _start _init _fini _end _edata _GLOBAL_OFFSET_TABLE_ "
                             "main environ end edata etext "
                             "WinMain DllMain near far small interface hyper pascal cdecl actgen_run "
                             "actgen_operand actgen_launch_for tanhf erf expf64x sin "
                             "size_t uint8_t int8_t uint16_t data stride rows_data cols_data operands tile "
                             "block workspace x_data_data I J ";

struct names {
    char **list;
    size_t count;
};

static void kernel_of(char *out, size_t size, const char *name)
{
    snprintf(out, size, "kernel %s(%s: f32) -> (of_%s: f32) { of_%s = max(%s, 0) }", name, name, name, name,
             name);
}

static void add_name(struct names *n, const char *name)
{
    char text[512];
    actgen_spec *spec;
    kernel_of(text, sizeof text, name);
    if (actgen_spec_parse(&spec, "names.act", text, strlen(text), &error)) return;
    actgen_spec_free(spec); /* The kernel parses, so the language does not reserve the name. */
    n->list = realloc(n->list, (n->count + 1) * sizeof *n->list);
    assert_non_null(n->list);
    n->list[n->count++] = strdup(name);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void drop_repeated(struct names *n)
{
    size_t kept = 0;
    qsort(n->list, n->count, sizeof *n->list, by_name);
    for (size_t i = 0; i < n->count; i++)
        if (kept && !strcmp(n->list[kept - 1], n->list[i]))
            free(n->list[i]);
        else
            n->list[kept++] = n->list[i];
    n->count = kept;
}

static void free_names(struct names *n)
{
    while (n->count) free(n->list[--n->count]);
    free(n->list);
}

static FILE *open_in(const char *folder, const char *name, const char *mode)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    assert_non_null(file);
    return file;
}

/* Writes includes of the headers that this machine has. C++ has other headers in place of some. */
static void write_includes(const char *folder)
{
    FILE *out = open_in(folder, "includes.h", "w");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        const bool is_of_c = strstr(" complex stdatomic stdnoreturn tgmath threads ", headers[i]) != NULL;
        if (is_of_c) fprintf(out, "#ifndef __cplusplus\n");
        fprintf(out, "#if __has_include(<%s.h>)\n#include <%s.h>\n#endif\n", headers[i], headers[i]);
        if (is_of_c) fprintf(out, "#endif\n");
    }
    assert_int_equal(fclose(out), 0);
}

/* Finds the macros that exist after these includes. */
static void find_macros(struct names *n, const char *folder)
{
    char command[256], line[4096], name[128];
    size_t found = 0;
    snprintf(command, sizeof command, "cc -dM -E %s/includes.h", folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(line, sizeof line, pipe))
        if (sscanf(line, "#define %127[A-Za-z_0-9]", name) == 1) add_name(n, name), found++;
    assert_int_equal(pclose(pipe), 0);
    assert_true(found > 2000);
}

/* Finds the words of the list in which the library looks up kernels' names. It covers the headers of
 * other systems. */
static void find_listed(struct names *n)
{
    char path[512], line[256];
    snprintf(path, sizeof path, "%s/../src/headers/c_names.txt", TEST_DATA);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        for (char *at = *line == '#' ? NULL : strtok(line, " *\n"); at; at = strtok(NULL, " *\n"))
            add_name(n, at);
    fclose(file);
}

/* Makes the header of a kernel for each of the names. The kernel's operand has that name too. */
static void write_header(const struct names *n, size_t first, size_t count, struct sink *sink,
                         const char *header)
{
    actgen_kernel **kernels = calloc(count, sizeof *kernels);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    char text[512];
    assert_non_null(kernels);
    options.tier = ACTGEN_TIER_INTERPRETER;
    for (size_t i = 0; i < count; i++) {
        kernel_of(text, sizeof text, n->list[first + i]);
        kernels[i] = compile_with(text, &options);
    }
    emit(sink, kernels, count, ACTGEN_EMIT_HEADER, header);
    for (size_t i = 0; i < count; i++) actgen_kernel_free(kernels[i]);
    free(kernels);
}

/* Writes headers of 200 kernels each, and a program that includes them all. Macros that no system here has
 * expand to text that is no C, so the compiler fails if a header lets one expand. */
static void write_program(const struct names *all, const struct names *listed, struct sink *sink)
{
    enum { EACH = 200 };
    FILE *program = open_in(sink->folder, "program.c", "w");
    fprintf(program, "#include \"includes.h\"\n");
    for (size_t i = 0; i < listed->count; i++)
        fprintf(program, "#ifndef %s\n#define %s ) of another system (\n#endif\n", listed->list[i],
                listed->list[i]);
    for (size_t first = 0; first < all->count; first += EACH) {
        char header[32];
        snprintf(header, sizeof header, "names%zu.h", first);
        write_header(all, first, all->count - first < EACH ? all->count - first : EACH, sink, header);
        fprintf(program, "#include \"%s\"\n", header);
    }
    assert_int_equal(fclose(program), 0);
}

/* Checks that kernels and operands may have any name that the language takes. Their declarations come
 * after everything that could rewrite them. Compilers run in their default modes, where `linux` is 1. */
static void names_of_c_are_declared(void **state)
{
    (void)state;
    static const char *const compilers[][2] = {{"cc", "cc -x c"}, {"c++", "c++ -x c++"}};
    struct names all = {0}, listed = {0};
    struct sink sink = {"/tmp/actgen-names-XXXXXX", NULL};
    char words[sizeof others];
    assert_non_null(mkdtemp(sink.folder));
    write_includes(sink.folder);
    find_macros(&all, sink.folder);
    find_listed(&all);
    find_listed(&listed);
    for (char *at = strtok(strcpy(words, others), " "); at; at = strtok(NULL, " ")) add_name(&all, at);
    drop_repeated(&all);
    drop_repeated(&listed);
    write_program(&all, &listed, &sink);
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        char command[256];
        if (!has_command(compilers[c][0])) continue;
        snprintf(command, sizeof command, "%s -fsyntax-only -Wall -Wextra -Werror %s/program.c",
                 compilers[c][1], sink.folder);
        if (system(command) != 0) fail_msg("fails: %s", command);
    }
    free_names(&all);
    free_names(&listed);
    remove_folder(sink.folder);
}

/* Checks that a kernel gets another function name where its own would replace a function that a program
 * needs to start, to end or to print. */
static void names_of_c_are_linked(void **state)
{
    (void)state;
    static const char *const names[] = {"_start", "_init",  "_fini", "main", "errno",
                                        "linux",  "malloc", "puts",  "exit"};
    enum { COUNT = sizeof names / sizeof *names };
    actgen_kernel *kernels[COUNT];
    struct sink sink = {"/tmp/actgen-linked-XXXXXX", NULL};
    char text[512], command[512];
    assert_non_null(mkdtemp(sink.folder));
    FILE *program = open_in(sink.folder, "program.c", "w");
    fprintf(program, "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include \"k.h\"\n"
                     "int main(void)\n{\n    float x = -1, y = 1;\n    errno = 0;\n");
    for (size_t i = 0; i < COUNT; i++) {
        kernel_of(text, sizeof text, names[i]);
        kernels[i] = compile_for(text, "host");
        fprintf(program, "    actgen_%s(1, 1, &x, &y);\n    if (y != 0) return 1;\n    y = 1;\n", names[i]);
    }
    fprintf(program, "    free(malloc(1));\n    puts(\"done\");\n    exit(errno);\n}\n");
    assert_int_equal(fclose(program), 0);
    emit(&sink, kernels, COUNT, ACTGEN_EMIT_HEADER, "k.h");
    emit(&sink, kernels, COUNT, ACTGEN_EMIT_OBJECT, "k.o");
    for (size_t i = 0; i < COUNT; i++) actgen_kernel_free(kernels[i]);
    snprintf(command, sizeof command,
             "cd %s && cc program.c k.o -o program && ./program >said && grep -q done said", sink.folder);
    if (system(command) != 0) fail_msg("fails: %s", command);
    remove_folder(sink.folder);
}

/* Adds what is written to a text. */
static int add_to_text(void *payload, const void *data, size_t size)
{
    enum { ROOM = 1 << 16 };
    char *kept = payload;
    const size_t length = strlen(kept);
    assert_true(length + size < ROOM);
    memcpy(kept + length, data, size);
    return 0;
}

/* Checks that a name gets a prefix if C has it, and not if C only has its beginning. */
static void only_names_of_c_get_a_prefix(void **state)
{
    static const struct {
        const char *name;
        bool has_prefix;
    } rows[] = {{"tanhf", true},  {"sinf32x", true}, {"my_t", true}, {"PRIabc", true}, {"sinus", false},
                {"sinf3", false}, {"tank", false},   {"_tx", true},  {"t_", false},    {"my_tt", false}};
    static char header[1 << 16];
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512], prefixed[64];
        kernel_of(text, sizeof text, rows[i].name);
        actgen_kernel *k = compile_for(text, NULL);
        memset(header, 0, sizeof header);
        assert_int_equal(actgen_emit((const actgen_kernel *const *)&k, 1, ACTGEN_EMIT_HEADER, NULL,
                                     add_to_text, header, &error),
                         ACTGEN_OK);
        snprintf(prefixed, sizeof prefixed, "actgen_%s(", rows[i].name);
        if (!strstr(header, prefixed) == rows[i].has_prefix) fail_msg("`%s`", rows[i].name);
        actgen_kernel_free(k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_call_every_layout), cmocka_unit_test(clashing_names_are_refused),
        cmocka_unit_test(names_of_c_are_declared), cmocka_unit_test(names_of_c_are_linked),
        cmocka_unit_test(only_names_of_c_get_a_prefix)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
