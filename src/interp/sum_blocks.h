/* Sums in the order of sums.h, by plain loops. They run kernels with sums where there is no machine code, and
 * machine code is compared with them. */
#ifndef ACTGEN_SUM_BLOCKS_H
#define ACTGEN_SUM_BLOCKS_H

#include "sums.h"

/* Computes a tile: `rows` rows of all results of that pass of the summands' kernel, or of the whole kernel
 * without passes. Results that are summed have the type of their summands. The operands are those of the
 * summands' kernel. */
typedef void sums_tile_fn(void *context, uint32_t pass, size_t rows, size_t cols,
                          const actgen_operand *operands);

/* Computes the blocks of `rows` rows into the workspace, which follows the operands. `summands` is the kernel
 * that makes the summands of `called`. It has at most SUMS_MOST_GROUPS groups. */
enum { SUMS_MOST_GROUPS = 64 };
void sums_run_blocks(const struct lane_kernel *called, const struct lane_kernel *summands, size_t rows,
                     size_t cols, const actgen_operand *operands, sums_tile_fn *run, void *context);
/* Computes the results that are sums from the workspace with all blocks of the rows. */
void sums_finish(const struct lane_kernel *called, size_t rows, size_t cols, const actgen_operand *operands);

#endif
