/* All inputs of an f32, judged: the proof that no sample is. */
#ifndef ACTGEN_EVERYWHERE_H
#define ACTGEN_EVERYWHERE_H

#include "judge.h"
#include "progress.h"

/* Tells in `tally`, whose maxima are where to start from, what the program does at all 2^32 inputs, and stops
 * when one is wrong or undecided, or the progress says so. The program is that of j's piece, from f32. On one
 * core it takes ten to sixty seconds: most inputs are settled in blocks. False without memory. */
bool judge_everywhere(struct judge *j, const lane_program *program, struct progress *progress,
                      struct tally *tally);

#endif
