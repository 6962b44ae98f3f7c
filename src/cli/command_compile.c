/* Implements actgen compile, which writes an object file of all kernels, and its header. */
#include "diagnostics.h"
#include "input.h"
#include "operands.h"
#include "options.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

enum { OBJECT, HEADER, TORCH, ORT, DEPFILE, OUTPUTS };

/* Lists the files that the command writes. NULL stands for a file that it does not write. */
static void list_outputs(const char *paths[OUTPUTS], const struct options *options)
{
    paths[OBJECT] = options->object;
    paths[HEADER] = options->header;
    paths[TORCH] = options->torch;
    paths[ORT] = options->ort;
    paths[DEPFILE] = options->depfile;
}

static bool is_source(const struct options *options) { return options->emit && !strcmp(options->emit, "c"); }
/* Returns the ACTGEN_ABI_* of that name, or -1. NULL is the default. */
static int abi_named(const char *name)
{
    static const char *const names[] = {
        [ACTGEN_ABI_ROWS] = "rows", [ACTGEN_ABI_SCALAR] = "scalar", [ACTGEN_ABI_VECTOR] = "vector"};
    for (int i = 0; name && i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(name, names[i])) return i;
    return name ? -1 : ACTGEN_ABI_ROWS;
}

static int emit_outputs(struct output *outputs, actgen_kernel *const *kernels, size_t count,
                        const struct options *options)
{
    const bool is_default = options->visibility && !strcmp(options->visibility, "default");
    actgen_emit_options emit = ACTGEN_EMIT_OPTIONS_INIT;
    emit.header_name =
        options->header && strcmp(options->header, "-") ? name_of(options->header) : "actgen_kernels.h";
    emit.prefix = options->prefix;
    emit.visibility = is_default ? ACTGEN_VISIBILITY_DEFAULT : ACTGEN_VISIBILITY_HIDDEN;
    emit.format = options->format;
    emit.dispatch = options->dispatch && !strcmp(options->dispatch, "ifunc") ? ACTGEN_DISPATCH_IFUNC
                                                                             : ACTGEN_DISPATCH_POINTER;
    emit.style = options->style;
    if (is_source(options) && strcmp(options->object, "-") != 0) emit.header_name = name_of(options->object);
    emit.abi = abi_named(options->abi);
    emit.compact = options->compact;
    const int kinds[] = {[OBJECT] = is_source(options) ? ACTGEN_EMIT_C : ACTGEN_EMIT_OBJECT,
                         [HEADER] = ACTGEN_EMIT_HEADER,
                         [TORCH] = ACTGEN_EMIT_TORCH,
                         [ORT] = ACTGEN_EMIT_ORT};
    for (int i = OBJECT; i < DEPFILE; i++) {
        actgen_error error = {0};
        if (!outputs[i].path) continue;
        const int status = actgen_emit_with((const actgen_kernel *const *)kernels, count, kinds[i], &emit,
                                            buffer_write, &outputs[i].content, &error);
        if (status) return print_error(exit_of_status(status), "%s", error.message);
    }
    return EXIT_GOOD;
}

/* Writes a name as Make and Ninja read it. */
static void add_path(struct buffer *rule, const char *path)
{
    for (; *path; path++) {
        if (*path == ' ' || *path == '\t' || *path == '#') buffer_write(rule, "\\", 1);
        if (*path == '$') buffer_write(rule, "$", 1);
        buffer_write(rule, path, 1);
    }
}

/* Writes "OUT.o OUT.h: A.act B.act". Sources that are no files, such as the standard input and built-ins, are
 * left out. */
static void write_rule(struct buffer *rule, const struct jobs *jobs, const struct options *options)
{
    const char *paths[OUTPUTS];
    list_outputs(paths, options);
    for (int i = OBJECT; i < DEPFILE; i++) {
        if (!paths[i] || (i != OBJECT && !strcmp(paths[i], "-"))) continue;
        if (i != OBJECT) buffer_write(rule, " ", 1);
        add_path(rule, paths[i]);
    }
    buffer_write(rule, ":", 1);
    for (size_t i = 0; i < jobs->source_count; i++) {
        const struct source *source = &jobs->sources[i];
        if (!source->is_file || !strcmp(source->file, "<stdin>")) continue;
        buffer_write(rule, " ", 1);
        add_path(rule, source->file);
    }
    buffer_write(rule, "\n", 1);
}

static int emit_and_write(const struct jobs *jobs, actgen_kernel *const *kernels,
                          const struct options *options)
{
    struct output outputs[OUTPUTS] = {{0}}, given[OUTPUTS];
    const char *paths[OUTPUTS];
    size_t count = 0;
    list_outputs(paths, options);
    for (size_t i = 0; i < OUTPUTS; i++) outputs[i].path = paths[i];
    int code = emit_outputs(outputs, kernels, jobs->count, options);
    if (options->depfile) write_rule(&outputs[DEPFILE].content, jobs, options);
    for (size_t i = 0; i < OUTPUTS; i++)
        if (paths[i]) given[count++] = outputs[i];
    if (!code) code = outputs_write(given, count);
    for (size_t i = 0; i < count; i++) buffer_free(&given[i].content);
    return code;
}

