/* Writes the parts of libactgen-kernels for one element type: objects, the C file of its public functions,
 * and their declarations.
 *
 *     write_kernels TYPE ARCHITECTURE FOLDER      ARCHITECTURE is x86-64, arm64 ..., or host
 *
 * The library itself lists the built-ins, so a new built-in is in libactgen-kernels without further work. The
 * files in FOLDER are:
 *
 *     TYPE.o, TYPE_fast.o     the kernels within the default bound, and within the fast one
 *     TYPE.h, TYPE_fast.h     their headers, which only TYPE.c includes
 *     TYPE.c                  the public functions, which call these kernels
 *     TYPE.inc                the declarations of the public functions, a part of actgen/kernels.h
 *     TYPE.list               a line for each public function, for tests: SYMBOL BUILTIN forward|backward
 *                             elements|rows TYPE BOUND, with the bound of its code or `default`
 *     TYPE.shapes             a line for each, for bindings: SYMBOL elements|rows, then for each operand
 *                             NAME:SHAPE:input|result, and `workspace` if there is one */
#include "write.h"

#include <stdlib.h>
#include <string.h>

/* The element types. The fast bound of a narrow type is about the error of rounding to that type. */
static const struct type_row types[] = {
    {"f32", "float", "abs 2^-10", 0x1p-23},
    {"f64", "double", "abs 2^-20", 0x1p-52},
    {"bf16", "uint16_t", "abs 2^-8", 0x1p-7},
    {"f16", "uint16_t", "abs 2^-10", 0x1p-10},
};

void fail(const char *what, const actgen_error *error)
{
    fprintf(stderr, "write_kernels: %s: %s\n", what, error->message);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory) fail("out of memory", &(actgen_error){.message = "stopped"});
    return memory;
}

static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(allocate(size), text, size);
}

/* Takes every set of the architecture that does not merely extend another. */
static void find_sets(struct writer *w, const char *architecture)
{
    const char *name;
    if (!strcmp(architecture, "host")) architecture = actgen_isa_architecture("host");
    for (size_t i = 0; (name = actgen_isa_name(i)); i++)
        if (!strcmp(actgen_isa_architecture(name), architecture) && !actgen_isa_extends(name) &&
            w->set_count < MOST_SETS)
            w->sets[w->set_count++] = name;
    if (!w->set_count) fail(architecture, &(actgen_error){.message = "no such architecture"});
}

/* Built-ins that the library has no room for. */
static const char *const left_out[] = {
    "atan2",    "geglu_quick", "gelu_10",      "logmeanexp", "logsumexp", "safe_log_softmax", "situ",
    "situ_glu", "softmin",     "sqrtsoftplus", "mod",        "fmod",      "remainder",        "erfcx",
    "erfinv",   "lgamma",      "digamma",      "trigamma",   "gammaln"};

static bool is_left_out(const char *name)
{
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        if (!strcmp(left_out[i], name)) return true;
    return false;
}

static int add_builtin(void *payload, const actgen_builtin *b)
{
    struct writer *w = payload;
    if (is_left_out(b->name)) return 0;
    if (w->builtin_count == MOST_BUILTINS) return 1;
    w->builtins[w->builtin_count++] = (struct builtin){copy(b->name), b->alias_of ? copy(b->alias_of) : NULL,
                                                       copy(b->family), copy(b->summary)};
    return 0;
}

/* Compiles a kernel for a set. Returns false if the language does not have it for this type yet. */
static bool compile(struct writer *w, actgen_kernel **out, const actgen_spec *spec, const char *kernel,
                    const char *set, bool fast)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    options.isa = set;
    options.tier = ACTGEN_TIER_INTERPRETER; /* no code for this process: actgen_emit makes the objects */
    if (fast) options.accuracy = w->type->fast;
    const int status = actgen_compile(out, w->engine, spec, kernel, &options, &error);
    if (status && status != ACTGEN_ENOTYET) fail(kernel, &error);
    return !status;
}

