/* Products, quotients and logarithms of values beyond MPFR's exponent range, as exp(x) and erfc(x) may be.
 * They are computed from the logarithms of the factors, which are within the range. */
#ifndef ACTGEN_MAGNITUDE_H
#define ACTGEN_MAGNITUDE_H

#include "interval.h"

/* The formula being evaluated: its nodes, the places of their operands, and their values. */
struct magnitude {
    const expr *const *nodes;
    uint32_t (*operands)[3];
    const interval *values;
};

/* Returns true if the value of a product, quotient or logarithm says nothing because a factor left the
 * range. */
bool magnitude_is_needed(const expr *node, const interval *value);
/* Computes the value of the node at `place` by logarithms. Does not change `out` if they do not tell it. */
void magnitude_refine(interval *out, const struct magnitude *m, uint32_t place);

#endif
