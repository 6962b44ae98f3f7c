/* Where a formula may bend, jump, or have no value as it is written, as one of its letters moves. */
#ifndef ACTGEN_KINK_PLACES_H
#define ACTGEN_KINK_PLACES_H

#include "expr.h"

enum { KINK_MOST_PLACES = 64 };

struct kink_places {
    /* Each once: numbers, of which a place that no double is, no operand is at; and formulas of the other
     * letters. */
    const expr *list[KINK_MOST_PLACES];
    unsigned count;
};

/* Finds the places of `e` as its letter `v`, an input, moves: where the sides of a comparison, of max or min,
 * meet, and where what is below a fraction bar, a root or a logarithm is 0. It finds what can be solved
 * exactly: linear and quadratic equations, small rational roots of polynomials, and functions of those. Where
 * other letters are in the equation, it finds what is linear in `v`, by a number. Nodes are made in `dag`,
 * the formula's. *work is as series_limit has it. */
void kink_places(struct kink_places *out, expr_dag *dag, const expr *e, const expr *v, uint64_t *work);

#endif
