/* Where a formula's values lie on a short interval of inputs: its Taylor model. */
#ifndef ACTGEN_FORMULA_MODEL_H
#define ACTGEN_FORMULA_MODEL_H

#include "expr.h"
#include "model.h"

struct formula_model; /* of one formula of one variable, for one thread at a time */

/* In `memory`, which frees what it holds. The expression must live as long as it. */
struct formula_model *formula_model_create(arena *memory, const expr *simplified);

/* NULL, or a function in the formula that no model encloses but for single values, as the language writes it.
 */
const char *formula_model_lacks(const expr *simplified, arena *memory);

/* The model of the formula where its argument has that model; unknown where a function, a pole or a kink is
 * in the way. */
struct model formula_model_at(struct formula_model *f, const struct model *x);

#endif
