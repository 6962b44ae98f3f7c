/* The inputs for which a branch of a formula is chosen, and those of which a condition says nothing. */
#ifndef ACTGEN_BRANCH_H
#define ACTGEN_BRANCH_H

#include "expr.h"

/* Looks for `if number < x then A else B`, x being the input. Returns which nodes are of use outside of B,
 * too, by id, and the range of x for B; NULL if there is none. `nodes` are those below the root, operands
 * before their users. */
bool *branch_find(float range[2], arena *memory, const expr *const *nodes, uint32_t count, const expr *root);

/* Whether some numbers have no value, whose NaN a comparison would not show: log, roots. */
bool branch_may_be_undefined(arena *memory, const expr *e);

#endif
