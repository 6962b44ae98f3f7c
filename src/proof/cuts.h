/* Where an f64 program changes its ways: entries of tables that it looks up, integers it makes, branches it
 * takes. */
#ifndef ACTGEN_CUTS_H
#define ACTGEN_CUTS_H

#include "lane.h"

struct cuts; /* for one thread at a time */
/* In `memory`, which frees what it holds; NULL without memory. The program loads operand 0 and stores operand
 * 1, both f64. */
struct cuts *cuts_create(arena *memory, const lane_program *p);

/* Inputs by the bits of their absolute values, first < last, and their sign. True if the program goes one way
 * at some of them and another at others, as far as 64 of them show: then it changes between *cut - 1 and
 * *cut, and if there are many such places, near the middle. */
bool cuts_find(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut);
/* Finds likewise where results pass from one binade, or sign, to another. */
bool cuts_find_power(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut);

#endif
