/* Values beyond MPFR's exponent range, as exp(x) and erfc(x) may be. Each is kept as a factor times a power
 * of e, whose exponent is within the range. Sums, products, quotients, powers, roots, logarithms and
 * comparisons of such values are then known as well as those of other values. */
#ifndef ACTGEN_MAGNITUDE_H
#define ACTGEN_MAGNITUDE_H

#include "interval.h"

/* The value of one node, if it is known in this form. */
struct magnitude {
    interval factor, exponent; /* the value is factor * e^exponent */
    bool is_known;
    bool is_made; /* the intervals are initialized */
};

/* Frees the intervals. An entry that is all zeros needs no call before its first use. */
void magnitude_clear(struct magnitude *m);

/* The formula being evaluated: its nodes, the places of their operands, their values and magnitudes. */
struct magnitudes {
    const expr *const *nodes;
    uint32_t (*operands)[3];
    interval *values;
    struct magnitude *list; /* one for each node */
};

/* Finds the magnitude of the node at `place` if its value, or an operand's, is beyond the range. The value
 * then becomes the narrower one of itself and the magnitude. The operands must have been seen before. */
void magnitude_find(const struct magnitudes *all, uint32_t place);

#endif
