/* Finds rational roots of polynomials that are given as formulas. */
#ifndef ACTGEN_RATIONAL_ROOTS_H
#define ACTGEN_RATIONAL_ROOTS_H

#include "expr.h"

/* Visits the numbers at which the simplified formula `e` of the variable `v` has the number `value`. Up to
 * degree 2 these are all rational ones, and for higher degrees those p/q with small p and q. Returns false
 * if `e` is no polynomial in `v` of a low degree. */
bool polynomial_roots(expr_dag *dag, const expr *e, const expr *v, const expr *value,
                      void (*visit)(void *context, const expr *root), void *context);

#endif
