/* Results that are sums, means or maxima over rows or columns: the order of their additions, and the
 * intermediate values.
 *
 * The program of such a kernel stores the summands as it stores any result. It writes rows of summands one
 * after the other into a tile, which holds some rows (f64 for f64 results, otherwise f32). They are then
 * added up:
 *
 *   over columns  Element j of a row goes to accumulator j mod 16, in the order of j. The 16 accumulators
 *                 are added in a tree: i and i + 8, i and i + 4, ...
 *   over rows     A block has 256 rows, which are added in order. They give one value per column, or only one
 *                 value for a sum over both. The blocks' values are added in f64, in the order of the blocks.
 *
 * All accumulators begin at +0 (maxima at -inf), so that adding elements that do not exist changes no bit.
 * The order depends only on the places of elements. It depends neither on vectors, nor on who computes which
 * blocks, nor on tiles. So machine code may add up without tiles where its own loop can. It adds to the
 * totals of columns, or to accumulators in registers (loops/build_row_sums.c). Passes of few operations add
 * up their totals so, and store no values that only the total needs.
 *
 * The workspace has for each block its value (for [rows] results one value per row) and its tile. A call uses
 * only the tile of its first block. When all blocks are there, they become the results.
 *
 * Totals are the reductions over columns that formulas use. With totals, a tile goes through the kernel's
 * passes in order. After the pass of their level, totals are added up in f64, largest elements in their own
 * type. Element j goes to accumulator j mod 32. The accumulators are added in a tree: i and i + 16, i and i +
 * 8, .... A mean is divided by the number of columns, in f64. The summands of a total lie in a tile as well,
 * unless they are an input as it is in memory. Totals and their tiles are in the first block.
 *
 * Totals of blocks of columns, as in amax(x, 32), go to accumulators in the same way, by the number of their
 * column in its block of columns. A tile has one for each block of columns in its rows. A total without a
 * reduction is a value that a pass computes for each block of columns. It has no tile of its own. */
#ifndef ACTGEN_SUMS_H
#define ACTGEN_SUMS_H

#include "actgen.h"
#include "lane.h"

enum {
    SUMS_BLOCK_ROWS = ACTGEN_BLOCK_ROWS,
    SUMS_ACCUMULATORS = 16, /* accumulators of a row */
    TOTALS_ACCUMULATORS = 32,
    /* Elements of a tile, which has at least one row and should stay within the first-level cache. */
    SUMS_TILE = 2048,
    /* Elements after each tile and each block's totals, which may be read and written and mean nothing. */
    SUMS_ROOM = 32,
    /* The alignment of each result's parts in a block, relative to the workspace. */
    SUMS_ALIGNMENT = 64
};

/* A part of a block: `count` values, or as many for each column, or for each element of a tile. SUMS_ROOM
 * follows. */
enum sums_extent { SUMS_VALUES, SUMS_OF_COLUMNS, SUMS_OF_TILE };
struct sums_part {
    enum sums_extent extent;
    uint32_t count;
    enum lane_type type;
    /* number of its place: the result's group, or for totals their number after all groups */
    uint32_t place;
    uint32_t block; /* of a tile: columns that share an element, or 0 */
};

/* The offsets of a block's parts for one result or total, in bytes from the block's start. */
struct sums_place {
    size_t total, tile;
};

/* Lists the parts of a block in order, and returns how many there are. Each group of results that is a sum
 * has two parts, its value and its tile. Then each total has two. If a total's values are an input, its tile
 * is empty. A kernel without sums whose results have one value per row has one part. `out` has room for
 * all. */
enum { SUMS_MOST_PLACES = 80, SUMS_MOST_PARTS = 2 * SUMS_MOST_PLACES };
uint32_t sums_parts(const struct lane_kernel *called, struct sums_part out[SUMS_MOST_PARTS]);
/* Returns the type of the values that are added up, LANE_F32 or LANE_F64. */
enum lane_type sums_type(const struct kernel_operand *o);
enum lane_type sums_type_of_total(const struct kernel_total *t); /* returns the total's own type */
/* Returns how many rows of `cols` columns a tile has, a power of two up to 256. */
size_t sums_tile_rows(size_t cols);
size_t sums_block_count(size_t rows);
/* Finds the places of all groups that are sums, by group, and after all groups the places of totals. `places`
 * may be NULL. Returns the bytes of a block, or SIZE_MAX if that overflows. */
size_t sums_block_bytes(const struct lane_kernel *called, size_t cols, struct sums_place *places);
/* Returns the bytes of a call's workspace, or SIZE_MAX if that overflows. Returns 0 for a kernel without
 * sums. */
size_t sums_workspace(const struct lane_kernel *called, size_t rows, size_t cols);

/* Finds the operands of the same call without its first `row` rows. If there are sums, the workspace follows
 * the operands, and `row` must begin a block. `out` may be `operands`. */
void operands_at_row(const struct lane_kernel *called, size_t row, size_t cols,
                     const actgen_operand *operands, actgen_operand *out);

#endif
