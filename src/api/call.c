/* Checks the operands of a call, which the machine code itself does not check. */
#include "call.h"
#include "sums.h"

#include <stdio.h>
#include <string.h>

/* The memory of a group, or of one name in it: `count` rows of `width` bytes, `stride` bytes apart.
 * Arithmetic on it does not overflow, because cover_group has checked that. */
struct cover {
    uintptr_t begin;
    size_t count, stride, width;
};

/* The declaration of a group: `[gate | up]`. */
struct group_name {
    char text[160];
};

static const struct kernel_operand *first_name(const struct lane_kernel *k, uint32_t group)
{
    const struct kernel_operand *o = k->operands;
    while (o->group != group) o++;
    return o;
}

static const char *name_of(struct group_name *out, const struct kernel_operand *first)
{
    const bool alone = first->parts == 1;
    size_t length = 0;
    if (operand_is_list(first->shape, first->layout)) {
        snprintf(out->text, sizeof out->text, "%.*s", (int)strcspn(first->name, "["), first->name);
        return out->text;
    }
    for (uint32_t i = 0; i < first->parts && length < sizeof out->text; i++) {
        const char *before = i ? first->layout == LAYOUT_PACKED ? " | " : ", " : alone ? "" : "[";
        const char *after = alone || i + 1 < first->parts ? "" : "]";
        length += (size_t)snprintf(out->text + length, sizeof out->text - length, "%s%s%s", before,
                                   first[i].name, after);
    }
    return out->text;
}

static int refuse_overflow(const struct kernel_operand *o, const actgen_operand *given, size_t rows,
                           size_t cols, struct diag *error)
{
    struct group_name name;
    return diag_set(error, DIAG_INVALID,
                    "operand `%s`: %zu rows of %zu columns with stride %zu overflow the address space",
                    name_of(&name, o), rows, cols, given->stride);
}

static int cover_group(struct cover *out, const struct kernel_operand *o, const actgen_operand *given,
                       size_t rows, size_t cols, struct diag *error)
{
    const size_t bytes = element_types[o->type].bytes;
    const bool one_row = !kernel_has_stride(o);
    struct group_name name;
    size_t width, size;
    if (!given->data) return diag_set(error, DIAG_INVALID, "operand `%s` is NULL", name_of(&name, o));
    out->begin = (uintptr_t)given->data;
    if (out->begin & (bytes - 1)) /* The sizes of elements are powers of two. */
        return diag_set(error, DIAG_INVALID, "operand `%s` is not aligned to its element of %zu bytes",
                        name_of(&name, o), bytes);
    if (__builtin_mul_overflow(cols, o->parts, &width) || width > SIZE_MAX - 8)
        return refuse_overflow(o, given, rows, cols, error);
    width = kernel_row_width(o, cols);
    const size_t stride = given->stride && !one_row ? given->stride : width;
    if (stride < width)
        return diag_set(error, DIAG_INVALID, "operand `%s`: stride %zu is below the row width %zu",
                        name_of(&name, o), stride, width);
    if (stride % elements_of_byte(o->type))
        return diag_set(
            error, DIAG_INVALID,
            "operand `%s`: stride %zu is no multiple of %u: rows of %s begin at bytes, and strides "
            "count elements",
            name_of(&name, o), stride, elements_of_byte(o->type), element_types[o->type].name);
    out->count = kernel_rows_in_memory(o, rows);
    if (!out->count || !width) return DIAG_OK;
    uintptr_t end;
    if (__builtin_mul_overflow(out->count - 1, stride, &size) || __builtin_add_overflow(size, width, &size) ||
        __builtin_mul_overflow(size, bytes, &size) || __builtin_add_overflow(out->begin, size, &end))
        return refuse_overflow(o, given, rows, cols, error);
    out->width = element_bytes(o->type, width);
    /* A single row has no stride. The given one may be too large for bytes. */
    out->stride = out->count > 1 ? element_bytes(o->type, stride) : out->width;
    return DIAG_OK;
}

/* Returns true if the two share no byte. Rows of different strides count as overlapping if their ranges
 * overlap. */
static bool are_disjoint(const struct cover *a, const struct cover *b)
{
    if (a->begin > b->begin) {
        const struct cover *lower = b;
        b = a;
        a = lower;
    }
    const size_t distance = b->begin - a->begin;
    if (distance >= (a->count - 1) * a->stride + a->width) return true;
    if (a->count == 1 || (b->count > 1 && b->stride != a->stride)) return false;
    const size_t within = distance % a->stride;
    return within >= a->width && a->stride - within >= b->width;
}

/* Returns the memory of one name of a group that is not interleaved. */
static struct cover cover_name(const struct cover *group, const struct kernel_operand *o)
{
    const size_t width = group->width / o->parts;
    return (struct cover){group->begin + o->part * width, group->count, group->stride, width};
}

/* Returns true if each name of the result has exactly the elements of an input's name, or shares none with
 * it. This is safe because a vector's loads come before its stores, and nothing else reads the elements that
 * it writes. */
static bool is_in_place(const struct kernel_operand *result, const struct cover *r,
                        const struct kernel_operand *input, const struct cover *i)
{
    if (input->is_result || kernel_has_blocks(input) || result->block || result->shape != SHAPE_MATRIX ||
        input->shape != SHAPE_MATRIX || input->type != result->type || element_shares_byte(result->type) ||
        (r->count > 1 && r->stride != i->stride))
        return false;
    if (result->layout == LAYOUT_INTERLEAVED || input->layout == LAYOUT_INTERLEAVED)
        return result->layout == input->layout && result->parts == input->parts && r->begin == i->begin;
    for (uint32_t a = 0; a < result->parts; a++) {
        for (uint32_t b = 0; b < input->parts; b++) {
            const struct cover to = cover_name(r, &result[a]), from = cover_name(i, &input[b]);
            if (to.begin != from.begin && !are_disjoint(&to, &from)) return false;
        }
    }
    return true;
}

