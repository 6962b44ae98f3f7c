/* Judges blocks of neighbouring inputs, one after another. */
#include "everywhere.h"

#include "neighbours.h"

/* The blocks of one sign. The last binade holds no numbers. */
enum { LOG2_BLOCK = 18, BLOCKS = 1 << (31 - LOG2_BLOCK) };

static bool is_over(const struct tally *t, struct progress *progress)
{
    return t->wrong || t->undecided || !progress_goes_on(progress);
}

bool judge_everywhere(struct judge *j, const lane_program *p, struct progress *progress, struct tally *t)
{
    const struct neighbours near = {j, p, progress, UINT64_MAX};
    const struct tally before = *t;
    progress_begin(progress, "judging all inputs", 2 * BLOCKS);
    /* Starts with the blocks around 1, where faults show soonest. */
    for (uint32_t n = 0; n < 2 * BLOCKS && !is_over(t, progress); n++) {
        const uint32_t block = (n / 2 + (127 << (23 - LOG2_BLOCK))) % BLOCKS;
        if (!neighbours_judge(&near, (n % 2) << 31 | block << LOG2_BLOCK, LOG2_BLOCK, t)) return false;
        progress_step(progress);
    }
    t->inputs -= before.inputs; /* All inputs include the earlier ones. */
    return true;
}
