/* The proof of an f64 program: a bound of its error on all inputs, by analysis.
 *
 * The inputs are cut into blocks of neighbouring numbers. In each the program is narrowed to the block, its
 * results are enclosed with all roundings (program_model.h), and so are the formula's values
 * (formula_model.h). Inputs that no analysis settles are judged one by one, as are zeros, infinities and NaN.
 * Nothing is sampled: a bound that is found holds. */
#ifndef ACTGEN_PROOF_H
#define ACTGEN_PROOF_H

#include "progress.h"
#include "request.h"

/* Errors are in ulps or, where the piece's bound is absolute, |error| / max(1, |y|). */
struct proof {
    bool proved;        /* else nothing is said of the inputs, and the rest tells how far it came */
    double bound;       /* no result's error is more */
    double seen;        /* the largest that was measured */
    double near;        /* an input of the block that has this bound */
    uint64_t intervals; /* blocks that were analysed */
    uint64_t judged;    /* inputs that were judged one by one */
};

/* What is found of one block. */
struct proof_block {
    double low, high; /* its inputs, neighbours all */
    double bound;
};
typedef void proof_observer(void *context, const struct proof_block *block);

struct proof_request {
    const struct piece *piece; /* f64 to f64, with its program */
    /* Blocks are cut further, where that helps, as long as their bound is above `wanted` and above `ratio`
     * times what was seen of them and others, or above `allowed`. The bound may come out above. */
    double wanted, ratio, allowed;
    bool searches; /* for the largest error, at millions of inputs where the bounds are largest; a second of
                      one core */
    struct progress *progress; /* may be NULL */
    proof_observer *observer;  /* is told of each block; may be NULL */
    void *context;
};

/* Takes from less than a second to a minute. False without memory. */
bool proof_run(const struct proof_request *request, struct proof *proof);

#endif
