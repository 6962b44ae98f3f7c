/* Kernels with results that are sums, means or maxima over rows or columns. actgen.h includes this header. */
#ifndef ACTGEN_INCLUDE_SUMS_H
#define ACTGEN_INCLUDE_SUMS_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sums ---- */
/* The number of rows in a block of a sum.
 *
 * A result of shape [cols] is a sum, mean or maximum over the rows. A result of shape [rows] reduces the
 * columns, and a result of shape [] all elements. The library sums the rows of each block, and then joins the
 * blocks in their order. The first block begins at the first row of the whole call. Therefore the bits of a
 * result do not depend on the instruction set, or on how threads share the rows (docs/language.md, "Sums").
 */
enum { ACTGEN_BLOCK_ROWS = 256 };

/* Returns the bytes of workspace that a call for so many rows and columns needs. Returns 0 for kernels
 * without sums or values of rows, and SIZE_MAX if no memory has so many.
 *
 * The workspace is one more operand, after the others. Its `stride` is its size in bytes, and its data is
 * aligned to 16 bytes. The data means nothing before the call. After the call it is for actgen_finish only.
 *
 * actgen_run takes a kernel with sums with or without a workspace. Without one it allocates the memory by
 * malloc, and may return ACTGEN_ENOMEM.
 *
 * actgen_run_rows needs the workspace. Its rows begin at the beginning of a block, and end at the end of a
 * block or of the call. It leaves the results that are sums to actgen_finish. Threads may run the blocks of
 * one call at the same time with one workspace. */
ACTGEN_API size_t actgen_kernel_workspace(const actgen_kernel *kernel, size_t rows, size_t cols);

/* Writes the results that are sums, after actgen_run_rows has run all rows of a call. The operands and the
 * workspace are the same as there, and rows and cols are the sizes of the whole call. Does nothing for
 * kernels without sums. Returns ACTGEN_EINVAL for the same faults as actgen_run. */
ACTGEN_API int actgen_finish(const actgen_kernel *kernel, size_t rows, size_t cols,
                             const actgen_operand *operands, size_t count, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
