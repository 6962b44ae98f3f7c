/* Finds how far the roundings of a program move its results, to first order, from the program itself. */
#ifndef ACTGEN_ROUNDING_H
#define ACTGEN_ROUNDING_H

#include "lane.h"

enum { ROUNDING_POINTS = 64 };

struct rounding_reach { /* The reach of the roundings at one input. */
    double made;        /* the amount by which the roundings move the result there */
    /* The most by which they can move results of such inputs, without the last roundings. */
    double most;
    /* The number of roundings to the result itself, each at most half a unit of its last place. */
    unsigned last;
};

struct roundings; /* the analysis of one program, for one thread at a time */
/* Prepares a program that loads operand 0 and stores operand 1, both as f32. Returns NULL without memory.
 * `memory` must outlive the result. */
struct roundings *roundings_create(const lane_program *p, arena *memory);
void roundings_free(struct roundings *r); /* NULL is allowed */

/* Finds the reach at ROUNDING_POINTS inputs of one neighbourhood, and also writes the results. An operation
 * that is exact at all of these inputs counts as exact. An operation with the same operands at all of them
 * makes no rounding of its own. A rounding to a 16-bit type counts only in `made`. */
void roundings_at(struct roundings *r, const float *x, float *y, struct rounding_reach *reach);

#endif
