/* Operands that a kernel of several is tried with, by seed, operand and lane. */
#ifndef ACTGEN_SAMPLES_H
#define ACTGEN_SAMPLES_H

#include "verify.h"

struct samples; /* read only once made */

/* Memory is the arena's, whose escape must be set. */
const struct samples *samples_create(arena *memory, const struct verify_subject *subject);

/* The bits of lane `lane` of kernel operand `k`, an input. Sample 0 begins with all pairs of special values
 * of the first two operands (those of shape [rows, cols] first). Then, mixed: bits of every exponent, special
 * values, neighbours of the formula's own numbers, values like those of networks, and, for f64, neighbours of
 * what is a tie of a narrower type. */
uint64_t samples_bits(const struct samples *s, uint32_t k, uint64_t seed, uint64_t lane);

/* Values like those of networks alone: mean 0, deviation 2. */
double samples_normal(uint32_t k, uint64_t seed, uint64_t lane);

#endif
