/* Products, quotients and logarithms of what leaves MPFR's range on either side, as exp(x) and erfc(x) do: by
 * the logarithms of the factors, which are within it. */
#ifndef ACTGEN_MAGNITUDE_H
#define ACTGEN_MAGNITUDE_H

#include "interval.h"

/* What is evaluated: nodes, the places of their operands, and their values. */
struct magnitude {
    const expr *const *nodes;
    uint32_t (*operands)[3];
    const interval *values;
};

/* Whether the value, of a product, quotient or logarithm, tells nothing because a factor left the range. */
bool magnitude_is_needed(const expr *node, const interval *value);
/* The value of the node at `place`, put into `out` if the logarithms tell it. */
void magnitude_refine(interval *out, const struct magnitude *m, uint32_t place);

#endif
