/* The inputs of a piece that are tried, and their order: runs of bit patterns, and a list of special inputs.
 * A 16-bit type has all its inputs tried, f32 all or a sample, and f64 a sample. */
#ifndef ACTGEN_INPUTS_H
#define ACTGEN_INPUTS_H

#include "verify.h"

/* Patterns first, first + stride, .... The stride is a power of two. Each pattern is a random one of the
 * stride's patterns. */
struct input_run {
    enum element_type type;
    uint64_t first, stride, count;
    const uint64_t *list; /* if not NULL: a list of `count` patterns that is used instead */
};

enum { INPUTS_MAX_RUNS = 4 };

struct inputs {
    /* judged by the reference one by one, spread evenly over all binades */
    struct input_run dense;
    struct input_run special; /* judged by the reference one by one, from a list */
    /* judged by the quick reference; in a sample includes a list of inputs next to roots (places.h) */
    struct input_run sweep[INPUTS_MAX_RUNS];
    unsigned sweep_count;
    bool all;          /* the sweep includes all inputs of the other runs */
    uint64_t *list[2]; /* patterns of special inputs, and of those next to roots */
};

/* Plans the inputs. `piece` may be NULL, otherwise `type` is its argument's type. `known` has the worst
 * inputs that planning found, and may be NULL. Returns false if memory runs out. */
bool inputs_plan(struct inputs *plan, const struct piece *piece, enum element_type type,
                 const struct tally *known, const actgen_verify_options *options);
void inputs_clear(struct inputs *plan);

/* Returns how many inputs the sweep has. */
double inputs_expected(enum element_type type, const actgen_verify_options *options);

/* Returns n if a sample is 2^n times smaller than the largest sample. */
unsigned inputs_less_log2(const actgen_verify_options *options);

/* Writes patterns number `first` to first + count - 1 of the run as elements of its type. */
void inputs_fill(const struct input_run *run, uint64_t first, size_t count, void *out);

#endif
