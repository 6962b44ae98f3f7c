/* Formulas of x plus a constant, f(x) = g(x - c): g may have the symmetry and the way to decay at 0 that f
 * has at c. */
#ifndef ACTGEN_CENTRE_H
#define ACTGEN_CENTRE_H

#include "expr.h"
#include "quad.h"

struct centre {
    quad at;             /* c */
    const expr *formula; /* g, simplified, of EXPR_INPUT 0 */
};

/* c is the one of the first sum of x (or a number times it) and a constant in the simplified formula; all of
 * it is rewritten in x - c. False if there is no such sum. By the text alone. */
bool centre_find(struct centre *out, arena *memory, const expr *simplified);

#endif
