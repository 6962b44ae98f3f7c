/* Writes sources that make an object's kernels operators of PyTorch or of ONNX Runtime. Such a source has
 * tables of the kernels and their operands. The code around the tables is binding_*.txt. */
#include "header.h"

#include <ctype.h>
#include <string.h>

static const char use_torch[] =
    " * PyTorch loads the library as operators actgen::<kernel>, for tensors on the CPU:\n"
    " *\n"
    " *     c++ -std=c++20 -O2 -shared -fPIC THIS.cpp OBJECT.o -o libTHIS.so \\\n"
    " *         -I$TORCH/include -I$TORCH/include/torch/csrc/api/include \\\n"
    " *         -L$TORCH/lib -ltorch_cpu -lc10\n"
    " *\n"
    " * `python -c 'import torch; print(torch.__path__[0])'` prints TORCH. Load the library by\n"
    " * torch.ops.load_library() in Python, or by dlopen() in C++. It needs no Python.\n"
    " * -D ACTGEN_TORCH_NAMESPACE=NAME is for another namespace. */\n";

static const char use_ort[] =
    " * ONNX Runtime loads the library as operators of the domain \"actgen\", or of another domain by\n"
    " * -D 'ACTGEN_ORT_DOMAIN=\"NAME\"':\n"
    " *\n"
    " *     cc -O2 -shared -fPIC THIS.c OBJECT.o -o libTHIS.so -I$ACTGEN_ORT_INCLUDE\n"
    " *\n"
    " * ACTGEN_ORT_INCLUDE is the folder of onnxruntime_c_api.h, of version 1.17 or newer. */\n";

static void print_lines(struct text *out, const char *const *lines)
{
    for (; *lines; lines++) text_add(out, "%s", *lines);
}

static bool is_known_type(enum element_type type)
{
    return !element_is_bit(type) && !element_is_power(type) && type != ELEMENT_U64;
}

static int check_bound_operands(const actgen_kernel *k, struct diag *error)
{
    const struct lane_kernel *kernel = &k->called;
    bool has_matrix = false;
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        has_matrix = has_matrix || (!o->is_result && o->shape == SHAPE_MATRIX);
        if (!is_known_type(o->type))
            return diag_set(error, DIAG_INVALID,
                            "`%s` has the operand `%s` of type %s, for which operators of PyTorch and ONNX "
                            "Runtime have no tensors",
                            k->source->name, o->name, element_types[o->type].name);
    }
    for (uint32_t i = 0; i < kernel->operand_count; i++)
        if (kernel_has_blocks(&kernel->operands[i]))
            return diag_set(
                error, DIAG_INVALID,
                "`%s` has the operand `%s`, whose elements blocks of rows or columns share; operators of "
                "PyTorch and ONNX Runtime do not take it yet",
                k->source->name, kernel->operands[i].name);
    if (has_matrix) return DIAG_OK;
    return diag_set(error, DIAG_INVALID,
                    "`%s` has no input of shape [rows, cols], by which an operator knows its rows",
                    k->source->name);
}

/* Prints the name of a type in the tables, such as BF16. */
static void print_type(struct text *out, enum element_type type)
{
    for (const char *c = element_types[type].name; *c; c++) text_add(out, "%c", toupper((unsigned char)*c));
}

/* Prints the table of a kernel's operands. Returns true if all elements of a call may be one row. */
static bool print_operands(struct text *out, const struct lane_kernel *kernel, size_t number)
{
    static const char *const shapes[] = {
        [SHAPE_MATRIX] = "MATRIX", [SHAPE_COLS] = "COLS", [SHAPE_ROWS] = "ROWS", [SHAPE_ONE] = "ONE"};
    const struct kernel_parameter *list = kernel_parameters(out->memory, kernel);
    bool is_flat = !kernel->has_sums;
    text_add(out, "static const struct operand operands_%zu[] = {\n", number);
    for (uint32_t g = 0; g < kernel->group_count; g++) {
        const struct kernel_operand *o = list[g].names;
        const bool is_one = o->shape == SHAPE_ONE || (o->shape == SHAPE_MATRIX && o->parts == 1);
        is_flat = is_flat && is_one;
        text_add(out, "    {\"%s\", ", list[g].name);
        print_type(out, o->type);
        text_add(out, ", %s, %u, %u},\n", shapes[o->shape], o->parts, element_types[o->type].bytes);
    }
    text_add(out, "};\n");
    return is_flat;
}

static size_t count_inputs(arena *memory, const struct lane_kernel *kernel)
{
    const struct kernel_parameter *list = kernel_parameters(memory, kernel);
    size_t inputs = 0;
    for (uint32_t g = 0; g < kernel->group_count; g++) inputs += !list[g].names->is_result;
    return inputs;
}

/* Returns true if two groups of operands have tensors of one type and shape. */
static bool are_alike(const struct kernel_operand *a, const struct kernel_operand *b)
{
    return a->type == b->type && a->shape == b->shape && a->parts == b->parts;
}

/* Returns true if `d` is named as the gradient by `o`: d_x, or d2_x if d_x was taken. */
static bool is_named_after(const char *d, const char *o)
{
    const size_t length = strlen(d), end = strlen(o) + 1;
    return *d == 'd' && length > end && d[length - end] == '_' && !strcmp(d + length - end + 1, o);
}

