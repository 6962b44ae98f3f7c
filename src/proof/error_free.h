/* Error-free sums and products, recognized by their instructions: a value that is what another one's rounding
 * left. */
#ifndef ACTGEN_ERROR_FREE_H
#define ACTGEN_ERROR_FREE_H

#include "affine.h"

/* If the last instruction of such a sum or product of the program stands at `n`, *v is set to its value: the
 * rounding of the sum or product with the other sign, and nothing beside it. Returns false where that does
 * not hold on the interval, too. */
bool error_free_find(struct affine *m, struct affine_value *v, lane_value n);

#endif
