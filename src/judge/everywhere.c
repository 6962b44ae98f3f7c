/* Blocks of neighbouring inputs, one after the other. */
#include "everywhere.h"

#include "neighbours.h"

enum { LOG2_BLOCK = 18, BLOCKS = 1 << (31 - LOG2_BLOCK) }; /* of one sign; the last binade's are no numbers */

static bool is_over(const struct tally *t, struct progress *progress)
{
    return t->wrong || t->undecided || !progress_goes_on(progress);
}

bool judge_everywhere(struct judge *j, const lane_program *p, struct progress *progress, struct tally *t)
{
    const struct neighbours near = {j, p, progress, UINT64_MAX};
    const struct tally before = *t;
    progress_begin(progress, "judging all inputs", 2 * BLOCKS);
    /* Those around 1 first, where what is wrong shows soonest. */
    for (uint32_t n = 0; n < 2 * BLOCKS && !is_over(t, progress); n++) {
        const uint32_t block = (n / 2 + (127 << (23 - LOG2_BLOCK))) % BLOCKS;
        if (!neighbours_judge(&near, (n % 2) << 31 | block << LOG2_BLOCK, LOG2_BLOCK, t)) return false;
        progress_step(progress);
    }
    t->inputs -= before.inputs; /* which are among them */
    return true;
}
