/* Judges a program on neighbouring inputs, all of them: there it is narrowed, and the function enclosed. */
#ifndef ACTGEN_NEIGHBOURS_H
#define ACTGEN_NEIGHBOURS_H

#include "judge.h"
#include "progress.h"

struct neighbours {
    struct judge *judge; /* of the piece, whose argument is f32 */
    const lane_program *program;
    struct progress *progress;
    uint64_t most_asked; /* up to which judge_asks() may rise */
};

/* The 2^log2_size inputs from these bits on, which have one sign. Stops when one is wrong, when the reference
 * was asked too often, and when the progress says so. False without memory. */
bool neighbours_judge(const struct neighbours *n, uint32_t first, unsigned log2_size, struct tally *tally);

#endif
