/* Rational roots of polynomials that formulas are. */
#ifndef ACTGEN_RATIONAL_ROOTS_H
#define ACTGEN_RATIONAL_ROOTS_H

#include "expr.h"

/* Visits the numbers at which the simplified formula `e` of the letter `v` is the number `value`: all
 * rational ones up to degree 2, of higher degrees those p/q whose p and q are small. Returns false if `e` is
 * no polynomial in `v` of a low degree. */
bool polynomial_roots(expr_dag *dag, const expr *e, const expr *v, const expr *value,
                      void (*visit)(void *context, const expr *root), void *context);

#endif
