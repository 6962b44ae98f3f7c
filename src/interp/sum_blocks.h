/* Sums in the order of sums.h, by plain loops: what kernels with sums are run by where there is no machine code, and what machine code
 * is compared with. */
#ifndef ACTGEN_SUM_BLOCKS_H
#define ACTGEN_SUM_BLOCKS_H

#include "sums.h"

/* Computes a tile: `rows` rows of all results, those of sums in the types of their summands. */
typedef void sums_tile_fn(void *context, size_t rows, size_t cols, const actgen_operand *operands);

/* The blocks of so many rows, into the workspace behind the operands, and results of shape [rows]. `called` has less than
 * SUMS_MOST_GROUPS groups. */
enum { SUMS_MOST_GROUPS = 64 };
void sums_run_blocks(const struct lane_kernel *called, size_t rows, size_t cols,
                     const actgen_operand *operands, sums_tile_fn *run, void *context);
/* The results that go over the rows, of all of which the workspace has the blocks. */
void sums_finish(const struct lane_kernel *called, size_t rows, size_t cols, const actgen_operand *operands);

#endif
