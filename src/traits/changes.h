/* Where a function changes its kind or turns back: roots, poles, ends of the domain and of the format's
 * range, extremes.
 *
 * A function is walked in steps over positions, which its caller takes for inputs: bits of an f32, parts of a
 * period. */
#ifndef ACTGEN_CHANGES_H
#define ACTGEN_CHANGES_H

#include "reference.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHANGES_BLOCK = 256 };

struct changes_function {
    /* Writes the values at `count` <= CHANGES_BLOCK positions, and how far each may be from the function's: 0
     * where it is that. */
    void (*values)(void *context, const uint64_t *at, double *values, double *errors, size_t count);
    /* Returns the value itself where errors leave it open, NaN where there is none. NULL: values are taken as
     * they are. */
    double (*sure)(void *context, uint64_t at);
    void *context;
};

/* The reference of a function of one f32, or one f64, whose positions are the input's bits. */
struct changes_function changes_of_f32(reference *truth);
struct changes_function changes_of_f64(reference *truth);

struct changes_range {
    uint64_t first, step, steps; /* positions first, first + step, ..., first + steps * step */
};

enum changes_wanted {
    CHANGES_OF_KIND = 1, /* the first position of another kind: NaN, infinite, below zero, zero, above */
    /* where the function comes near zero, and goes back without a change of its sign: (x - 1)^2 at 1 */
    CHANGES_TOUCHING = 2,
    CHANGES_TURNS = 4, /* where it turns back elsewhere */
    CHANGES_ALL = 7,
};

/* Writes the positions, the first ones first; returns how many, at most `room`. Two changes of kind between
 * neighbouring steps are found where the function turns back between them, so that three steps show it; other
 * pairs are missed. */
size_t changes_find(uint64_t *places, size_t room, const struct changes_function *f,
                    struct changes_range range, unsigned wanted);

/* Does so over all f32 in steps of a 64th of a binade: positive ones, from 0 on, and then negative ones, each
 * in half of the room. */
size_t changes_find_f32(uint32_t *places, size_t room, const struct changes_function *f, unsigned wanted);

#endif
