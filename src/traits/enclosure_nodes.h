/* What enclosure.c makes of a formula, for those who go on from there: its nodes, and what each was found to
 * be over the interval that was asked about last. */
#ifndef ACTGEN_ENCLOSURE_NODES_H
#define ACTGEN_ENCLOSURE_NODES_H

#include "enclosure.h"

struct exponent {
    const expr *power, *opposite; /* and what is -power; NULL: it is 0 */
};

struct node {
    const expr *e;
    uint32_t operand[3];
    struct exponent exponent; /* of a function that can decay: how it does */
};

/* exp(exponent) * factor. So that values of opposite signs can be compared where both have decayed below all
 * doubles, as in the derivatives of the gated functions, and products are known of which one factor decays as
 * the other grows. */
struct scaled {
    struct exponent exponent;
    struct enclosed factor;
};

struct enclosure {
    struct arena_guest guest; /* of the expression's arena */
    arena *memory;
    uint32_t count;
    struct node *nodes;      /* operands before users */
    double low, high;        /* of the interval that was asked about last: none if low > high */
    struct enclosed *values; /* there, by node */
    struct scaled *scaled;
};

#endif