/* Writes the promise of a kernel, its plan, and the errors that were measured while planning. */
static void print_compile_object(struct json *j, const actgen_kernel *kernel, const struct options *options)
{
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    struct cell cell;
    actgen_kernel_certificate(kernel, &c);
    json_object(j);
    json_kernel(j, kernel);
    json_text(j, "profile", c.profile);
    json_text(j, "core", actgen_kernel_core(kernel));
    json_truth(j, "whole", c.is_whole != 0);
    json_truth(j, "exhaustive", c.exhaustive != 0);
    json_count(j, "inputs", c.inputs);
    json_exact(j, "max_ulp", c.inputs ? c.max_ulp : NAN);
    json_text(j, "max_ulp_at", c.inputs ? cell_float(&cell, c.max_ulp_at) : NULL);
    json_exact(j, "max_abs", c.inputs ? c.max_abs : NAN);
    json_text(j, "max_abs_at", c.inputs ? cell_float(&cell, c.max_abs_at) : NULL);
    json_proof(j, &c);
    json_number(j, "compile_ms", actgen_kernel_compile_ms(kernel));
    json_text(j, "object_hash", actgen_kernel_object_hash(kernel));
    json_text(j, is_source(options) ? "source" : "object", options->object);
    json_text(j, "header", options->header);
    if (options->torch) json_text(j, "torch", options->torch);
    if (options->ort) json_text(j, "ort", options->ort);
    json_close(j);
}

/* Refuses a name with a newline, which Make cannot write. */
static int check_rule_name(const char *path)
{
    if (!path || !strpbrk(path, "\r\n")) return EXIT_GOOD;
    return print_error(EXIT_USAGE, "--depfile cannot name '%s', whose name has an end of a line: rename it",
                       path);
}

static int check_rule(const struct jobs *jobs, const struct options *options)
{
    const char *paths[OUTPUTS];
    int code = EXIT_GOOD;
    list_outputs(paths, options);
    for (size_t i = 0; i < DEPFILE; i++) code = worse_exit(code, check_rule_name(paths[i]));
    for (size_t i = 0; i < jobs->source_count; i++)
        if (jobs->sources[i].is_file) code = worse_exit(code, check_rule_name(jobs->sources[i].file));
    return code;
}

/* Checks the outputs before the long work: they must be writable, and must not replace an input. */
static int check_outputs(const struct jobs *jobs, const struct options *options)
{
    const char *outputs[OUTPUTS];
    int code = EXIT_GOOD;
    list_outputs(outputs, options);
    for (size_t i = 0; i < OUTPUTS; i++)
        for (size_t k = 0; outputs[i] && k < jobs->source_count; k++)
            if (jobs->sources[k].file && same_file(outputs[i], jobs->sources[k].file))
                return print_file_error(EXIT_USAGE, outputs[i],
                                        "'%s' is the spec: name another file to write", outputs[i]);
    for (size_t i = 0; i < OUTPUTS; i++)
        if (outputs[i]) code = worse_exit(code, output_check(outputs[i]));
    if (!code && options->depfile) code = check_rule(jobs, options);
    return code;
}

/* Checks --format. All sets of an object have one architecture, and so the same formats. */
static int check_format(const char *isa, const char *format)
{
    const char *names[8] = {NULL};
    for (size_t i = 0; format && i < 7 && (names[i] = actgen_isa_format(isa, i)); i++)
        if (!strcmp(names[i], format)) return EXIT_GOOD;
    if (!format) return EXIT_GOOD;
    char *kind = must_format("format of objects for %s", isa);
    const int code = print_unknown(EXIT_TARGET, kind, format, names);
    free(kind);
    return code;
}

/* Checks the options of C source, and those that it does not have. */
static int check_source(const struct options *options)
{
    const char *names[16] = {NULL};
    const char *const of_objects[][2] = {
        {"header", options->header}, {"visibility", options->visibility},
        {"format", options->format}, {"dispatch", options->dispatch},
        {"abi", options->abi},       {"compact", options->compact ? "" : NULL},
        {"torch", options->torch},   {"ort", options->ort}};
    if (options->emit && strcmp(options->emit, "object") != 0 && !is_source(options))
        return usage_error(options->command, "--emit is object or c, not '%s'", options->emit);
    if (!is_source(options))
        return options->style ? usage_error(options->command, "--style is for C source: add --emit c")
                              : EXIT_GOOD;
    for (size_t i = 0; i < sizeof of_objects / sizeof *of_objects; i++)
        if (of_objects[i][1])
            return usage_error(options->command, "--%s is for objects, and --emit c writes C source",
                               of_objects[i][0]);
    for (size_t i = 0; options->style && i < 15 && (names[i] = actgen_style_name(i)); i++)
        if (!strcmp(names[i], options->style)) return EXIT_GOOD;
    return options->style ? print_unknown(EXIT_USAGE, "style of C source", options->style, names) : EXIT_GOOD;
}

/* Returns the options with the defaults of C source. A style for every set takes the plans that every set
 * has. Nothing is compiled to machine code. */
