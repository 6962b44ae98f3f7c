/* How a formula of one input begins at 0, for inputs so small that its terms cancel there, as those of x -
 * tanh(x) do: the first terms of its Taylor series, and bounds of what is left out. For sweeps, whose many
 * inputs are worth the milliseconds that it takes to find. */
#ifndef ACTGEN_BEGINNING_H
#define ACTGEN_BEGINNING_H

#include "reference.h"

struct beginning; /* read only once made */

#define BEGINNING_MOST_REACH 0x1p-4f /* nothing is known of larger inputs */

/* Returns NULL without memory. Where the formula may bend at 0, or does not begin there with a number times a
 * power of x, nothing is known of any input. */
struct beginning *beginning_create(const expr *formula);
void beginning_free(struct beginning *b); /* NULL is fine */
/* Quick values; those of inputs that are not near enough are unknown. False if all are. */
bool beginning_values(const struct beginning *b, const double *x, size_t count, double *value, double *error);

#endif
