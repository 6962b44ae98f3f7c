/* The reduction of an exponential's argument, u = n step + r, for words of any formula and for the shapes
 * that have an exponential of their own. */
#ifndef ACTGEN_REDUCTION_H
#define ACTGEN_REDUCTION_H

#include "number.h"
#include "quad.h"

quad reduction_ln2(void); /* to 106 bits */

/* A step. `high` has the leading bits, whose multiples are exact, and `low` the rest. `inverse` is 1 /
 * step. */
struct reduction {
    double high, low, inverse;
};
/* Splits the step into so many leading bits and the rest. The leading bits are cut off, or rounded to
 * nearest. */
struct reduction reduction_of(quad step, int leading_bits, bool is_cut);

/* round(u / step): in the last bits of a sum, of the sum's integer, and as a number. */
struct multiple {
    lane_value sum, bits, n;
};
/* Finds the nearest multiple of the step by adding 1.5 times a power of two, plus a bias. Only the sum
 * includes the bias. */
struct multiple reduction_multiple(struct composer *c, lane_value u, struct reduction s, double shifter);
/* Returns 2^m in f32, for -126 <= m <= 127. `bits` holds m + 127 above its last log2_entries bits. */
lane_value reduction_power(struct composer *c, lane_value bits, unsigned log2_entries);

#endif
