/* Where functions that oscillate come nearest to zero: in each binade up to the largest. */
#ifndef ACTGEN_TURNS_H
#define ACTGEN_TURNS_H

#include "expr.h"
#include "reference.h"

#include <stdint.h>

/* Bits of f32 numbers, some in each binade and of both signs, for which the argument of a sin or cos in the formula
 * (simplified; arguments linear in x) comes nearest to a multiple of a quarter turn, and, if the formula is a function of
 * such sines of one frequency or its multiples alone, those nearest to its roots. `truth` is its reference. */
uint32_t *turns_find(arena *memory, const expr *formula, reference *truth, uint32_t *count);

#endif
