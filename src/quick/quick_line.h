/* Arguments of sines and cosines that have the form a x + b, where x is one input and a, b are constants.
 *
 * Rounding such an argument changes it by 2^-53 of itself, so the sine of a large argument would be lost.
 * These numbers reduce the argument by exact turns, as is done for a bare input. The error is then far below
 * a rounding, whatever the argument's size. */
#ifndef ACTGEN_QUICK_LINE_H
#define ACTGEN_QUICK_LINE_H

#include "evaluate.h"

/* |a| is below 2^60 quarter turns. An input below 2^QUICK_LINE_LEAST then changes the argument by less than
 * 2^-132 of a turn. The words hold QUICK_LINE_BEFORE bits before the binary point. After it they hold every
 * bit that quick_place_of reads for the largest doubles. */
enum { QUICK_LINE_WORDS = 22, QUICK_LINE_BEFORE = 256, QUICK_LINE_LEAST = 65 - QUICK_LINE_BEFORE };

struct quick_line {
    uint32_t input;
    bool falls;                       /* a < 0 */
    uint64_t slope[QUICK_LINE_WORDS]; /* |a| in quarter turns, within 2 units of its last bit */
    uint64_t offset[2];               /* b modulo a turn, within 2 units of the 128th bit of a turn */
};

/* The lines of an evaluator's nodes. A node that is no such argument has NULL. */
struct quick_lines {
    struct quick_line **of; /* indexed by place in the evaluator's nodes; NULL if there are no lines */
    uint32_t count;
};

/* Finds the lines. `*lines` must be zeroed, and MPFR's range must be the widened one. Returns false if memory
 * runs out. */
bool quick_lines_create(struct quick_lines *lines, struct evaluator *e);
void quick_lines_clear(struct quick_lines *lines);

#endif
