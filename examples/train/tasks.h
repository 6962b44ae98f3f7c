/* What is learned. */
#ifndef TASKS_H
#define TASKS_H

#include <actgen.h>
#include <stdint.h>

struct task {
    size_t inputs, outputs;
    size_t rows, test_rows; /* to train with; to judge by, behind them */
    float *x, *target;      /* [rows + test_rows, inputs], [rows + test_rows, outputs] */
};

/* "normal": 10 rows of 64 normal numbers, and a normal number to answer each with. "uniform": the same,
 * uniform in [-1, 1]. "digits": scikit-learn's 1797 pictures of 8 x 8 shades, each fifth of which is kept for
 * the test; outputs are 1 for the digit, 0 for others. ACTGEN_EINVAL, and a reason, if there is no such task
 * or its data cannot be read; freed by task_free in any case. */
int task_make(struct task *out, const char *name, const char *data, uint64_t *random, actgen_engine *engine,
              actgen_error *error);
void task_free(struct task *t);

#endif
