/* The nodes of an enclosure, for code that continues from them. They hold the values of each node of the
 * formula over the interval that was asked for last. */
#ifndef ACTGEN_ENCLOSURE_NODES_H
#define ACTGEN_ENCLOSURE_NODES_H

#include "enclosure.h"

struct exponent {
    const expr *power, *opposite; /* the exponent, and its negative; NULL if it is 0 */
};

struct node {
    const expr *e;
    uint32_t operand[3];
    struct exponent exponent; /* exponent of a function that can decay */
};

/* exp(exponent) * factor. This form compares values of opposite signs after both have decayed below all
 * doubles, as in the derivatives of the gated functions. It also gives products in which one factor decays as
 * the other grows. */
struct scaled {
    struct exponent exponent;
    struct enclosed factor;
};

struct enclosure {
    struct arena_guest guest; /* guest of the expression's arena */
    arena *memory;
    uint32_t count;
    struct node *nodes;      /* operands before users */
    double low, high;        /* interval that was asked for last; empty if low > high */
    struct enclosed *values; /* indexed by node, over this interval */
    struct scaled *scaled;
};

#endif
