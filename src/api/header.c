/* The C header for an object: what each kernel computes and promises, and typed calls. C99 and C++. */
#include "header.h"

#include <ctype.h>
#include <string.h>

bool is_dispatched(const actgen_kernel *kernel, const actgen_kernel *const *kernels, size_t count)
{
    size_t same = 0;
    for (size_t i = 0; i < count; i++) same += !strcmp(kernels[i]->source->name, kernel->source->name);
    return same > 1;
}

const char *kernel_symbol(arena *memory, const actgen_kernel *kernel, const actgen_kernel *const *kernels,
                          size_t count)
{
    struct text t = text_new(memory);
    bool dispatched = is_dispatched(kernel, kernels, count);
    text_add(&t, "%s_%s", kernel->source->name, dispatched ? kernel->isa->name : "kernel");
    for (char *c = t.data; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    return t.data;
}

static void print_guard_name(struct text *out, const char *file_name)
{
    text_add(out, "ACTGEN_GENERATED_");
    for (const char *c = file_name; *c; c++) {
        char upper = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
        text_bytes(out, &upper, 1);
    }
}

static const char prologue[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/* An operand of a kernel; `stride`: elements from one row (of shape [rows]: value) to "
    "the next, 0 if they follow\n"
    " * each other without a gap. The same as in actgen.h; either may come first. "
    "*/\n"
    "#if !defined ACTGEN_H && !defined ACTGEN_OPERAND\n"
    "#define ACTGEN_OPERAND\n"
    "typedef struct actgen_operand {\n"
    "    void *data;\n"
    "    size_t stride;\n"
    "} actgen_operand;\n"
    "#endif\n";

/* The text of a kernel as comment lines. */
static void print_source(struct text *out, const actgen_kernel *k)
{
    struct text source = text_new(out->memory);
    spec_print_kernel(&source, k->spec, k->source);
    for (const char *line = source.data; *line;) {
        size_t length = strcspn(line, "\n");
        text_add(out, " *     %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* The certificate. */
static void print_promise(struct text *out, const actgen_kernel *k)
{
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel_certificate(k, &c);
    text_add(out, " * %s, planned for %s (profile %s): %s%s, by\n *     %s\n", k->isa->name,
             actgen_kernel_core(k), c.profile, c.accuracy,
             c.is_whole ? "" : " for each function of one value", c.plan);
    if (c.inputs)
        text_add(out,
                 " *     measured on %s%llu inputs: at most %.4g ulp, at %.9g (0x%08x), and %.3g abs, at "
                 "%.9g (0x%08x)\n",
                 c.exhaustive ? "all " : "", (unsigned long long)c.inputs, c.max_ulp, c.max_ulp_at,
                 c.max_ulp_at_bits, c.max_abs, c.max_abs_at, c.max_abs_at_bits);
}

static const char *const signature = "(size_t rows, size_t cols, const actgen_operand *operands)";

/* `<name>_kernel`: the kernel itself, or the choice among instruction sets, best first. */
static void print_entry(struct text *out, const actgen_kernel *k, const actgen_kernel *const *kernels,
                        size_t count)
{
    const char *name = k->source->name;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(kernels[i]->source->name, name))
            text_add(out, "void %s%s;\n", kernel_symbol(out->memory, kernels[i], kernels, count), signature);
    if (!is_dispatched(k, kernels, count)) return;
    text_add(out, "static inline void %s_kernel%s\n{\n", name, signature);
    const actgen_kernel *last = NULL;
    for (size_t n = 0; target_isa_at(n); n++)
        for (size_t i = 0; i < count; i++) {
            if (strcmp(kernels[i]->source->name, name) || kernels[i]->isa != target_isa_at(n)) continue;
            if (last)
                text_add(out, "    if (%s) {\n        %s(rows, cols, operands);\n        return;\n    }\n",
                         last->isa->c_condition, kernel_symbol(out->memory, last, kernels, count));
            last = kernels[i];
        }
    text_add(out, "    %s(rows, cols, operands);\n}\n", kernel_symbol(out->memory, last, kernels, count));
}

/* What each pointer of the typed calls is to. */
static void print_parameters(struct text *out, const actgen_kernel *k)
{
    static const char *const values[] = {[SHAPE_COLS] = "cols values, one a column",
                                         [SHAPE_ROWS] = "rows values, one a row",
                                         [SHAPE_ONE] = "one value"};
    const struct lane_kernel *kernel = &k->lowered->kernel;
    const struct parameter *list = header_parameters(out->memory, kernel);
    text_add(out, " * Operands, inputs then results:\n");
    for (uint32_t g = 0; g < kernel->group_count; g++) {
        const struct kernel_operand *o = list[g].names;
        text_add(out, " *     %s: %s, ", list[g].name, element_types[o->type].name);
        if (o->shape != SHAPE_MATRIX)
            text_add(out, "%s", values[o->shape]);
        else if (o->parts == 1)
            text_add(out, "rows of cols elements");
        else
            text_add(out, "rows of %u*cols elements: ", o->parts);
        for (uint32_t i = 0; o->parts > 1 && i < o->parts; i++)
            text_add(out, "%s%s",
                     i == 0                       ? ""
                     : o->layout == LAYOUT_PACKED ? ", then all of "
                                                  : ", ",
                     o[i].name);
        text_add(out, "%s\n", o->layout == LAYOUT_INTERLEAVED ? ", in turn" : "");
    }
    text_add(
        out,
        " * In place, for equal types and strides: a result may be an input, or one part of a packed input. "
        "Other overlap is\n * not allowed. */\n");
}

/* A name for the array that no parameter has. */
static const char *local_name(arena *memory, const struct parameter *list, uint32_t count)
{
    struct text t = text_new(memory);
    text_add(&t, "operands");
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].name, t.data) || (list[i].stride && !strcmp(list[i].stride, t.data))) {
            text_add(&t, "_");
            i = (uint32_t)-1;
        }
    return t.data;
}

/* The C type of an element; 16-bit floats are moved as their bits. */
static const char *c_type(enum element_type type)
{
    return type == ELEMENT_F64 ? "double" : type == ELEMENT_F32 ? "float" : "uint16_t";
}

static void print_typed_call(struct text *out, const actgen_kernel *k, bool strided)
{
    const struct lane_kernel *kernel = &k->lowered->kernel;
    const struct parameter *list = header_parameters(out->memory, kernel);
    const char *local = local_name(out->memory, list, kernel->group_count);
    text_add(out, "static inline void %s%s(size_t rows, size_t cols",
             strided ? kernel->name : header_function(out->memory, kernel->name), strided ? "_strided" : "");
    for (uint32_t g = 0; g < kernel->group_count; g++) {
        const struct kernel_operand *o = list[g].names;
        text_add(out, ", %s%s *%s", o->is_result ? "" : "const ", c_type(o->type), list[g].name);
        if (strided && list[g].stride) text_add(out, ", size_t %s", list[g].stride);
    }
    text_add(out, ")\n{\n    actgen_operand %s[%u];\n", local, kernel->group_count);
    for (uint32_t g = 0; g < kernel->group_count; g++)
        text_add(out, "    %s[%u].data = (void *)%s;\n    %s[%u].stride = %s;\n", local, g, list[g].name,
                 local, g, strided && list[g].stride ? list[g].stride : "0");
    text_add(out, "    %s_kernel(rows, cols, %s);\n}\n", kernel->name, local);
}

void print_header(struct text *out, const actgen_kernel *const *kernels, size_t count, const char *file_name)
{
    text_add(out, "/* Made by actgen %d.%d.%d; do not edit. */\n#ifndef ", ACTGEN_VERSION_MAJOR,
             ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH);
    print_guard_name(out, file_name);
    text_add(out, "\n#define ");
    print_guard_name(out, file_name);
    text_add(out, "\n\n%s", prologue);
    for (size_t i = 0; i < count; i++) {
        bool first = true;
        for (size_t j = 0; j < i; j++)
            first &= strcmp(kernels[j]->source->name, kernels[i]->source->name) != 0;
        if (!first) continue;
        text_add(out, "\n/* ");
        struct text source = text_new(out->memory);
        print_source(&source, kernels[i]);
        text_bytes(out, source.data + 3, source.length - 3); /* without the first line's " * " */
        for (size_t j = i; j < count; j++)
            if (!strcmp(kernels[j]->source->name, kernels[i]->source->name)) print_promise(out, kernels[j]);
        print_parameters(out, kernels[i]);
        print_entry(out, kernels[i], kernels, count);
        print_typed_call(out, kernels[i], false);
        print_typed_call(out, kernels[i], true);
    }
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
