/* What runs kernels of PTX for the test: a GPU, or this machine, which reads the text. */
#ifndef ACTGEN_CROSS_PTX_H
#define ACTGEN_CROSS_PTX_H

#include "check.h"

struct ptx_grid { /* blocks, and threads of a block, on the axis of columns and that of rows */
    unsigned blocks[2], threads[2];
};

/* ptx_ops.c: what an instruction computes from the bits of its operands, in the low ones of 64; NULL: it is
 * not known. */
typedef uint64_t ptx_compute(const uint64_t in[3]);
ptx_compute *ptx_operation(const char *text);

/* ptx_machine.c: a machine that reads PTX. What it does not know ends the program, with a word. */
void ptx_machine_load(const char *text);
void ptx_machine_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                        const struct cross_operand *operands);

/* ptx_gpu.c: a GPU, by CUDA's driver, which is loaded if it is there. NULL, or why there is none; what fails
 * later ends the program. */
const char *ptx_gpu_open(unsigned char *const *memory);
void ptx_gpu_load(const char *text);
void ptx_gpu_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                    const struct cross_operand *operands);

#endif
