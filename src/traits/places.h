/* Inputs that samples miss and where results are most easily wrong. Planning's judge and verification's
 * sample share this finder.
 *
 * Next to a root of f the ulps of f vanish, the faster the higher the root's multiplicity. A program's errors
 * mostly do not vanish there, so the floats next to roots are the worst of all. Roots of f' are found as
 * well, because they include double and higher roots of f. */
#ifndef ACTGEN_PLACES_H
#define ACTGEN_PLACES_H

#include "expr.h"
#include "reference.h"

#include <stddef.h>
#include <stdint.h>

enum { PLACES_BESIDE = 64 }; /* neighbours on each side of a place that are worth a look */

struct places { /* bits of f32 numbers, ascending and unique */
    /* Places that count with their neighbours: next to roots of f and of f', poles, ends of domains. */
    uint32_t *near, near_count;
    /* Places that count without their neighbours: where an oscillating f comes nearest to such a place, in
     * every binade (turns.h). */
    uint32_t *alone, alone_count;
};

/* Finds the places of a simplified formula of one value, whose reference is `truth`. They live in
 * `memory`. */
void places_find(struct places *out, arena *memory, const expr *simplified, reference *truth);

/* Finds the bits of f64 numbers next to the roots of f and f', poles and ends of domains. Smaller numbers
 * come first, and each sign gets half of the room. Returns how many there are. If there are too many, those
 * of larger numbers are missed. */
size_t places_find_f64(uint64_t *places, size_t room, reference *truth);

#endif