/* Returns true if a kernel's operands are rows, and not just as many elements of each. */
static bool has_rows(const actgen_kernel *kernel)
{
    actgen_operand_info o = ACTGEN_OPERAND_INFO_INIT;
    bool rows = actgen_kernel_workspace(kernel, 1, 1) > 0;
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++)
        rows |= !actgen_kernel_operand_info(kernel, i, &o) &&
                (o.shape == ACTGEN_SHAPE_COLS || o.shape == ACTGEN_SHAPE_ROWS);
    return rows;
}

static int take(void *payload, const void *data, size_t size)
{
    struct text *t = payload;
    t->data = realloc(t->data, t->size + size + 1);
    if (!t->data) return 1;
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = 0;
    return 0;
}

struct text stage_text(const actgen_kernel *kernel, int stage)
{
    struct text t = {NULL, 0};
    actgen_error error;
    if (actgen_show(kernel, stage, take, &t, &error)) fail(actgen_kernel_name(kernel), &error);
    return t;
}

/* Returns the number of instructions of a program, which has a line for each. */
static size_t line_count(const struct text *program)
{
    size_t count = 0;
    for (size_t i = 0; i < program->size; i++) count += program->data[i] == '\n';
    return count;
}

/* Returns true if the code of the default function serves the fast one as well: it keeps the fast bound, and
 * is not much longer. An error of one ulp is at most |y| times the type's epsilon. */
static bool serves_both(const struct writer *w, const struct function *usual, const struct function *fast)
{
    enum { OF_TEN = 7 }; /* a fast program has at most that many tenths of the instructions */
    bool serves = true;
    for (size_t s = 0; s < w->set_count && serves; s++) {
        actgen_certificate a = ACTGEN_CERTIFICATE_INIT, b = ACTGEN_CERTIFICATE_INIT;
        actgen_kernel_certificate(usual->kernels[s], &a);
        actgen_kernel_certificate(fast->kernels[s], &b);
        struct text x = stage_text(usual->kernels[s], ACTGEN_STAGE_LANE),
                    y = stage_text(fast->kernels[s], ACTGEN_STAGE_LANE);
        const bool keeps = !a.bound_is_abs && b.bound_is_abs && a.bound * w->type->epsilon <= b.bound;
        serves = !strcmp(x.data, y.data) || (keeps && 10 * line_count(&y) > OF_TEN * line_count(&x));
        free(x.data);
        free(y.data);
    }
    return serves;
}

/* Adds the function, unless the language does not have its kernel. Returns true if it may have a backward
 * function: if it is there and takes no rows. */
static bool add_function(struct writer *w, const struct builtin *b, const actgen_spec *spec, bool backward,
                         bool fast)
{
    struct function f = {.builtin = b, .backward = backward, .fast = fast};
    char name[128];
    snprintf(name, sizeof name, "%s%s", b->name, backward ? "_backward" : "");
    for (size_t s = 0; s < w->set_count; s++)
        if (!compile(w, &f.kernels[s], spec, name, w->sets[s], fast)) return false;
    f.rows = has_rows(f.kernels[0]);
    struct function *added = allocate(sizeof *added);
    *added = f;
    for (size_t i = 0; i < w->function_count && fast; i++) {
        const struct function *o = w->functions[i];
        if (o->builtin == b && o->backward == backward && !o->fast && serves_both(w, o, added))
            added->same = o;
    }
    w->functions[w->function_count++] = added;
    return !f.rows;
}

static void add_functions(struct writer *w, const struct builtin *b)
{
    actgen_spec *spec, *gradient = NULL;
    actgen_error error;
    const int status = actgen_spec_builtin_typed(&spec, b->name, w->type->name, &error);
    if (status == ACTGEN_ENOTYET) return;
    if (status) fail(b->name, &error);
    bool has_backward = true;
    for (int fast = 0; fast < 2; fast++) has_backward &= add_function(w, b, spec, false, fast);
    if (has_backward && actgen_spec_gradient(&gradient, spec, NULL, NULL, 0, &error)) fail(b->name, &error);
    for (int fast = 0; fast < 2 && has_backward; fast++) add_function(w, b, gradient, true, fast);
    actgen_spec_free(gradient);
    actgen_spec_free(spec);
}

