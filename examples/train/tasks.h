/* The tasks that a network learns. */
#ifndef TASKS_H
#define TASKS_H

#include <actgen.h>
#include <stdint.h>

struct task {
    size_t inputs, outputs;
    size_t rows, test_rows; /* rows to train with, and after them rows to judge by */
    float *x, *target;      /* [rows + test_rows, inputs], [rows + test_rows, outputs] */
};

/* Makes the task `name`:
 *    "normal"    10 rows of 64 normal numbers, with a normal number as the answer to each. If `outputs` is
 *                not 0, a row has so many outputs, and the answer to each of them is this number.
 *    "uniform"   the same with numbers that are uniform in [-1, 1]
 *    "digits"    scikit-learn's 1797 pictures of 8 x 8 shades; outputs are 1 for the digit, 0 for others
 * Every fifth picture is kept for the test. Returns ACTGEN_EINVAL, with a reason, if there is no such task or
 * its data cannot be read. task_free frees the task in any case. */
int task_make(struct task *out, const char *name, size_t outputs, const char *data, uint64_t *random,
              actgen_engine *engine, actgen_error *error);
void task_free(struct task *t);

#endif
