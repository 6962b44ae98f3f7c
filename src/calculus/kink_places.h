/* The places where a formula may bend, jump, or have no value as written, as one of its variables moves. */
#ifndef ACTGEN_KINK_PLACES_H
#define ACTGEN_KINK_PLACES_H

#include "expr.h"

enum { KINK_MOST_PLACES = 64 };

struct kink_places {
    /* Each place once: numbers that are doubles, and formulas of the other variables. */
    const expr *list[KINK_MOST_PLACES];
    unsigned count;
};

/* Finds the places of `e` as the input `v` moves. The sides of a comparison, of max or of min meet there,
 * or a denominator or the argument of a root or a logarithm is 0. The function finds what can be solved
 * exactly: linear and quadratic equations, small rational roots of polynomials, and functions of those. If
 * other inputs are in the equation, it must be linear in `v` with a number as slope. New nodes are made in
 * `dag`, the DAG of the formula. *work is the budget, as in series_limit. */
void kink_places(struct kink_places *out, expr_dag *dag, const expr *e, const expr *v, uint64_t *work);

#endif