static FILE *open_file(const struct writer *w, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", w->folder, w->type->name, ending);
    FILE *file = fopen(path, "wb");
    if (!file) fail(path, &(actgen_error){.message = "cannot be written"});
    return file;
}

static void close_file(FILE *file)
{
    const bool failed = ferror(file);
    if (fclose(file) || failed) fail("a file", &(actgen_error){.message = "could not be written"});
}

static int put(void *file, const void *data, size_t size) { return fwrite(data, 1, size, file) != size; }

/* Writes the kernels of one bound as an object, or its header. */
static void write_kernels(const struct writer *w, bool fast, int what, const char *ending)
{
    const actgen_kernel **kernels = allocate(w->function_count * w->set_count * sizeof *kernels);
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_error error;
    char prefix[64], header[64];
    size_t count = 0;
    for (size_t i = 0; i < w->function_count; i++)
        for (size_t s = 0; s < w->set_count && w->functions[i]->fast == fast && !w->functions[i]->same; s++)
            kernels[count++] = w->functions[i]->kernels[s];
    snprintf(prefix, sizeof prefix, KERNEL_PREFIX "%s_%s", w->type->name, fast ? "fast_" : "");
    snprintf(header, sizeof header, "%s%s.h", w->type->name, fast ? "_fast" : "");
    options.prefix = prefix;
    options.header_name = header;
    options.compact = 1;
    FILE *file = open_file(w, ending);
    if (actgen_emit_with(kernels, count, what, &options, put, file, &error)) fail(prefix, &error);
    close_file(file);
    free(kernels);
}

static void write_all(const struct writer *w)
{
    write_kernels(w, false, ACTGEN_EMIT_OBJECT, ".o");
    write_kernels(w, true, ACTGEN_EMIT_OBJECT, "_fast.o");
    write_kernels(w, false, ACTGEN_EMIT_HEADER, ".h");
    write_kernels(w, true, ACTGEN_EMIT_HEADER, "_fast.h");
    const struct outputs to = {open_file(w, ".c"), open_file(w, ".inc"), open_file(w, ".list"),
                               open_file(w, ".shapes")};
    fprintf(to.definitions, "#include \"actgen/kernels.h\"\n#include \"%s.h\"\n#include \"%s_fast.h\"\n",
            w->type->name, w->type->name);
    for (size_t i = 0; i < w->function_count; i++) write_function(w, i, &to);
    close_file(to.definitions);
    close_file(to.declarations);
    close_file(to.list);
    close_file(to.shapes);
}

static void free_all(struct writer *w)
{
    for (size_t i = 0; i < w->function_count; i++) {
        for (size_t s = 0; s < w->set_count; s++) actgen_kernel_free(w->functions[i]->kernels[s]);
        free(w->functions[i]);
    }
    for (size_t i = 0; i < w->builtin_count; i++) {
        const struct builtin *b = &w->builtins[i];
        free(b->name), free(b->alias_of), free(b->family), free(b->summary);
    }
    actgen_engine_free(w->engine);
}

int main(int count, char **arguments)
{
    static struct writer w;
    actgen_error error;
    for (size_t i = 0; i < sizeof types / sizeof *types && count == 4; i++)
        if (!strcmp(types[i].name, arguments[1])) w.type = &types[i];
    if (!w.type) fail("usage", &(actgen_error){.message = "write_kernels TYPE ARCHITECTURE FOLDER"});
    w.folder = arguments[3];
    find_sets(&w, arguments[2]);
    if (actgen_engine_create(&w.engine, &error)) fail("engine", &error);
    if (actgen_builtins(add_builtin, &w, &error)) fail("built-ins", &error);
    for (size_t i = 0; i < w.builtin_count; i++)
        if (!w.builtins[i].alias_of) add_functions(&w, &w.builtins[i]);
    write_all(&w);
    free_all(&w);
    return 0;
}
