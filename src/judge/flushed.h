/* Bounds with `flush`, such as `3 ulp flush`. They serve processors that take subnormal numbers for zero, and
 * others as well. A result may be zero with the exact value's sign where a number below the normal numbers is
 * within the bound. The result may also be off by as much as the least normal number there. For a subnormal
 * input, a result may also be right for zero with the input's sign. */
#ifndef ACTGEN_FLUSHED_H
#define ACTGEN_FLUSHED_H

#include "judge.h"
#include "progress.h"

/* Returns the error of a result, given the exact value. What the bound allows below the normal numbers counts
 * as 0 ulp. */
struct result_error flushed_error_of(const struct judge *j, float x, float computed,
                                     const struct exact_value *exact);
/* Returns whether a bound with `flush` allows the result, because it is right for zero in place of a
 * subnormal x. Then sets its error. */
bool flushed_is_right_as_zero(struct judge *j, float x, float computed, struct result_error *error);

/* Judges the program as processors run it that flush (lane_flushed), which the caller gives. Judges all
 * inputs of each 2^16 neighbours among which it differs from the plain program, at one of 32 points. Returns
 * false without memory. */
bool flushed_judge(struct judge *j, const lane_program *program, const lane_program *flushed,
                   struct progress *progress, struct tally *tally);

#endif
