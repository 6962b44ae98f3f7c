/* Inputs that no sample meets and where results are most easily wrong: one finder for planning's judge and
 * for verification's sample.
 *
 * Next to a root of f the ulps of f vanish, the faster the higher its multiplicity, and errors of a program
 * mostly do not. So the floats next to roots are the worst of all. Roots of f' are found, too: double and
 * higher roots of f are among them. */
#ifndef ACTGEN_PLACES_H
#define ACTGEN_PLACES_H

#include "expr.h"
#include "reference.h"

#include <stddef.h>
#include <stdint.h>

enum { PLACES_BESIDE = 64 }; /* neighbours on each side of a place that are worth a look */

struct places { /* bits of f32 numbers, ascending, each once */
    /* With their neighbours: next to roots of f and of f', poles, ends of domains. */
    uint32_t *near, near_count;
    /* By themselves: where an oscillating f comes nearest to such, in every binade (turns.h). */
    uint32_t *alone, alone_count;
};

/* Finds the places of a formula of one value, simplified, whose reference `truth` is. They live in `memory`.
 */
void places_find(struct places *out, arena *memory, const expr *simplified, reference *truth);

/* Finds the bits of f64 numbers next to the roots of f and f', poles and ends of domains, the smaller ones
 * first; of positive ones and negative ones half of the room each. Returns how many. Where there are many,
 * those of larger numbers are not found. */
size_t places_find_f64(uint64_t *places, size_t room, reference *truth);

#endif
