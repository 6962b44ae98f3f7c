/* The two runners of PTX kernels in the test: a GPU, or this machine, which reads the text. */
#ifndef ACTGEN_CROSS_PTX_H
#define ACTGEN_CROSS_PTX_H

#include "check.h"

struct ptx_grid { /* The blocks, and the threads of a block, along columns and rows. */
    unsigned blocks[2], threads[2];
};

/* Finds the function for an instruction (ptx_ops.c), or NULL if the instruction is unknown. The function
 * computes the result from the bits of the operands, in the low bits of 64. */
typedef uint64_t ptx_compute(const uint64_t in[3]);
ptx_compute *ptx_operation(const char *text);

/* Runs PTX on a machine that reads it (ptx_machine.c). Anything unknown ends the program with a message. */
void ptx_machine_load(const char *text);
void ptx_machine_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                        const struct cross_operand *operands);

bool ptx_machine_needs_warps(const char *entry); /* its threads exchange registers */

/* Runs PTX on a GPU by CUDA's driver, if that can be loaded (ptx_gpu.c). Returns NULL, or the reason why
 * there is no GPU. A later failure ends the program. */
const char *ptx_gpu_open(unsigned char *const *memory);
void ptx_gpu_load(const char *text);
void ptx_gpu_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                    const struct cross_operand *operands);

#endif
