/* Finds where a function changes its kind or turns back: roots, poles, ends of the domain and of the format's
 * range, extremes.
 *
 * The search walks over positions in steps. The caller maps positions to inputs, for example the bits of an
 * f32 or parts of a period. */
#ifndef ACTGEN_CHANGES_H
#define ACTGEN_CHANGES_H

#include "reference.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHANGES_BLOCK = 256 };

struct changes_function {
    /* Writes the values at `count` <= CHANGES_BLOCK positions, with a bound on the error of each. An error of
     * 0 means that the value is exact. */
    void (*values)(void *context, const uint64_t *at, double *values, double *errors, size_t count);
    /* Returns the exact value where errors leave it open, or NaN if there is none. If `sure` is NULL, values
     * are taken as they are. */
    double (*sure)(void *context, uint64_t at);
    void *context;
};

/* Return a function of one f32, or of one f64. Positions are the input's bits, and values come from the
 * reference. */
struct changes_function changes_of_f32(reference *truth);
struct changes_function changes_of_f64(reference *truth);

struct changes_range {
    uint64_t first, step, steps; /* the positions are first, first + step, ..., first + steps * step */
};

enum changes_wanted {
    CHANGES_OF_KIND = 1, /* the first position of another kind: NaN, infinite, negative, zero, positive */
    /* places where the function comes near zero and turns back without a change of sign: (x - 1)^2 at 1 */
    CHANGES_TOUCHING = 2,
    CHANGES_TURNS = 4, /* other places where it turns back */
    CHANGES_ALL = 7,
};

/* Writes the positions in the order of the walk. Returns how many there are, at most `room`. Two changes of
 * kind between neighbouring steps are found if the function turns back between them and three steps show
 * that. Other pairs are missed. */
size_t changes_find(uint64_t *places, size_t room, const struct changes_function *f,
                    struct changes_range range, unsigned wanted);

/* Finds changes over all f32 in steps of a 64th of a binade. Positive numbers come first, from 0 on, then
 * negative ones. Each sign gets half of the room. */
size_t changes_find_f32(uint32_t *places, size_t room, const struct changes_function *f, unsigned wanted);

#endif
