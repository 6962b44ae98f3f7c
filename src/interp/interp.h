/* Runs a lane program on arrays: the oracle of every back end, and the fallback where code may not be made
 * executable. */
#ifndef ACTGEN_INTERP_H
#define ACTGEN_INTERP_H

#include "lane.h"

typedef struct interp interp;

/* Owns scratch memory of its own (malloc); for one thread at a time. NULL without memory: then the
 * program's arena has failed. `program` must outlive it and have passed lane_verify. */
interp *interp_create(const lane_program *program);
/* Interprets a kernel, whose operands interp_run_row takes in their own types. */
interp *interp_create_kernel(const struct lane_kernel *kernel);
/* Makes one that yields equal bits without the processor's AVX2 and FMA, slower: for tests. */
interp *interp_create_plain(const lane_program *program);
void interp_free(interp *i); /* NULL is fine */

/* operands[k]: the array (count elements of the loads' and stores' lane type, contiguous, of any alignment)
 * of kernel operand k; loads read, stores write. A result may be the same array as an input. */
void interp_run(interp *i, void *const *operands, size_t count);

/* rows[k]: `count` elements of kernel operand k, of a kernel's interpreter; of one that is drawn, none is
 * asked for. */
void interp_run_row(interp *i, const struct kernel_row *rows, size_t count);

#endif
