/* Tells which constants of many formulas are finite, zero, infinite or without a value.
 *
 * All constants are evaluated together, each node once for each precision. The evaluator tries more precision
 * while a requested constant stays open and the bound of the work allows it. The time grows with the number
 * of constants, never with its square. */
#ifndef ACTGEN_CONSTANTS_H
#define ACTGEN_CONSTANTS_H

#include "interval.h"
#include "progress.h"

enum constant_kind {
    CONSTANT_OPEN, /* undecided within the bound of the work, or the work was stopped */
    CONSTANT_FINITE,
    CONSTANT_ZERO, /* also within 2^-1100 of zero on an unknown side */
    CONSTANT_INFINITE,
    CONSTANT_NAN,
};

struct constants;
/* Takes all constants among the nodes of these formulas, which must outlive the result. Returns NULL if
 * memory runs out. The result belongs to the arena and is released with it, unless constants_free did that
 * before. `progress` may be NULL. */
struct constants *constants_create(arena *memory, const expr *const *formulas, uint32_t count,
                                   struct progress *progress);
void constants_free(struct constants *c); /* NULL is fine */
/* Returns the kind of a number that depends on no input. */
enum constant_kind constants_kind(struct constants *c, const expr *e);
/* Returns the truth value of a condition that depends on no input. */
enum truth constants_truth(struct constants *c, const expr *condition);

#endif
