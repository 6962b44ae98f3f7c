/* Finds the inputs that may break a bound although no sample shows it. An analysis finds such inputs, which
 * are then judged one by one. */
#ifndef ACTGEN_DANGER_H
#define ACTGEN_DANGER_H

#include "judge.h"
#include "progress.h"
#include "rounding.h"

enum { DANGER_BINADES = 512, DANGER_POINTS = ROUNDING_POINTS, DANGER_BROKEN = 16 };

/* The parts where programs for the same formula broke their bound. The next program is judged there first,
 * because candidates share their coefficients and their worst inputs. Keeps the latest parts. */
struct danger_broken {
    /* The bits of each part's first input, and the number of parts ever found. */
    uint32_t first[DANGER_BROKEN], count;
};

struct danger_request {
    struct judge *judge; /* the judge of the piece, whose argument is f32 */
    arena *memory;
    struct progress *progress;
    struct judge_known
        /* DANGER_BINADES binades of DANGER_POINTS inputs: the known values of the formula there. */
        *binades;
    struct danger_broken *broken; /* new parts are added */
    /* The number of inputs that may be judged one by one. */
    uint64_t most_swept;
    uint64_t
        /* The number of these inputs for which the reference, which is slow, may be asked: judge_asks(). */
        most_asked;
};

enum danger_state {
    DANGER_NO_MEMORY,
    DANGER_JUDGED, /* everything that is not wrong in the tally keeps the bound */
    /* Too many inputs are in danger to judge them, or too many of these are in doubt. */
    DANGER_TOO_MUCH,
};

/* Judges the inputs in danger and adds them to `tally`. Stops at a wrong input, and when the progress says
 * so. The state then means nothing. */
enum danger_state danger_judge(const struct danger_request *request, struct tally *tally);

#endif
