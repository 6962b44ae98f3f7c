/* How far the roundings of a program move its results: to first order, from the program itself. */
#ifndef ACTGEN_ROUNDING_H
#define ACTGEN_ROUNDING_H

#include "lane.h"

enum { ROUNDING_POINTS = 64 };

struct rounding_reach { /* at one input */
    double made;        /* by how much the roundings move the result there */
    double most;        /* by how much they can move results of such inputs at most, but for the last ones: */
    unsigned last;      /* roundings to the result itself, each of half a unit of its last place at most */
};

struct roundings; /* of one program, for one thread at a time */
/* The program loads operand 0 and stores operand 1, both as f32. NULL without memory; `memory` must outlive
 * it. */
struct roundings *roundings_create(const lane_program *p, arena *memory);
void roundings_free(struct roundings *r); /* NULL is fine */

/* At ROUNDING_POINTS inputs of one neighbourhood: an operation that is exact at all of them counts as exact,
 * and one that has the same operands at all of them makes no rounding of its own. Writes the results, too. A
 * rounding to a 16-bit type counts in `made` alone. */
void roundings_at(struct roundings *r, const float *x, float *y, struct rounding_reach *reach);

#endif
