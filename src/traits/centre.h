/* Formulas of x plus a constant, f(x) = g(x - c). g may have the symmetry and the decay at 0 that f has at
 * c. */
#ifndef ACTGEN_CENTRE_H
#define ACTGEN_CENTRE_H

#include "expr.h"
#include "quad.h"

struct centre {
    quad at;             /* c */
    const expr *formula; /* g, simplified, with x - c as EXPR_INPUT 0 */
};

/* Finds c and g only from the text of the formula. c comes from the first sum in the simplified formula that
 * adds a constant to x, or to a number times x. The whole formula is then rewritten in x - c. Returns false
 * if there is no such sum. */
bool centre_find(struct centre *out, arena *memory, const expr *simplified);

#endif
