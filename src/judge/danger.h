/* Which inputs may break a bound though no sample shows it: found by analysis, then judged one by one. */
#ifndef ACTGEN_DANGER_H
#define ACTGEN_DANGER_H

#include "judge.h"
#include "progress.h"
#include "rounding.h"

enum { DANGER_BINADES = 512, DANGER_POINTS = ROUNDING_POINTS, DANGER_BROKEN = 16 };

/* Where programs for the same formula broke their bound: the next one is judged there first, since candidates
 * share their coefficients and their worst inputs. The latest ones are kept. */
struct danger_broken {
    uint32_t first[DANGER_BROKEN], count; /* parts' first inputs, as bits; how many were ever found */
};

struct danger_request {
    struct judge *judge; /* of the piece, whose argument is f32 */
    arena *memory;
    struct progress *progress;
    struct judge_known
        *binades; /* DANGER_BINADES, of DANGER_POINTS inputs: what is known of those of the formula */
    struct danger_broken *broken; /* is added to */
    uint64_t most_swept;          /* inputs that may be judged one by one, */
    uint64_t
        most_asked; /* and how many of them may be asked of the reference, which takes long: judge_asks() */
};

enum danger_state {
    DANGER_NO_MEMORY,
    DANGER_JUDGED,   /* the tally tells: what is not wrong in it keeps the bound */
    DANGER_TOO_MUCH, /* too many inputs are in danger to judge them, or too many of those are in doubt */
};

/* Adds the inputs that it judges to `tally`. Stops when one is wrong, and when the progress says so: then the
 * state means nothing. */
enum danger_state danger_judge(const struct danger_request *request, struct tally *tally);

#endif