static struct options source_defaults(const struct options *options)
{
    struct options own = *options;
    if (!is_source(options)) return own;
    const bool is_portable = !actgen_style_isa(options->style ? options->style : "scalar", 0);
    if (is_portable && !own.isa && !own.profile) own.profile = "portable-nofma";
    if (!own.tier && !own.plan) own.tier = "interpreter";
    return own;
}

static int check_one_isa(const struct jobs *jobs, const struct options *options)
{
    if (!is_source(options) || !jobs->isas[1]) return EXIT_GOOD;
    return usage_error(
        options->command,
        "C source is for one instruction set, and --isa names %s and %s: write a file for each",
        jobs->isas[0], jobs->isas[1]);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && !strcmp(path + length - tail, ending);
}

/* Refuses the names of other compilers' outputs, such as .s, in which an object would mislead. */
static int refuse_other_forms(const struct options *options)
{
    static const char *const endings[][2] = {{".s", "asm"}, {".S", "asm"}, {".ll", "ir"}};
    static const char *const sources[] = {".c", ".h", ".hpp", ".cu", ".cuh"};
    if (is_source(options)) return EXIT_GOOD;
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (ends_in(options->object, sources[i]))
            return usage_error(options->command,
                               "-o writes an object file; with --emit c it writes C source");
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (ends_in(options->object, endings[i][0]))
            return usage_error(options->command,
                               "-o writes an object file; `actgen show WHAT --stage %s > %s` writes %s",
                               endings[i][1], options->object, endings[i][1]);
    return EXIT_GOOD;
}

static int refuse_same_outputs(const struct options *options)
{
    static const char *const names[OUTPUTS] = {"-o", "--header", "--torch", "--ort", "--depfile"};
    const char *outputs[OUTPUTS];
    list_outputs(outputs, options);
    for (size_t i = 0; i < OUTPUTS; i++) {
        if (refuse_standard_output(options, outputs[i])) return EXIT_USAGE;
        for (size_t k = 0; outputs[i] && k < i; k++)
            if (outputs[k] && !strcmp(outputs[i], outputs[k]))
                return usage_error(options->command, "%s and %s name the same file: give each its own",
                                   names[k], names[i]);
    }
    return EXIT_GOOD;
}

/* Notes a kernel that does not use the extension of its set, and is compiled for the set below it. */
static void note_other_isa(const struct job *job, const actgen_kernel *kernel)
{
    const char *isa = actgen_kernel_isa(kernel);
    if (!actgen_isa_extends(job->isa) || !strcmp(isa, job->isa)) return;
    print_note("'%s' within %s uses nothing of %s, so it is compiled for %s", actgen_kernel_name(kernel),
               actgen_kernel_accuracy(kernel), job->isa, isa);
}

int command_compile(const struct options *options)
{
    if (!options->object) return usage_error(options->command, "-o is missing: the file to write");
    if (check_source(options) || refuse_other_forms(options)) return EXIT_USAGE;
    const struct options own = source_defaults(options);
    const char *visibility = options->visibility;
    if (visibility && strcmp(visibility, "hidden") != 0 && strcmp(visibility, "default") != 0)
        return usage_error(options->command, "--visibility is hidden or default, not '%s'", visibility);
    const char *dispatch = options->dispatch;
    if (dispatch && strcmp(dispatch, "pointer") != 0 && strcmp(dispatch, "ifunc") != 0)
        return usage_error(options->command, "--dispatch is pointer or ifunc, not '%s'", dispatch);
    if (abi_named(options->abi) < 0)
        return usage_error(options->command, "--abi is rows, scalar or vector, not '%s'", options->abi);
    struct jobs jobs;
    int code = refuse_same_outputs(options);
    if (!code) code = jobs_open(&jobs, &own, is_source(options) ? NULL : "all");
    if (code) return code;
    code = worse_exit(check_outputs(&jobs, options), check_format(jobs.isas[0], options->format));
    if (worse_exit(code, check_one_isa(&jobs, options))) {
        code = worse_exit(code, EXIT_USAGE);
        jobs_close(&jobs);
        return code;
    }
    actgen_kernel **kernels = must_allocate(jobs.count, sizeof *kernels);
    for (size_t i = 0; i < jobs.count; i++) { /* all, so that one run shows all errors */
        actgen_error error;
        code = worse_exit(code, job_compile(&kernels[i], &jobs, &jobs.list[i], &error));
    }
    if (!code) code = emit_and_write(&jobs, kernels, options);
    for (size_t i = 0; !code && i < jobs.count; i++) {
        if (job_is_repeated(&jobs, &jobs.list[i], kernels[i])) continue;
        if (json_standard()) print_compile_object(json_standard(), kernels[i], options);
        note_other_isa(&jobs.list[i], kernels[i]);
    }
    if (!code && options->isa && !strcmp(options->isa, "host"))
        print_note("'%s' is for processors with %s only; without --isa it is for all", options->object,
                   jobs.isas[0]);
    for (size_t i = 0; i < jobs.count; i++) actgen_kernel_free(kernels[i]);
    free(kernels);
    jobs_close(&jobs);
    return code;
}
