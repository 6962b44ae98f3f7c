/* Operands with which kernels of several operands are tried, by seed, operand and lane. */
#ifndef ACTGEN_SAMPLES_H
#define ACTGEN_SAMPLES_H

#include "verify.h"

struct samples; /* read-only once made */

/* Creates the samples in the arena, whose escape must be set. */
const struct samples *samples_create(arena *memory, const struct verify_subject *subject);

/* Returns the bits of lane `lane` of kernel operand `k`, an input. Sample 0 begins with all pairs of special
 * values of the first two operands. Operands of shape [rows, cols] come first. After them come mixed samples:
 * bits of every exponent, special values, and neighbours of the formula's own numbers. There are also values
 * like those of networks and, for f64, neighbours of ties of a narrower type. */
uint64_t samples_bits(const struct samples *s, uint32_t k, uint64_t seed, uint64_t lane);

/* Returns values like those of networks only, with mean 0 and deviation 2. */
double samples_normal(uint32_t k, uint64_t seed, uint64_t lane);

#endif