static int refuse_overlap(const struct kernel_operand *result, const struct kernel_operand *other,
                          struct diag *error)
{
    struct group_name name, other_name;
    name_of(&name, result);
    name_of(&other_name, other);
    if (other->is_result || other->shape != SHAPE_MATRIX)
        return diag_set(error, DIAG_INVALID, "result `%s` overlaps `%s`", name.text, other_name.text);
    if (element_shares_byte(result->type) && other->type == result->type)
        return diag_set(error, DIAG_INVALID, "result `%s` overlaps `%s`; %s cannot be computed in place",
                        name.text, other_name.text, element_types[result->type].name);
    if (other->type != result->type)
        return diag_set(error, DIAG_INVALID,
                        "result `%s` overlaps `%s`; in place is for equal types, and they are %s and %s",
                        name.text, other_name.text, element_types[result->type].name,
                        element_types[other->type].name);
    return diag_set(
        error, DIAG_INVALID,
        "result `%s` overlaps `%s`; in place is with the same pointer, stride and layout, or exactly "
        "one part of a packed operand",
        name.text, other_name.text);
}

static int check_overlaps(const struct lane_kernel *k, const struct cover *covers, struct diag *error)
{
    for (uint32_t r = 0; r < k->group_count; r++) {
        const struct kernel_operand *result = first_name(k, r);
        for (uint32_t g = 0; result->is_result && g < k->group_count; g++) {
            const struct kernel_operand *other = first_name(k, g);
            if (g == r || are_disjoint(&covers[r], &covers[g]) ||
                is_in_place(result, &covers[r], other, &covers[g]))
                continue;
            return refuse_overlap(result, other, error);
        }
    }
    return DIAG_OK;
}

/* Checks the workspace after the operands, which needs `size` bytes. */
static int cover_workspace(struct cover *out, const struct lane_kernel *k, const actgen_operand *given,
                           size_t size, struct diag *error)
{
    enum { ALIGNMENT = 16 };
    *out = (struct cover){(uintptr_t)given->data, 1, size, size};
    if (size == SIZE_MAX)
        return diag_set(error, DIAG_INVALID, "the workspace of `%s` would overflow the address space",
                        k->name);
    if (size && !given->data) return diag_set(error, DIAG_INVALID, "the workspace of `%s` is NULL", k->name);
    if (out->begin % ALIGNMENT)
        return diag_set(error, DIAG_INVALID, "the workspace of `%s` is not aligned to %d bytes", k->name,
                        ALIGNMENT);
    if (given->stride < size)
        return diag_set(error, DIAG_INVALID,
                        "the workspace of `%s`, of %zu bytes as its stride says, is too small: "
                        "actgen_kernel_workspace() says %zu",
                        k->name, given->stride, size);
    return DIAG_OK;
}

static int check_workspace(const struct lane_kernel *k, const struct cover *covers,
                           const actgen_operand *given, size_t size, struct diag *error)
{
    struct cover own;
    const int status = cover_workspace(&own, k, given, size, error);
    for (uint32_t g = 0; !status && size && g < k->group_count; g++) {
        struct group_name name;
        if (covers[g].width && covers[g].count && !are_disjoint(&own, &covers[g]))
            return diag_set(error, DIAG_INVALID, "the workspace overlaps `%s`",
                            name_of(&name, first_name(k, g)));
    }
    return status;
}

/* Returns true if a call uses the operand. A call without elements writes only results that are sums, or
 * values of rows. It reads what rows without columns may depend on. */
static bool is_touched(const struct lane_kernel *k, const struct kernel_operand *o, size_t rows, size_t cols)
{
    if (rows && cols) return true;
    if (!o->is_result) return rows && k->has_sums && (o->shape == SHAPE_ONE || o->shape == SHAPE_ROWS);
    return o->shape == SHAPE_ONE || (o->shape == SHAPE_ROWS && rows) || (o->shape == SHAPE_COLS && cols);
}

int check_call(const struct lane_kernel *k, size_t rows, size_t cols, const actgen_operand *operands,
               size_t count, struct diag *error)
{
    struct cover covers[SPEC_MAX_OPERANDS];
    const size_t workspace = sums_workspace(k, rows, cols);
    const bool has_workspace = count == k->group_count + 1 && k->has_sums;
    if (count != k->group_count && !has_workspace)
        return diag_set(error, DIAG_INVALID, "`%s` takes %u operands (inputs, then results%s), not %zu",
                        k->name, k->group_count, k->has_sums ? "; then a workspace, if there is one" : "",
                        count);
    if (!operands) return diag_set(error, DIAG_INVALID, "operands is NULL");
    for (uint32_t g = 0; g < k->group_count; g++) {
        const struct kernel_operand *o = first_name(k, g);
        covers[g] = (struct cover){0};
        if (!is_touched(k, o, rows, cols)) continue;
        const int status = cover_group(&covers[g], o, &operands[g], rows, cols, error);
        if (status) return status;
    }
    if (rows && (cols || k->has_sums) && check_overlaps(k, covers, error)) return error->status;
    if (!has_workspace) return DIAG_OK;
    return check_workspace(k, covers, &operands[k->group_count], workspace, error);
}
