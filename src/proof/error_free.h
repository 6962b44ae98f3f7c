/* Recognizes error-free sums and products by their instructions. Such a value is the rounding error of
 * another value. */
#ifndef ACTGEN_ERROR_FREE_H
#define ACTGEN_ERROR_FREE_H

#include "affine.h"

/* Sets *v if the last instruction of such a sum or product stands at `n`. *v is then the rounding of the sum
 * or product with the opposite sign, and nothing else. Returns false otherwise, and also if this does not
 * hold on the interval. */
bool error_free_find(struct affine *m, struct affine_value *v, lane_value n);

#endif
