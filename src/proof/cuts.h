/* Finds where an f64 program changes its course: table entries that it looks up, integers that it makes,
 * branches that it takes. */
#ifndef ACTGEN_CUTS_H
#define ACTGEN_CUTS_H

#include "lane.h"

struct cuts; /* for one thread at a time */
/* Prepares a program that loads operand 0 and stores operand 1, both f64. The result is in `memory`, which
 * also frees what it holds. Returns NULL without memory. */
struct cuts *cuts_create(arena *memory, const lane_program *p);

/* Finds a place where the program changes its course, as far as 64 inputs show. The inputs are given by the
 * bits of their absolute values, first < last, and their sign. The course changes between *cut - 1 and *cut.
 * If there are many such places, the cut is near the middle. Returns false if there is no such place. */
bool cuts_find(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut);
/* Finds in the same way where results pass from one binade, or sign, to another. */
bool cuts_find_power(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut);

#endif
