/* Places the parts of sums in a workspace. */
#include "sums.h"

enum lane_type sums_type(const struct kernel_operand *o) { return kernel_lane_type(o); }

size_t sums_tile_rows(size_t cols)
{
    size_t rows = SUMS_BLOCK_ROWS;
    while (rows > 1 && rows > SUMS_TILE / (cols ? cols : 1)) rows /= 2;
    return rows;
}

size_t sums_block_count(size_t rows) { return rows / SUMS_BLOCK_ROWS + (rows % SUMS_BLOCK_ROWS != 0); }

enum lane_type sums_type_of_total(const struct kernel_total *t)
{
    return reduction_keeps_type(t->reduction) ? t->type : LANE_F64;
}

uint32_t sums_parts(const struct lane_kernel *called, struct sums_part out[SUMS_MOST_PARTS])
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        const enum lane_type type = sums_type(o);
        if (!o->reduction || o->part) continue;
        out[n++] = o->shape == SHAPE_COLS
                       ? (struct sums_part){SUMS_OF_COLUMNS, o->parts, type, o->group, 0}
                       : (struct sums_part){SUMS_VALUES, o->shape == SHAPE_ROWS ? SUMS_BLOCK_ROWS : o->parts,
                                            type, o->group, 0};
        out[n++] = (struct sums_part){SUMS_OF_TILE, o->parts, type, o->group, 0};
    }
    for (uint32_t i = 0; i < called->total_count; i++) {
        const struct kernel_total *t = &called->totals[i];
        const uint32_t own = called->group_count + i;
        out[n++] = t->block ? (struct sums_part){SUMS_OF_TILE, 1, sums_type_of_total(t), own, t->block}
                            : (struct sums_part){SUMS_VALUES, SUMS_BLOCK_ROWS, sums_type_of_total(t), own, 0};
        out[n++] = (struct sums_part){SUMS_OF_TILE, !t->is_input && t->reduction, t->type, own, 0};
    }
    /* A kernel without sums has one value that nobody uses, since callers learn from the size that there is a
     * workspace. */
    if (!n && called->has_passes) out[n++] = (struct sums_part){SUMS_VALUES, 1, LANE_F32, 0, 0};
    return n;
}

/* Moves `*at` past the part. Returns false if that overflows. */
static bool place_part(size_t *at, const struct sums_part *part, size_t cols)
{
    const size_t columns = part->block ? kernel_row_blocks(part->block, cols) : cols;
    size_t values = part->count, size;
    if (!values) return true;
    return (part->extent == SUMS_VALUES || !__builtin_mul_overflow(values, columns, &values)) &&
           (part->extent != SUMS_OF_TILE || !__builtin_mul_overflow(values, sums_tile_rows(cols), &values)) &&
           !__builtin_add_overflow(values, SUMS_ROOM, &values) &&
           !__builtin_mul_overflow(values, lane_type_bytes(part->type), &size) &&
           !__builtin_add_overflow(size, SUMS_ALIGNMENT - 1, &size) &&
           !__builtin_add_overflow(*at, size / SUMS_ALIGNMENT * SUMS_ALIGNMENT, at);
}

size_t sums_block_bytes(const struct lane_kernel *called, size_t cols, struct sums_place *places)
{
    struct sums_part parts[SUMS_MOST_PARTS];
    const uint32_t count = sums_parts(called, parts);
    size_t at = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t own = parts[n].place;
        if (places) *(n % 2 ? &places[own].tile : &places[own].total) = at;
        if (!place_part(&at, &parts[n], cols)) return SIZE_MAX;
    }
    return at;
}

size_t sums_workspace(const struct lane_kernel *called, size_t rows, size_t cols)
{
    const size_t block = sums_block_bytes(called, cols, NULL);
    size_t all;
    if (block == SIZE_MAX || __builtin_mul_overflow(block, sums_block_count(rows), &all)) return SIZE_MAX;
    return all;
}

void operands_at_row(const struct lane_kernel *called, size_t row, size_t cols,
                     const actgen_operand *operands, actgen_operand *out)
{
    if (called->has_sums) {
        const actgen_operand all = operands[called->group_count];
        const size_t before = row / SUMS_BLOCK_ROWS * sums_block_bytes(called, cols, NULL);
        out[called->group_count] = (actgen_operand){(const char *)all.data + before, all.stride - before};
    }
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (o->part) continue;
        const actgen_operand given = operands[o->group];
        const struct kernel_row at = kernel_row(o, given.data, given.stride, row, cols);
        out[o->group] = (actgen_operand){at.data, o->type == ELEMENT_U64 ? at.step : given.stride};
    }
}
