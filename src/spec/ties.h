/* Derivatives of one value at its kinks: see ties.c. */
#ifndef ACTGEN_TIES_H
#define ACTGEN_TIES_H

#include "expr.h"

struct ties {
    expr_dag *dag;
    const expr *v; /* the value that moves */
    uint64_t work; /* that may still be done, in nodes that are visited; 0: what is found may lack kinks */
};

/* Returns the derivative `e` with another value at kinks of `v` where it has one limit from both sides that
 * the rules do not give. */
const expr *ties_mended(struct ties *t, const expr *e);
/* Returns an input that takes the place of `v` in `e`: `v` itself if that is one; NULL if `e` has all of
 * them. */
const expr *ties_letter(expr_dag *dag, const expr *e, const expr *v);

#endif
