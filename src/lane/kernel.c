/* Tells where the elements of a kernel's operands lie, and their types. */
#include "lane.h"

#include <string.h>

struct lane_kernel lane_kernel_make(const char *name, struct kernel_operand *operands, uint32_t count,
                                    const lane_program *program)
{
    uint32_t groups = 0;
    bool has_sums = false, has_passes = false;
    for (uint32_t k = 0; k < count; k++) {
        if (operands[k].part == 0) groups++;
        operands[k].group = groups - 1;
        has_sums = has_sums || operands[k].reduction;
        has_passes = has_passes || kernel_is_value_of_row(&operands[k]);
    }
    return (struct lane_kernel){.name = name,
                                .operands = operands,
                                .operand_count = count,
                                .group_count = groups,
                                .program = program,
                                .has_sums = has_sums || has_passes,
                                .has_passes = has_passes};
}

size_t kernel_row_blocks(uint32_t block, size_t cols) { return cols / block + (cols % block != 0); }

size_t kernel_rows_in_memory(const struct kernel_operand *o, size_t rows)
{
    return !kernel_has_stride(o) ? 1 : o->block_rows ? kernel_row_blocks(o->block_rows, rows) : rows;
}

size_t kernel_pass_columns(const struct kernel_pass *pass, size_t cols)
{
    return pass->is_of_rows ? 1 : pass->block ? kernel_row_blocks(pass->block, cols) : cols;
}

size_t kernel_row_width(const struct kernel_operand *o, size_t cols)
{
    switch (o->shape) {
    case SHAPE_ROWS: return 1;
    case SHAPE_ONE: return o->parts;
    default:
        if (o->block) return kernel_row_blocks(o->block, cols);
        if (element_shares_byte(o->type)) return elements_of_byte(o->type) * element_bytes(o->type, cols);
        return o->parts * cols;
    }
}

bool kernel_has_stride(const struct kernel_operand *o)
{
    return o->shape == SHAPE_MATRIX || o->shape == SHAPE_ROWS;
}

struct kernel_row kernel_row(const struct kernel_operand *o, const void *data, size_t stride, size_t row,
                             size_t cols)
{
    if (o->type == ELEMENT_U64)
        return (struct kernel_row){(void *)data, stride + row * (o->counts_rows ? 1 : cols), 0};
    const size_t between = stride ? stride : kernel_row_width(o, cols);
    const bool is_behind_columns = o->layout == LAYOUT_PACKED && o->shape != SHAPE_ONE;
    const size_t in_group = is_behind_columns ? o->part * cols : o->part;
    const size_t in_memory = o->block_rows ? row / o->block_rows : row;
    const size_t first = (kernel_has_stride(o) ? in_memory * between : 0) + in_group;
    const size_t step = o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE ? 0
                        : o->layout == LAYOUT_INTERLEAVED               ? o->parts
                                                                        : 1;
    return (struct kernel_row){(char *)data + element_bytes(o->type, first), step, o->block};
}

bool kernel_suits_lanes(const struct kernel_operand *o, enum lane_type type)
{
    return type == kernel_lane_type(o) || (type == LANE_F16 && o->type == ELEMENT_F16) ||
           (type == LANE_I8 && element_is_half(o->type) && element_types[o->type].bits == 8);
}

enum lane_type kernel_lane_type(const struct kernel_operand *o)
{
    return o->type == ELEMENT_F64 ? LANE_F64 : element_is_bit(o->type) ? LANE_TRUTH : LANE_F32;
}

struct kernel_parameter *kernel_parameters(arena *memory, const struct lane_kernel *kernel)
{
    struct kernel_parameter *list = arena_alloc(memory, kernel->group_count * sizeof *list);
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        struct text name = text_new(memory), data = text_new(memory), stride = text_new(memory);
        if (o->part) continue;
        const bool is_list = operand_is_list(o->shape, o->layout);
        if (is_list) text_bytes(&name, o->name, strcspn(o->name, "["));
        for (uint32_t part = 0; part < o->parts && !is_list; part++)
            text_add(&name, "%s%s", part ? "_" : "", o[part].name);
        text_add(&data, "%s_data", name.data);
        text_add(&stride, "%s_stride", name.data);
        list[o->group] =
            (struct kernel_parameter){name.data, data.data, kernel_has_stride(o) ? stride.data : NULL, o};
    }
    return list;
}
