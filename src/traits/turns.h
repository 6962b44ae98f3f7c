/* Where functions that oscillate come nearest to zero, and nearest to where they turn back: in each binade up
 * to the largest. */
#ifndef ACTGEN_TURNS_H
#define ACTGEN_TURNS_H

#include "expr.h"
#include "places.h"
#include "reference.h"

/* Returns true if a sin or cos of the input is in the formula. */
bool turns_oscillates(arena *memory, const expr *formula);

struct turns_room { /* where places go, and how many of each kind it has room for */
    struct places *places;
    uint32_t most_near, most_alone;
};

/* Adds floats, some in each binade and of both signs, for which the argument of a sin or cos in the formula
 * (simplified; arguments linear in x) comes nearest to a multiple of a quarter turn, and those nearest to
 * roots and extremes of every part of the formula that is a function of such sines alone, of commensurable
 * frequencies. `truth` is the formula's reference. */
void turns_find(struct turns_room *out, arena *memory, const expr *formula, reference *truth);

#endif
