/* Judges all inputs of an f32. This is a proof, which no sample is. */
#ifndef ACTGEN_EVERYWHERE_H
#define ACTGEN_EVERYWHERE_H

#include "judge.h"
#include "progress.h"

/* Judges the program at all 2^32 inputs. The maxima in `tally` are the starting point. Stops at a wrong or
 * undecided input, or when the progress says so. The program is that of j's piece, which takes f32. Takes ten
 * to sixty seconds on one core, because most inputs are settled in blocks. Returns false without memory. */
bool judge_everywhere(struct judge *j, const lane_program *program, struct progress *progress,
                      struct tally *tally);

#endif
