/* Chooses the names in objects and generated headers, and finds names that clash.
 *
 * The parameters of the typed calls are rows, cols, <operand>_data, <operand>_stride and workspace. */
#include "header.h"
#include "vocabulary.h"

#include <string.h>

bool is_first_of_name(const struct emission *e, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!strcmp(e->kernels[j]->source->name, e->kernels[i]->source->name)) return false;
    return true;
}

struct kernel_names kernel_names(arena *memory, const struct emission *e, const char *kernel)
{
    struct text plain = text_new(memory), safe = text_new(memory), rows = text_new(memory),
                strides = text_new(memory), operands = text_new(memory);
    text_add(&plain, "%s%s", e->prefix, kernel);
    const bool is_taken = reserved_as(plain.data) || is_c_name(plain.data);
    text_add(&safe, "%s%s", is_taken ? "actgen_" : "", plain.data);
    text_add(&rows, "%s_rows", plain.data);
    text_add(&strides, "%s_strided", plain.data);
    text_add(&operands, "%s_kernel", plain.data);
    const bool has_values = e->abi != ABI_ROWS;
    return (struct kernel_names){.values = has_values ? safe.data : NULL,
                                 .pointers = has_values ? rows.data : safe.data,
                                 .strides = strides.data,
                                 .operands = operands.data,
                                 .in_source = plain.data};
}

static int refuse_pair(const char *a, const char *b, struct diag *error)
{
    return diag_set(error, DIAG_INVALID, "`%s` and `%s` would share a name in the header; rename one", a, b);
}

static bool is_equal(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static int check_parameters(const struct kernel_parameter *list, uint32_t count, struct diag *error)
{
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (!strcmp(list[a].name, list[b].name))
                return refuse_pair(list[b].names->name, list[a].names->name, error);
    return DIAG_OK;
}

static bool have_equal_operands(const struct lane_kernel *a, const struct lane_kernel *b)
{
    bool equal = a->operand_count == b->operand_count;
    for (uint32_t i = 0; equal && i < a->operand_count; i++) {
        const struct kernel_operand *x = &a->operands[i], *y = &b->operands[i];
        equal = x->type == y->type && x->reduction == y->reduction && x->shape == y->shape &&
                x->layout == y->layout && x->is_result == y->is_result && x->group == y->group &&
                x->parts == y->parts;
    }
    return equal;
}

/* The number of names of a kernel: three functions, the function for its instruction set, the function for
 * its workspace, the functions of one vector and of several in C source, and the function of values. The last
 * four are NULL if there are none. */
enum { NAMES = 8 };

static void list_names(const char **out, arena *memory, const struct emission *e, const actgen_kernel *k)
{
    const struct kernel_names n = kernel_names(memory, e, k->source->name);
    out[0] = n.pointers;
    out[1] = n.strides;
    out[2] = n.operands;
    out[3] = kernel_symbol(memory, e->prefix, k);
    struct text workspace = text_new(memory);
    text_add(&workspace, "%s_workspace", n.pointers);
    out[4] = k->called.has_sums ? workspace.data : NULL;
    out[5] = e->style ? source_value_name(memory, e->style, &k->called, n.in_source) : NULL;
    out[6] = e->style ? source_many_name(memory, e->style, &k->called, n.in_source) : NULL;
    out[7] = n.values;
}

static int check_pair(const actgen_kernel *a, const char *const *a_names, const actgen_kernel *b,
                      const char *const *b_names, struct diag *error)
{
    if (!strcmp(a->source->name, b->source->name)) {
        if (a->isa == b->isa)
            return diag_set(error, DIAG_INVALID, "two kernels are named `%s`", a->source->name);
        if (!have_equal_operands(&a->called, &b->called))
            return diag_set(error, DIAG_INVALID, "the kernels named `%s` differ in their operands",
                            a->source->name);
        return DIAG_OK;
    }
    for (size_t i = 0; i < NAMES; i++)
        for (size_t j = 0; j < NAMES; j++)
            if (is_equal(a_names[i], b_names[j])) return refuse_pair(a->source->name, b->source->name, error);
    return DIAG_OK;
}

int check_header_names(arena *memory, const struct emission *e, struct diag *error)
{
    const char **names = arena_alloc(memory, NAMES * e->count * sizeof *names);
    for (size_t i = 0; i < e->count; i++) {
        const struct lane_kernel *k = &e->kernels[i]->called;
        list_names(names + NAMES * i, memory, e, e->kernels[i]);
        for (size_t j = 0; j < i; j++) {
            int status =
                check_pair(e->kernels[i], names + NAMES * i, e->kernels[j], names + NAMES * j, error);
            if (status) return status;
        }
        const struct kernel_parameter *list = kernel_parameters(memory, k);
        int status = check_parameters(list, k->group_count, error);
        if (!status && e->abi != ABI_ROWS) status = check_values(e, e->kernels[i], error);
        if (status) return status;
    }
    return DIAG_OK;
}
