/* Names in generated headers: those of the typed calls' parameters, and which ones would clash.
 *
 * A header defines <kernel>, <kernel>_kernel and <kernel>_strided; their parameters are rows, cols, <operand> and
 * <operand>_stride. */
#include "header.h"
#include "vocabulary.h"

#include <string.h>

struct parameter *header_parameters(arena *memory, const struct lane_kernel *kernel)
{
    struct parameter *list = arena_alloc(memory, kernel->group_count * sizeof *list);
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        const bool has_stride = o->shape == SHAPE_MATRIX || o->shape == SHAPE_ROWS;
        struct text name = text_new(memory), stride = text_new(memory);
        if (o->part) continue;
        for (uint32_t part = 0; part < o->parts; part++)
            text_add(&name, "%s%s", part ? "_" : "", o[part].name);
        text_add(&stride, "%s_stride", name.data);
        list[o->group] = (struct parameter){name.data, has_stride ? stride.data : NULL, o};
    }
    return list;
}

const char *header_function(arena *memory, const char *kernel)
{
    struct text t = text_new(memory);
    text_add(&t, "%s%s", reserved_as(kernel) ? "actgen_" : "", kernel);
    return t.data;
}

static int refuse_pair(const char *a, const char *b, struct diag *error)
{
    return diag_set(error, DIAG_INVALID, "`%s` and `%s` would share a name in the header; rename one", a, b);
}

static bool is_equal(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static bool is_type(const char *name)
{
    static const char *const types[] = {"size_t", "uint16_t", "actgen_operand"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(name, types[i])) return true;
    return false;
}

static int check_parameters(const struct parameter *list, uint32_t count, const char *function,
                            struct diag *error)
{
    for (uint32_t a = 0; a < count; a++) {
        /* A joined name may be a keyword: `[co | await]`. */
        const char *taken = is_type(list[a].name) ? "a type of the header" : reserved_as(list[a].name);
        if (taken)
            return diag_set(error, DIAG_INVALID,
                            "an operand would be called `%s` in the header, which is %s; rename it",
                            list[a].name, taken);
        if (is_equal(list[a].name, function) || is_equal(list[a].stride, function))
            return refuse_pair(list[a].name, function, error);
        for (uint32_t b = 0; b < count; b++)
            if (is_equal(list[a].stride, list[b].name) || (a != b && is_equal(list[a].name, list[b].name)))
                return refuse_pair(list[a].names->name, list[b].names->name, error);
    }
    return DIAG_OK;
}

int check_header_names(arena *memory, const actgen_kernel *const *kernels, size_t count, struct diag *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct lane_kernel *k = &kernels[i]->lowered->kernel;
        struct text function = text_new(memory), strided = text_new(memory);
        if (is_type(k->name))
            return diag_set(error, DIAG_INVALID, "the kernel's name `%s` is a type of the header; rename it",
                            k->name);
        text_add(&function, "%s_kernel", k->name);
        text_add(&strided, "%s_strided", k->name);
        for (size_t j = 0; j < count; j++) {
            const char *other = kernels[j]->source->name;
            if (is_equal(other, function.data) || is_equal(other, strided.data))
                return refuse_pair(k->name, other, error);
        }
        int status = check_parameters(header_parameters(memory, k), k->group_count, function.data, error);
        if (status) return status;
    }
    return DIAG_OK;
}
