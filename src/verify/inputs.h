/* Which of the 2^32 inputs of a piece are tried, in which order: runs of bit patterns and a list of special
 * ones. */
#ifndef ACTGEN_INPUTS_H
#define ACTGEN_INPUTS_H

#include "verify.h"

/* Patterns first, first + stride, ...; a stride is a power of two, and each pattern is one at random of so
 * many. */
struct input_run {
    uint64_t first, stride, count;
    const uint32_t *list; /* instead, if not NULL: count patterns */
};

enum { INPUTS_MAX_RUNS = 3 };

struct inputs {
    struct input_run dense;                  /* for the reference, one by one: all binades alike */
    struct input_run special;                /* likewise: the list */
    struct input_run sweep[INPUTS_MAX_RUNS]; /* with the quick reference */
    unsigned sweep_count;
    uint32_t *list;
};

/* False without memory. `piece` may be NULL. */
bool inputs_plan(struct inputs *plan, const struct judged_piece *piece, bool exhaustive);
void inputs_clear(struct inputs *plan);

/* Patterns number `first` to first + count - 1 of the run, as floats. */
void inputs_fill(const struct input_run *run, uint64_t first, size_t count, float *out);

#endif
