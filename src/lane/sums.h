/* Results that are sums, means or maxima over rows or columns: in which order they are made, and what lies in
 * between.
 *
 * The program of such a kernel stores what is summed, as it stores any result: one row of summands after the
 * other, into a tile, which holds some rows of them (f64 of f64 results, else f32). From there they are added
 * up:
 *
 *   over columns  element j of a row goes to accumulator j mod 16, in order of j; the 16 meet in a tree, i
 *                 and i + 8, i and i + 4, ...
 *   over rows     the rows of a block, of which each has 256, are added in order: to one value a column, or,
 *                 over both, to one value. What the blocks come to is added in f64, in order of the blocks.
 *
 * All begin at +0 (maxima at -inf), so that what is added for elements that are not there changes no bit. The
 * order depends on the places of elements alone: neither on vectors, nor on who computes which blocks. Nor
 * does it depend on tiles, so that machine code adds up without them where its own loop can: to the totals of
 * columns, and to accumulators in registers (loops/build_row_sums.c).
 *
 * The workspace has, block by block, what the block comes to (of [rows] results, one value a row) and its
 * tile; of a call, the tile of its first block is used. When all blocks are there, they become the results.
 *
 * Totals are the reductions that formulas use, over the columns. A tile then goes through the kernel's
 * passes, all before the next one: after the pass of their level totals are added up, in f64 (largest
 * elements in their own type), element j in accumulator j mod 32, which meet in a tree, i and i + 16, i and i
 * + 8, ...; a mean is divided by the number of columns, in f64. What is reduced lies in a tile, too, unless
 * it is an input as it stands in memory. Totals and their tiles are the first block's. */
#ifndef ACTGEN_SUMS_H
#define ACTGEN_SUMS_H

#include "actgen.h"
#include "lane.h"

enum {
    SUMS_BLOCK_ROWS = ACTGEN_BLOCK_ROWS,
    SUMS_ACCUMULATORS = 16, /* of a row */
    TOTALS_ACCUMULATORS = 32,
    SUMS_TILE = 2048, /* elements, but a row at least: within the first cache */
    SUMS_ROOM = 32,   /* elements behind each tile and each block's totals, which may be read and written, and
                         mean nothing */
    SUMS_ALIGNMENT = 64 /* of what a block has for each result, relative to the workspace */
};

/* A part of a block: so many values, or as many for each column, or for each element of a tile. Behind them
 * there is SUMS_ROOM. */
enum sums_extent { SUMS_VALUES, SUMS_OF_COLUMNS, SUMS_OF_TILE };
struct sums_part {
    enum sums_extent extent;
    uint32_t count;
    enum lane_type type;
    /* number of what it is of: the result's group; of a total its number, behind all groups */
    uint32_t place;
};

/* Where a block's parts lie for one result or total, in bytes from the block's begin. */
struct sums_place {
    size_t total, tile;
};

/* Two for each group of results that is a sum, what it comes to and its tile, in order, then two for each
 * total; of one whose values are an input the tile has none. Returns how many; there is room for all. */
enum { SUMS_MOST_PLACES = 80, SUMS_MOST_PARTS = 2 * SUMS_MOST_PLACES };
uint32_t sums_parts(const struct lane_kernel *called, struct sums_part out[SUMS_MOST_PARTS]);
/* Returns the type of the values that are added up, LANE_F32 or LANE_F64. */
enum lane_type sums_type(const struct kernel_operand *o);
enum lane_type sums_type_of_total(const struct kernel_total *t); /* its own */
/* Returns how many rows of so many columns a tile has: a power of two up to 256. */
size_t sums_tile_rows(size_t cols);
size_t sums_block_count(size_t rows);
/* The places of all groups that are sums, by group, and behind all groups those of totals; `places` may be
 * NULL. Returns the bytes of a block, SIZE_MAX if that overflows. */
size_t sums_block_bytes(const struct lane_kernel *called, size_t cols, struct sums_place *places);
/* Bytes of a call's workspace, SIZE_MAX if that overflows; 0 for a kernel without sums. */
size_t sums_workspace(const struct lane_kernel *called, size_t rows, size_t cols);

/* The operands of the same call without its first `row` rows, with the workspace behind them if there are
 * sums: then `row` begins a block. `out` may be `operands`. */
void operands_at_row(const struct lane_kernel *called, size_t row, size_t cols,
                     const actgen_operand *operands, actgen_operand *out);

#endif
