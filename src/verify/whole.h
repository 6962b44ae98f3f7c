/* The error of whole results of a kernel of several operands, on values like those of networks. It is
 * information, not a promise. */
#ifndef ACTGEN_WHOLE_H
#define ACTGEN_WHOLE_H

#include "verify.h"

/* Returns the largest error in ulps of result `result` on sample `seed`, with `count` <= BITS_BLOCK inputs.
 * Returns a negative number if memory runs out. */
double whole_error(const struct verify_subject *subject, uint32_t result, uint64_t seed, size_t count);

#endif
