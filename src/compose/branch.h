/* Finds the inputs for which a formula chooses a branch, and conditions that may have no value. */
#ifndef ACTGEN_BRANCH_H
#define ACTGEN_BRANCH_H

#include "expr.h"

/* Looks for `if number < x then A else B`, where x is the input. Returns an array by node id: true if the
 * node is used outside of B. Sets the range of x for B. Returns NULL if there is no such branch. `nodes` are
 * the nodes below the root, with operands before their users. */
bool *branch_find(float range[2], arena *memory, const expr *const *nodes, uint32_t count, const expr *root);

/* Returns whether some inputs give no value (logarithms, roots). A comparison would hide the NaN. */
bool branch_may_be_undefined(arena *memory, const expr *e);

#endif
