/* The error of whole results of a kernel of several operands, on values like those of networks: information,
 * no promise. */
#ifndef ACTGEN_WHOLE_H
#define ACTGEN_WHOLE_H

#include "verify.h"

/* The largest error in ulps of result `result` on sample `seed`, `count` <= BITS_BLOCK inputs; negative
 * without memory. */
double whole_error(const struct verify_subject *subject, uint32_t result, uint64_t seed, size_t count);

#endif
