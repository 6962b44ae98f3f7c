/* Encloses a formula's values on a short interval of inputs by a Taylor model. */
#ifndef ACTGEN_FORMULA_MODEL_H
#define ACTGEN_FORMULA_MODEL_H

#include "expr.h"
#include "model.h"

struct formula_model; /* for one formula of one variable, and one thread at a time */

/* Prepares a formula. The result is in `memory`, which also frees what it holds. The expression must live as
 * long as the result. */
struct formula_model *formula_model_create(arena *memory, const expr *simplified);

/* Returns NULL, or the name of a function in the formula, as the language writes it, that models enclose only
 * at single values. */
const char *formula_model_lacks(const expr *simplified, arena *memory);

/* Returns the model of the formula, given the model of its argument. The result is unknown if a function, a
 * pole or a kink is in the way. */
struct model formula_model_at(struct formula_model *f, const struct model *x);

#endif
