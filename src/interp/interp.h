/* Runs a lane program on arrays. It is the oracle of every back end, and the fallback where memory cannot be
 * made executable. */
#ifndef ACTGEN_INTERP_H
#define ACTGEN_INTERP_H

#include "lane.h"

typedef struct interp interp;

/* Creates an interpreter for one thread at a time. It owns its scratch memory, which comes from malloc.
 * Returns NULL if memory runs out, and the program's arena has then failed. `program` must outlive the
 * interpreter and have passed lane_verify. */
interp *interp_create(const lane_program *program);
/* Creates an interpreter of a kernel, whose operands interp_run_row takes in their own types. */
interp *interp_create_kernel(const struct lane_kernel *kernel);
/* Creates an interpreter that yields equal bits without the processor's AVX2 and FMA. It is slower, for
 * tests. */
interp *interp_create_plain(const lane_program *program);
void interp_free(interp *i); /* NULL is fine */

/* Runs a program on arrays. operands[k] is the array of kernel operand k, which loads read and stores write.
 * It has `count` contiguous elements of the lane type of its loads or stores, of any alignment. A result may
 * be the same array as an input. */
void interp_run(interp *i, void *const *operands, size_t count);

/* Runs a kernel on rows. rows[k] holds `count` elements of kernel operand k. Inputs that are not in
 * memory need no row. */
void interp_run_row(interp *i, const struct kernel_row *rows, size_t count);

/* Returns true if the kernel raises no exception but FE_INEXACT where all inputs are 0. Returns false without
 * memory. */
bool interp_is_quiet_at_zero(const struct lane_kernel *kernel);

/* Makes elements `first` to first + n - 1 of the row of an input that is not in memory. */
void interp_make_row(float *out, const struct kernel_operand *o, const struct kernel_row *rows, size_t first,
                     size_t n);

#endif