/* Finds, for each input of `kernel`, the number of the result of `backward` that is the gradient by it, or
 * -1. Returns false if `backward` is no gradient of the kernel. */
static bool find_results(int *results, arena *memory, const struct lane_kernel *kernel,
                         const struct lane_kernel *backward)
{
    const struct kernel_parameter *own = kernel_parameters(memory, kernel),
                                  *its = kernel_parameters(memory, backward);
    const size_t inputs = count_inputs(memory, kernel), arrived = kernel->group_count;
    if (count_inputs(memory, backward) != arrived) return false;
    for (size_t i = 0; i < arrived; i++) {
        const char *a = own[i].names->name, *b = its[i].names->name;
        if (!are_alike(own[i].names, its[i].names) || !(i < inputs ? !strcmp(a, b) : is_named_after(b, a)))
            return false;
    }
    size_t next = arrived;
    for (size_t i = 0; i < inputs; i++) {
        const bool has = next < backward->group_count && are_alike(own[i].names, its[next].names) &&
                         is_named_after(its[next].names->name, own[i].names->name);
        results[i] = has ? (int)(next++ - arrived) : -1;
    }
    return next == backward->group_count;
}

/* Returns the number in the table of the kernel <name>_backward, and the kernel in *found. Returns -1 if
 * there is none. */
static int find_backward(const struct emission *e, const char *name, const struct lane_kernel **found)
{
    const size_t length = strlen(name);
    int number = 0;
    for (size_t i = 0; i < e->count; i++) {
        const char *other = e->kernels[i]->source->name;
        if (!is_first_of_name(e, i)) continue;
        *found = &e->kernels[i]->called;
        if (!strncmp(other, name, length) && !strcmp(other + length, "_backward")) return number;
        number++;
    }
    return -1;
}

/* Prints which kernel is the gradient of which: <kernel>_backward, if it takes and returns what a gradient
 * does. */
static void print_gradients(struct text *out, const struct emission *e)
{
    struct text table = text_new(out->memory);
    text_add(out, "/* For each kernel, the kernel of its gradient, or -1. For each input, the number of the\n"
                  " * result that is the gradient by it, or -1. */\n"
                  "struct gradient {\n    int kernel;\n    const int *results;\n};\n");
    for (size_t i = 0; i < e->count; i++) {
        if (!is_first_of_name(e, i)) continue;
        const struct lane_kernel *kernel = &e->kernels[i]->called, *backward = NULL;
        const int number = find_backward(e, e->kernels[i]->source->name, &backward);
        int *results = arena_alloc(out->memory, (kernel->group_count + 1) * sizeof *results);
        if (number < 0 || !find_results(results, out->memory, kernel, backward)) {
            text_add(&table, "    {-1, NULL},\n");
            continue;
        }
        text_add(out, "static const int results_%zu[] = {", i);
        const size_t inputs = count_inputs(out->memory, kernel);
        for (size_t n = 0; n < inputs; n++) text_add(out, "%s%d", n ? ", " : "", results[n]);
        text_add(out, "};\n");
        text_add(&table, "    {%d, results_%zu},\n", number, i);
    }
    text_add(out, "static const struct gradient gradients[] = {\n%s};\n\n", table.data);
}

/* Prints what the source has of each kernel, and the table of all kernels. */
static int print_bound_kernels(struct text *out, const struct emission *e, struct diag *error)
{
    struct text table = text_new(out->memory);
    for (size_t i = 0; i < e->count; i++) {
        const actgen_kernel *k = e->kernels[i];
        const struct kernel_names names = kernel_names(out->memory, e, k->source->name);
        if (!is_first_of_name(e, i)) continue;
        if (check_bound_operands(k, error)) return error->status;
        text_add(out, "\n");
        print_kernel_comment(out, e, i);
        text_add(out, "void %s(size_t rows, size_t cols, const actgen_operand *operands);\n", names.operands);
        if (k->called.has_sums) print_workspace(out, names.pointers, &k->called);
        const bool is_flat = print_operands(out, &k->called, i);
        const size_t inputs = count_inputs(out->memory, &k->called);
        text_add(&table, "    {\"%s%s\", %s, %s%s, operands_%zu, %zu, %zu, %s},\n", e->prefix,
                 k->source->name, names.operands, k->called.has_sums ? names.pointers : "NULL",
                 k->called.has_sums ? "_workspace" : "", i, inputs, k->called.group_count - inputs,
                 is_flat ? "true" : "false");
    }
    text_add(out, "\nstatic const struct kernel kernels[] = {\n%s};\n\n", table.data);
    return DIAG_OK;
}

int print_binding(struct text *out, const struct emission *e, enum binding binding, struct diag *error)
{
    text_add(out,
             "/* Made by actgen %d.%d.%d, whose licence puts no condition on this file. Do not edit.\n *\n",
             ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH);
    text_add(out, "%s\n", binding == BINDING_TORCH ? use_torch : use_ort);
    print_lines(out, binding_opening_lines);
    if (print_bound_kernels(out, e, error)) return error->status;
    if (binding == BINDING_TORCH) print_gradients(out, e);
    print_lines(out, binding == BINDING_TORCH ? binding_torch_lines : binding_ort_lines);
    return DIAG_OK;
}
