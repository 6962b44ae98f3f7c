/* Operands to measure on, for planning by times, for `actgen bench` and for bench/. They are arrays of every
 * type, shape and layout on large pages. Inputs are normal numbers (mean 0, standard deviation 2) from fixed
 * seeds, or fill an interval of two bounds. No two arrays of a call have the same address modulo 4 KiB. Else
 * the processor would take loads for earlier stores. */
#ifndef ACTGEN_MEASURE_FILLED_H
#define ACTGEN_MEASURE_FILLED_H

#include <actgen.h>
#include <stdbool.h>
#include <stdint.h>

uint64_t next_random(uint64_t *state);
double normal_number(uint64_t *state); /* Mean 0, standard deviation 2. */

/* Returns an array of zeros, or NULL if memory runs out. `place` is the number of the array among the arrays
 * of a call. array_free() frees it. */
void *array_make(size_t bytes, size_t place);
/* Returns an array as array_make does, filled with numbers of the type (ACTGEN_F32, ...): normal ones, or
 * ones that are spread over the interval. */
void *array_filled(int type, size_t count, size_t place, const double *interval);
void array_free(const void *array);

enum { FILLED_MOST_OPERANDS = 64 }; /* The most operands of a call. */

struct call_shape {
    size_t rows, cols;
    /* The columns from row to row, for each part of an operand. 0: there is no gap. */
    size_t stride;
};

struct filled_operands {
    struct call_shape shape;
    /* The inputs, then the results. The last place is for a workspace. */
    actgen_operand list[FILLED_MOST_OPERANDS + 1];
    size_t count, input_count;
    /* The type if all operands are arrays of it, each of rows * cols elements. Else, and for bits, -1. */
    int plain_type;
};
/* Makes the operands. Inputs are spread over the interval, or are normal numbers if it is NULL. Returns false
 * if memory runs out. The caller closes the operands in both cases. */
bool filled_open(struct filled_operands *o, const actgen_kernel *kernel, struct call_shape shape,
                 const double *interval);
void filled_close(struct filled_operands *o);

#endif
