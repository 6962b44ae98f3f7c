/* A lane program for an interval of inputs only. It gives equal results there with fewer instructions. */
#ifndef ACTGEN_NARROWED_H
#define ACTGEN_NARROWED_H

#include "lane.h"

/* Returns a program in `memory` that stores the same bits as `p` if each f32 or f64 that it loads lies in
 * [low, high]. The ends have the inputs' type, -0 comes before 0, and neither end may be NaN. Values that are
 * constant in the interval become constants, and choices that always go the same way are resolved. `p` must
 * have passed lane_verify. Sweeps of all inputs gain most. On nine tenths of the inputs, a function of
 * networks is constant or a line, and its narrowed program has a few instructions. */
lane_program *lane_narrowed(arena *memory, const lane_program *p, double low, double high);

#endif
