/* The first terms of the Taylor series at 0 of a formula of one input, with bounds of the remainder. They
 * serve small inputs where the formula's terms cancel, as those of x - tanh(x) do. Finding them takes
 * milliseconds, so they are for sweeps over many inputs. */
#ifndef ACTGEN_BEGINNING_H
#define ACTGEN_BEGINNING_H

#include "reference.h"

struct beginning; /* read-only once made */

#define BEGINNING_MOST_REACH 0x1p-4f /* larger inputs have no known value */

/* Finds the terms for the formula. Returns NULL if memory runs out. If the formula may bend at 0, the result
 * knows no input. The same holds if the formula does not begin at 0 with a constant times a power of x. */
struct beginning *beginning_create(const expr *formula);
void beginning_free(struct beginning *b); /* NULL is fine */
/* Computes quick values. Inputs that are not near enough to 0 are unknown. Returns false if all are
 * unknown. */
bool beginning_values(const struct beginning *b, const double *x, size_t count, double *value, double *error);

#endif
