/* Corrects derivatives of one value at kinks: see ties.c. */
#ifndef ACTGEN_TIES_H
#define ACTGEN_TIES_H

#include "expr.h"

struct ties {
    expr_dag *dag;
    const expr *v; /* the value that moves */
    /* The work that is left, in nodes that are visited. At 0 some kinks may be missed. */
    uint64_t work;
};

/* Returns the derivative `e`, with another value at those kinks of `v` where it has one limit from both
 * sides that the rules do not give. */
const expr *ties_mended(struct ties *t, const expr *e);
/* Returns an input that can take the place of `v` in `e`: `v` itself if it is an input. Returns NULL if `e`
 * uses all inputs. */
const expr *ties_letter(expr_dag *dag, const expr *e, const expr *v);

#endif
