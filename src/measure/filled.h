/* Operands to measure on, for planning by times, for `actgen bench` and for bench/: arrays of every type,
 * shape and layout on large pages, their inputs normal numbers (mean 0, standard deviation 2) from fixed
 * seeds. No two arrays of a call have the same address modulo 4 KiB, where the processor would take loads for
 * stores before them. */
#ifndef ACTGEN_MEASURE_FILLED_H
#define ACTGEN_MEASURE_FILLED_H

#include <actgen.h>
#include <stdbool.h>
#include <stdint.h>

uint64_t next_random(uint64_t *state);
double normal_number(uint64_t *state); /* N(0, 2) */

/* Returns an array of zeros, which array_free() frees. `place` is its number among the arrays of a call. NULL
 * without memory. */
void *array_make(size_t bytes, size_t place);
/* Returns an array as array_make does, filled with normal numbers of the type (ACTGEN_F32 ...). */
void *array_filled(int type, size_t count, size_t place);
void array_free(const void *array);

enum { FILLED_MOST_OPERANDS = 64 }; /* of a call */

struct call_shape {
    size_t rows, cols;
    size_t stride; /* columns from row to row, of each part; 0: no gap */
};

struct filled_operands {
    struct call_shape shape;
    actgen_operand list[FILLED_MOST_OPERANDS + 1]; /* inputs, then results; one more is a workspace's place */
    size_t count, input_count;
    int plain_type; /* if all are arrays of it, each of rows * cols elements; else, and of bits, -1 */
};
/* Returns false without memory. Close in both cases. */
bool filled_open(struct filled_operands *o, const actgen_kernel *kernel, struct call_shape shape);
void filled_close(struct filled_operands *o);

#endif
