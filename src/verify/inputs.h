/* Which inputs of a piece are tried, in which order: runs of bit patterns and a list of special ones. All of
 * a 16-bit type, all or a sample of f32, a sample of f64. */
#ifndef ACTGEN_INPUTS_H
#define ACTGEN_INPUTS_H

#include "verify.h"

/* Patterns first, first + stride, ...; a stride is a power of two, and each pattern is one at random of so
 * many. */
struct input_run {
    enum element_type type;
    uint64_t first, stride, count;
    const uint64_t *list; /* instead, if not NULL: count patterns */
};

enum { INPUTS_MAX_RUNS = 4 };

struct inputs {
    struct input_run dense;                  /* for the reference, one by one: all binades alike */
    struct input_run special;                /* likewise: a list */
    struct input_run sweep[INPUTS_MAX_RUNS]; /* with the quick reference; in a sample a list next to roots,
                                                too (places.h) */
    unsigned sweep_count;
    bool all;          /* the sweep meets the others again */
    uint64_t *list[2]; /* of special ones, and next to roots */
};

/* False without memory. `piece` may be NULL; else `type` is its argument's. */
bool inputs_plan(struct inputs *plan, const struct piece *piece, enum element_type type,
                 const actgen_verify_options *options);
void inputs_clear(struct inputs *plan);

/* So many inputs the sweep has. */
double inputs_expected(enum element_type type, const actgen_verify_options *options);

/* How many times smaller than the largest a sample is, as a power of two: 2^this. */
unsigned inputs_less_log2(const actgen_verify_options *options);

/* Patterns number `first` to first + count - 1 of the run, as elements of its type. */
void inputs_fill(const struct input_run *run, uint64_t first, size_t count, void *out);

#endif
