/* Judges a program on all inputs of a block of neighbours. The program is narrowed to the block, and the
 * function is enclosed there. */
#ifndef ACTGEN_NEIGHBOURS_H
#define ACTGEN_NEIGHBOURS_H

#include "judge.h"
#include "progress.h"

struct neighbours {
    struct judge *judge; /* the judge of the piece, whose argument is f32 */
    const lane_program *program;
    struct progress *progress;
    uint64_t most_asked; /* the limit of judge_asks() */
};

/* Judges the 2^log2_size inputs that begin with the bits `first` and have one sign. Stops at a wrong input,
 * when the reference was asked too often, and when the progress says so. Returns false without memory. */
bool neighbours_judge(const struct neighbours *n, uint32_t first, unsigned log2_size, struct tally *tally);

/* Finds a wrong result among the same inputs sooner, if the block has one. A curve through a few quick values
 * shows which results to judge. Finding none proves nothing. The block lies in one binade. */
bool neighbours_judge_suspect(const struct neighbours *n, uint32_t first, unsigned log2_size,
                              struct tally *tally);

#endif
