/* The places of what sums are made of. */
#include "sums.h"

enum lane_type sums_type(const struct kernel_operand *o) { return kernel_lane_type(o); }

size_t sums_tile_rows(size_t cols)
{
    size_t rows = SUMS_BLOCK_ROWS;
    while (rows > 1 && rows > SUMS_TILE / (cols ? cols : 1)) rows /= 2;
    return rows;
}

size_t sums_block_count(size_t rows) { return rows / SUMS_BLOCK_ROWS + (rows % SUMS_BLOCK_ROWS != 0); }

/* `*at` moves on by so many values; the place where they begin. False if it overflows. */
static bool place(size_t *out, size_t *at, size_t values, size_t bytes)
{
    size_t size;
    *out = *at;
    return !__builtin_add_overflow(values, SUMS_ROOM, &values) &&
           !__builtin_mul_overflow(values, bytes, &size) &&
           !__builtin_add_overflow(size, SUMS_ALIGNMENT - 1, &size) &&
           !__builtin_add_overflow(*at, size / SUMS_ALIGNMENT * SUMS_ALIGNMENT, at);
}

size_t sums_block_bytes(const struct lane_kernel *called, size_t cols, struct sums_place *places)
{
    size_t at = 0;
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        struct sums_place own;
        size_t row, tile;
        if (!o->reduction || o->part) continue;
        const size_t bytes = lane_type_bytes(sums_type(o));
        if (__builtin_mul_overflow(cols, o->parts, &row) ||
            __builtin_mul_overflow(row, sums_tile_rows(cols), &tile))
            return SIZE_MAX;
        const size_t totals = o->shape == SHAPE_COLS ? row : o->shape == SHAPE_ROWS ? SUMS_BLOCK_ROWS : 1;
        if (!place(&own.total, &at, totals, bytes) || !place(&own.tile, &at, tile, bytes)) return SIZE_MAX;
        if (places) places[o->group] = own;
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
