/* Random numbers that are the same on every machine, because they call no function of libm. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* The step by which random_bits() advances a state. Draw number i, counted from 0, follows from
 * state + i*RANDOM_STEP. */
#define RANDOM_STEP UINT64_C(0x9E3779B97F4A7C15)

/* Returns 64 random bits and advances the state, which may begin anywhere (splitmix64: Steele, Lea, Flood
 * 2014). */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += RANDOM_STEP;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/* Returns a number between -1 and 1, without the ends: an odd multiple of 2^-24. */
static inline float random_uniform(uint64_t *state)
{
    return (float)(2 * (int32_t)(random_bits(state) >> 40) + 1 - (1 << 24)) * 0x1p-24F;
}

#endif
