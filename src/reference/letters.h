/* Formulas as quotients of polynomials in their letters, exactly: so terms and factors that cancel are seen,
 * which expr_simplify keeps. */
#ifndef ACTGEN_LETTERS_H
#define ACTGEN_LETTERS_H

#include "expr.h"

/* Returns the number that the simplified formula `e` is for all values of its letters, where it has one; NULL
 * if there is none, or none is found. Letters are the inputs, and all that is no sum, product or whole power.
 * *work is as series_limit has it. */
const expr *letters_number(const expr *e, uint64_t *work);

#endif
