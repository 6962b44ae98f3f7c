/* A lane program for an interval of inputs only: equal results there, by fewer instructions. */
#ifndef ACTGEN_NARROWED_H
#define ACTGEN_NARROWED_H

#include "lane.h"

/* Returns a program, in `memory`, that stores the bits that `p` stores wherever each f32 or f64 that it loads
 * lies in [low, high], whose ends are of the inputs' type (-0 comes before 0, and neither end may be a NaN).
 * What has one value in the whole interval has become a constant, and choices that are always made alike are
 * made. `p` must have passed lane_verify. Sweeps of all inputs gain by it: on nine tenths of them a function
 * of networks is constant or a line, and its program a few instructions. */
lane_program *lane_narrowed(arena *memory, const lane_program *p, double low, double high);

#endif
