/* Tells what the constants of many formulas are: finite, zero, infinite or without a value.
 *
 * All are evaluated together, each node once for each precision. More precision is tried while a constant
 * that is asked for stays open and the work has bounds: the time grows with the number of constants, and
 * never with its square. */
#ifndef ACTGEN_CONSTANTS_H
#define ACTGEN_CONSTANTS_H

#include "interval.h"
#include "progress.h"

enum constant_kind {
    CONSTANT_OPEN, /* unknown within the bound of the work, or the work was stopped */
    CONSTANT_FINITE,
    CONSTANT_ZERO, /* also within 2^-1100 of it on an unknown side */
    CONSTANT_INFINITE,
    CONSTANT_NAN,
};

struct constants;
/* Takes all constants among the nodes of these formulas, which live as long as it. NULL without memory. It
 * belongs to the arena, and is released with it unless that was done before. `progress` may be NULL. */
struct constants *constants_create(arena *memory, const expr *const *formulas, uint32_t count,
                                   struct progress *progress);
void constants_free(struct constants *c); /* NULL is fine */
/* Tells what a number that depends on no input is. */
enum constant_kind constants_kind(struct constants *c, const expr *e);
/* Tells whether a condition that depends on no input holds. */
enum truth constants_truth(struct constants *c, const expr *condition);

#endif
