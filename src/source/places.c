/* Finds the places of operands' elements in memory: pointers to rows, and elements of columns. */
#include "rows.h"

/* Prints the distance of rows where the caller's stride is 0. */
static void print_own_stride(struct text *out, const struct kernel_operand *o)
{
    const unsigned together = o->block ? o->block : elements_of_byte(o->type);
    if (o->shape == SHAPE_ROWS)
        text_add(out, "1");
    else if (together > 1)
        text_add(out, "cols / %u + (cols %% %u != 0)", together, together);
    else if (o->parts > 1)
        text_add(out, "%u * cols", o->parts);
    else
        text_add(out, "cols");
}

void source_pointers_print(struct text *out, const struct source_kernel *k)
{
    for (uint32_t n = 0; n < k->kernel->operand_count; n++) {
        const struct kernel_operand *o = &k->kernel->operands[n];
        const struct kernel_parameter *p = &k->groups[o->group];
        text_add(out, "        %s%s *%s_row = %s", o->is_result ? "" : "const ",
                 element_types[o->type].c_type, k->own[n], p->data);
        if (p->stride) {
            text_add(out, " + i");
            if (o->block_rows) text_add(out, " / %u", o->block_rows);
            text_add(out, " * (%s ? %s", p->stride, p->stride);
            if (element_shares_byte(o->type)) text_add(out, " / %u", elements_of_byte(o->type));
            text_add(out, " : ");
            print_own_stride(out, o);
            text_add(out, ")");
        }
        const bool is_behind_columns = o->layout == LAYOUT_PACKED && !source_is_same_in_row(o);
        if (o->part) text_add(out, is_behind_columns ? " + %u * cols" : " + %u", o->part);
        text_add(out, ";\n");
        if (o->is_result && element_shares_byte(o->type) && !k->form.style->lanes)
            text_add(out, "        uint8_t %s_byte = 0;\n", k->own[n]);
    }
}

const char *source_element_at(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                              const char *column)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    struct text t = text_new(w->memory);
    if (o->is_internal && o->block)
        text_add(&t, "%s[(%s - begin) / %u]", k->own[n], column, o->block);
    else if (o->is_internal)
        text_add(&t, "%s[%s - begin]", k->own[n], column);
    else if (o->source == SOURCE_ROW) /* as base/row_numbers.h has the numbers */
        text_add(&t, "(float)(int32_t)(uint32_t)(%s_row[0] + i)", k->own[o->offset]);
    else if (o->source == SOURCE_COL)
        text_add(&t, "(float)(int32_t)(uint32_t)(%s)", column);
    else if (source_is_same_in_row(o))
        text_add(&t, "%s_row[0]", k->own[n]);
    else if (o->is_result && element_shares_byte(o->type))
        text_add(&t, "%s_byte", k->own[n]);
    else if (element_is_bit(o->type))
        text_add(&t, "%s_row[%s / 8] >> %s %% 8", k->own[n], column, column);
    else if (element_is_nibble(o->type))
        text_add(&t, "(uint8_t)(%s_row[%s / 2] >> %s %% 2 * 4 & 15)", k->own[n], column, column);
    else if (o->block)
        text_add(&t, "%s_row[%s / %u]", k->own[n], column, o->block);
    else if (source_distance_of(o) > 1)
        text_add(&t, "%s_row[%u * %s]", k->own[n], source_distance_of(o), column);
    else
        text_add(&t, "%s_row[%s]", k->own[n], column);
    return t.data;
}

const char *source_address_at(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                              const char *column)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    struct text t = text_new(w->memory);
    text_add(&t,
             o->is_internal               ? "%s + (%s - begin)"
             : element_is_nibble(o->type) ? "%s_row + (%s) / 2"
                                          : "%s_row + %s",
             k->own[n], column);
    return t.data;
}
