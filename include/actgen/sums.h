/* Kernels with results that are sums, means or maxima over rows or columns. It is a part of actgen.h, which
 * includes it. */
#ifndef ACTGEN_INCLUDE_SUMS_H
#define ACTGEN_INCLUDE_SUMS_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results of shape [cols], [rows] or [] go over what they lack. Their bits depend neither on the instruction
 * set nor on how rows are shared by threads: rows are summed in blocks of so many, counted from the first row
 * of all, and the blocks are joined in order (docs/language.md, "Sums"). */
enum { ACTGEN_BLOCK_ROWS = 256 };

/* Bytes of memory that a call for so many rows and columns needs besides its operands; 0 for kernels without
 * sums, SIZE_MAX if no memory has so many. It is given as one more operand behind the others, whose `stride`
 * is its size in bytes; aligned to 16 bytes. What is in it means nothing before, and only to actgen_finish
 * after the call.
 *
 * actgen_run takes such kernels with and without it; without, it takes that memory from malloc, and may fail
 * by ACTGEN_ENOMEM. actgen_run_rows needs it, takes rows from the beginning of a block to the end of one, or
 * of all, and leaves the results that are sums to actgen_finish. Threads may run the blocks of one call at
 * once with one workspace. */
ACTGEN_API size_t actgen_kernel_workspace(const actgen_kernel *kernel, size_t rows, size_t cols);

/* Ends a call whose rows were all run by actgen_run_rows, with the same operands and workspace, and sizes of
 * the whole call: writes the results that are sums; for other kernels it does nothing. ACTGEN_EINVAL as
 * actgen_run. */
ACTGEN_API int actgen_finish(const actgen_kernel *kernel, size_t rows, size_t cols,
                             const actgen_operand *operands, size_t count, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
