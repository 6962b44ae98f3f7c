/* The proof of an f64 program: a bound of its error on all inputs, found by analysis.
 *
 * The inputs are cut into blocks of neighbouring numbers. In each block the program is narrowed to the block.
 * Its results are enclosed with all roundings (program_model.h), and so are the formula's values
 * (formula_model.h). Inputs that the analysis does not settle are judged one by one, and so are zeros,
 * infinities and NaN. Nothing is sampled, so that a bound that is found holds. */
#ifndef ACTGEN_PROOF_H
#define ACTGEN_PROOF_H

#include "progress.h"
#include "request.h"

/* A proof. Errors are in ulps or, if the piece's bound is absolute, |error| / max(1, |y|). */
struct proof {
    /* False: nothing is known about all inputs, and the other fields show how far the proof came. */
    bool proved;
    double bound;       /* no result's error is larger */
    double seen;        /* the largest error that was measured */
    double near;        /* an input of the block that has this bound */
    uint64_t intervals; /* blocks that were analysed */
    uint64_t judged;    /* inputs that were judged one by one */
};

/* The findings for one block. */
struct proof_block {
    double low, high; /* the block's inputs, which are all neighbours */
    double bound;
};
typedef void proof_observer(void *context, const struct proof_block *block);

struct proof_request {
    const struct piece *piece; /* f64 to f64, with its program */
    /* Limits of the bounds. Blocks are cut further, where that helps, in two cases: their bound is above both
     * `wanted` and `ratio` times the largest error seen, or it is above `allowed`. The final bound may be
     * above these limits. */
    double wanted, ratio, allowed;
    /* Searches the largest error at millions of inputs where the bounds are largest. Takes a second of one
     * core. */
    bool searches;
    struct progress *progress; /* may be NULL */
    proof_observer *observer;  /* called for each block, may be NULL */
    void *context;
};

/* Makes the proof. Takes from less than a second to a minute. Returns false without memory. */
bool proof_run(const struct proof_request *request, struct proof *proof);

#endif
