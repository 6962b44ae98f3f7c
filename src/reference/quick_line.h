/* Arguments of sines and cosines that are a x + b, where x is one input and a, b are constants.
 *
 * Such an argument is rounded by 2^-53 of itself, and its sine is lost as it grows. These numbers reduce it
 * by exact turns, as the input itself is: its error is then far below a rounding, whatever its size. */
#ifndef ACTGEN_QUICK_LINE_H
#define ACTGEN_QUICK_LINE_H

#include "evaluate.h"

/* |a| is below 2^60 quarter turns; an input below 2^QUICK_LINE_LEAST then moves the sine's place by less than
 * 2^-132 of a turn. The words have QUICK_LINE_BEFORE bits in front of the point, and behind it all that
 * quick_place_of reads for the largest doubles. */
enum { QUICK_LINE_WORDS = 22, QUICK_LINE_BEFORE = 256, QUICK_LINE_LEAST = 65 - QUICK_LINE_BEFORE };

struct quick_line {
    uint32_t input;
    bool falls;                       /* a < 0 */
    uint64_t slope[QUICK_LINE_WORDS]; /* |a| in quarter turns, within 2 of its last bit */
    uint64_t offset[2];               /* b modulo a turn, within 2 of the 128th bit of a turn */
};

/* The lines of an evaluator's nodes: NULL for those that are no arguments of this kind. */
struct quick_lines {
    struct quick_line **of; /* by place in the evaluator's nodes; NULL if there is none at all */
    uint32_t count;
};

/* `*lines` is to be zeroed. MPFR's range is the widened one. False without memory. */
bool quick_lines_create(struct quick_lines *lines, struct evaluator *e);
void quick_lines_clear(struct quick_lines *lines);

#endif
