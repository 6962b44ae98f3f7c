/* Compares the time of emitted C source, as compilers make it, with the time of the object.
 * scripts/source_times runs the program. It is no test, because times decide.
 *
 * usage: source_times ISA TYPE NAMES COMPILER...     NAMES: built-ins with commas between, or all
 *
 * A compiler is a command with options. A row has a built-in, and for each compiler the time of its code
 * divided by the object's. */
#include "builtins.h"
#include "filled.h"
#include "source_calls.h"
#include "timing.h"

#include <dlfcn.h>
#include <stdlib.h>

enum { COLUMNS = 8192, ROUNDS = 4 * USUAL_STACK_PLACES, RUNS = 4, MOST = 8, PATH = 128 };
static const double limit = 1.15;

static actgen_engine *engine;
static const char *isa, *type, *names, *const *compilers;
static size_t compiler_count, kernel_count, within[MOST];
static char folder[] = "/tmp/source_timesXXXXXX";

static void fail(const char *what, const char *message)
{
    fprintf(stderr, "source_times: %s: %s\n", what, message);
    exit(EXIT_FAILURE);
}

static int put(void *file, const void *data, size_t size) { return fwrite(data, 1, size, file) != size; }

/* Writes the source in the style of the set, or of all sets if it has none. Returns false if the kernel has
 * no source. */
static bool write_source(const actgen_kernel *kernel)
{
    char path[PATH], called[80];
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_error error;
    options.style = "intrinsics";
    options.header_name = "kernel.h";
    snprintf(path, sizeof path, "%s/kernel.h", folder);
    FILE *file = fopen(path, "wb");
    if (!file) fail(path, "cannot be written");
    const bool is_written = !actgen_emit_with(&kernel, 1, ACTGEN_EMIT_C, &options, put, file, &error);
    if (fclose(file) || !is_written) return false;
    snprintf(path, sizeof path, "%s/kernel.c", folder);
    snprintf(called, sizeof called, "%s_strided", actgen_kernel_name(kernel));
    file = fopen(path, "wb");
    if (!file) fail(path, "cannot be written");
    source_calls_begin(file, "kernel.h");
    source_calls_add(file, kernel, "run", called);
    source_calls_end(file);
    if (fclose(file)) fail(path, "cannot be written");
    return true;
}

/* Returns the library that the compiler makes of the source. */
static void *compiled(size_t compiler)
{
    char command[512], path[PATH];
    snprintf(path, sizeof path, "%s/%s%zu.so", folder, type, kernel_count * MOST + compiler);
    snprintf(command, sizeof command, "%s -fPIC -shared %s/kernel.c -o %s -lm", compilers[compiler], folder,
             path);
    if (system(command) != 0) fail(command, "fails");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(path, dlerror());
    return library;
}

struct run {
    const struct filled_operands *operands;
    actgen_fn function;
};

static void run(const void *context)
{
    const struct run *r = context;
    r->function(r->operands->shape.rows, r->operands->shape.cols, r->operands->list);
}

/* Times the object and each compiler's code in turn, again as long as one seems slow, since disturbances only
 * make times longer. */
static void time_all(double *ns, const struct run *runs)
{
    struct timed_call calls[MOST + 1];
    struct timing times[MOST + 1];
    const struct timing_limits limits = {.slice_ns = 20e3, .rounds = ROUNDS, .least_rounds = ROUNDS};
    bool is_slow = true;
    for (size_t c = 0; c <= compiler_count; c++) calls[c] = (struct timed_call){run, &runs[c]};
    for (int n = 0; n < RUNS && is_slow; n++) {
        if (!time_in_turn(calls, compiler_count + 1, &limits, times)) fail("timing", "out of memory");
        is_slow = false;
        for (size_t c = 0; c <= compiler_count; c++) {
            if (!n || times[c].min < ns[c]) ns[c] = times[c].min;
            is_slow = is_slow || ns[c] > limit * ns[0];
        }
    }
}

static void compare(const actgen_kernel *kernel)
{
    struct filled_operands operands = {.count = 0};
    struct run runs[MOST + 1] = {{&operands, actgen_kernel_fn(kernel)}};
    void *libraries[MOST];
    double ns[MOST + 1];
    if (!filled_open(&operands, kernel, (struct call_shape){1, COLUMNS, 0}, NULL))
        fail("operands", "out of memory");
    for (size_t c = 0; c < compiler_count; c++) {
        libraries[c] = compiled(c);
        runs[c + 1].operands = &operands;
        *(void **)&runs[c + 1].function = dlsym(libraries[c], "run");
    }
    time_all(ns, runs);
    printf("%-24s %8.4f", actgen_kernel_name(kernel), ns[0] / COLUMNS);
    kernel_count++;
    for (size_t c = 0; c < compiler_count; c++) {
        printf(" %6.3f", ns[c + 1] / ns[0]);
        within[c] += ns[c + 1] <= limit * ns[0];
        dlclose(libraries[c]);
    }
    printf("\n");
    fflush(stdout);
    filled_close(&operands);
}

/* Returns true if the name is in the list, or if the list is `all`. */
static bool is_wanted(const char *name)
{
    const size_t length = strlen(name);
    if (!strcmp(names, "all")) return true;
    for (const char *at = names; (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ',') && (!at[length] || at[length] == ',')) return true;
    return false;
}

static int visit(void *payload, const actgen_builtin *b)
{
    actgen_spec *spec;
    actgen_kernel *kernel;
    actgen_error error;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    (void)payload;
    options.isa = isa;
    if (!is_made_of(b, type) || !is_wanted(b->name)) return 0;
    if (actgen_spec_builtin_typed(&spec, b->name, type, &error)) fail(b->name, error.message);
    if (actgen_compile(&kernel, engine, spec, NULL, &options, &error)) fail(b->name, error.message);
    if (actgen_kernel_fn(kernel) && write_source(kernel)) compare(kernel);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    return 0;
}

int main(int argc, char **argv)
{
    actgen_error error;
    char command[PATH];
    if (argc < 5 || argc > 4 + MOST || actgen_isa_runs_here(argv[1]) != 1) {
        fputs("usage: source_times ISA TYPE NAMES COMPILER...     such as avx2 f32 all 'gcc -O2 -mavx2 -mfma "
              "-mf16c'; ISA runs here\n",
              stderr);
        return 2;
    }
    isa = argv[1], type = argv[2], names = argv[3];
    compilers = (const char *const *)argv + 4;
    compiler_count = (size_t)argc - 4;
    if (!mkdtemp(folder)) fail(folder, "cannot be made");
    if (actgen_engine_create(&engine, &error)) fail("engine", error.message);
    pin_to_a_core();
    printf("%-24s %8s  of it\n", "kernel", "ns");
    for (size_t c = 0; c < compiler_count; c++) printf("%34s%zu: %s\n", "", c + 1, compilers[c]);
    actgen_builtins(visit, NULL, NULL);
    for (size_t c = 0; c < compiler_count; c++)
        printf("within %.2f by %s: %zu of %zu\n", limit, compilers[c], within[c], kernel_count);
    actgen_engine_free(engine);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
