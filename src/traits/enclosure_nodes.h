/* What enclosure.c makes of a formula, for those who go on from there: its nodes, and what each was found to be over the interval
 * that was asked about last. */
#ifndef ACTGEN_ENCLOSURE_NODES_H
#define ACTGEN_ENCLOSURE_NODES_H

#include "enclosure.h"

struct node {
    const expr *e;
    uint32_t operand[3];
    const expr *exponent; /* of a function that can decay: of what; else NULL */
};

/* exp(exponent) * factor; NULL is 0. So that values of opposite signs can be compared where both have decayed
 * below all doubles, as in the derivatives of the gated functions. */
struct scaled {
    const expr *exponent;
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
