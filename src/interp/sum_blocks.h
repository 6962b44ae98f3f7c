/* Sums in the order of sums.h, by plain loops: what kernels with sums are run by where there is no machine
 * code, and what machine code is compared with. */
#ifndef ACTGEN_SUM_BLOCKS_H
#define ACTGEN_SUM_BLOCKS_H

#include "sums.h"

/* Computes a tile: `rows` rows of all results of that pass of the summands' kernel, of all without passes;
 * those of sums in the types of their summands. The operands are that kernel's. */
typedef void sums_tile_fn(void *context, uint32_t pass, size_t rows, size_t cols,
                          const actgen_operand *operands);

/* The blocks of so many rows, into the workspace behind the operands. `summands`, the kernel that makes what
 * `called` adds up, has at most SUMS_MOST_GROUPS groups. */
enum { SUMS_MOST_GROUPS = 64 };
void sums_run_blocks(const struct lane_kernel *called, const struct lane_kernel *summands, size_t rows,
                     size_t cols, const actgen_operand *operands, sums_tile_fn *run, void *context);
/* The results that are sums, from the workspace with all blocks of the rows. */
void sums_finish(const struct lane_kernel *called, size_t rows, size_t cols, const actgen_operand *operands);

#endif
