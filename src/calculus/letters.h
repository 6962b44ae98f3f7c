/* Formulas as exact quotients of polynomials in their letters. This form shows terms and factors that cancel
 * and that expr_simplify keeps. */
#ifndef ACTGEN_LETTERS_H
#define ACTGEN_LETTERS_H

#include "expr.h"

/* Returns the number that the simplified formula `e` equals for all values of its letters. Returns NULL if
 * there is no such number, or if none is found. A letter is an input, or any node that is not a sum, a
 * product or a whole power. *work counts as in series_limit. */
const expr *letters_number(const expr *e, uint64_t *work);

#endif
