/* The error of a program's results on a block of inputs, from the models of the program and the formula. */
#ifndef ACTGEN_MODEL_ERROR_H
#define ACTGEN_MODEL_ERROR_H

#include "program_model.h"
#include "tally.h"

/* Returns the largest error, in ulps or as `abs` bounds count. It is infinite if nothing is known. */
double model_error(const struct program_result *r, const struct model *formula, bool is_absolute);
/* Returns true if the model, which must be known, contains `exact` at the least input. */
bool model_agrees(const struct model *formula, const struct exact_value *exact);

#endif
