/* Finds where oscillating functions come nearest to zero and to their extremes, in each binade up to the
 * largest. */
#ifndef ACTGEN_TURNS_H
#define ACTGEN_TURNS_H

#include "expr.h"
#include "places.h"
#include "reference.h"

/* Returns true if the formula contains a sin or cos of the input. */
bool turns_oscillates(arena *memory, const expr *formula);

struct turns_room { /* the places to write, and the room for each kind */
    struct places *places;
    uint32_t most_near, most_alone;
};

/* Adds some floats in each binade, of both signs. One kind makes the argument of a sin or cos in the formula
 * nearest to a multiple of a quarter turn. The other kind is nearest to roots and extremes of parts of the
 * formula. Such a part depends on x only through sines of commensurable frequencies. The formula is
 * simplified, the arguments are linear in x, and `truth` is the formula's reference. */
void turns_find(struct turns_room *out, arena *memory, const expr *formula, reference *truth);

#endif
