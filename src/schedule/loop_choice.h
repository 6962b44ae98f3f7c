/* The form of a kernel's loop, as code generation, its tuning and plan files name it. */
#ifndef ACTGEN_LOOP_CHOICE_H
#define ACTGEN_LOOP_CHOICE_H

#include <stdbool.h>

/* The form of the loop over whole vectors, each iteration of which is called a turn. The results have the
 * same bits for every form. 0 leaves the choice to the estimate. */
enum loop_constants { CONSTANTS_ESTIMATED, CONSTANTS_IN_REGISTERS, CONSTANTS_IN_MEMORY, CONSTANTS_COUNT };
struct loop_choice {
    unsigned stages; /* 1: plain; 2 to LOOP_MOST_STAGES: pipelined (pipeline.h) */
    unsigned unroll; /* vectors per turn: 1, 2 or 4 */
    enum loop_constants constants;
};
enum { LOOP_MOST_STAGES = 8, LOOP_MOST_UNROLL = 4, LOOP_MOST_CHOICES = 2 * 3 * LOOP_MOST_STAGES };

/* Returns true if no member is 0 or larger than its limit. */
static inline bool loop_choice_is_valid(const struct loop_choice *l)
{
    const bool is_power = l->unroll == 1 || l->unroll == 2 || l->unroll == LOOP_MOST_UNROLL;
    return l->stages >= 1 && l->stages <= LOOP_MOST_STAGES && is_power &&
           (l->constants == CONSTANTS_IN_REGISTERS || l->constants == CONSTANTS_IN_MEMORY);
}

#endif
