/* Random numbers that are the same on every machine: no function of libm is in them. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdint.h>

/* What a state grows by: number i of those that follow a state follows state + i*RANDOM_STEP. */
#define RANDOM_STEP UINT64_C(0x9E3779B97F4A7C15)

/* A generator of 64 bits, whose state may begin anywhere (splitmix64: Steele, Lea, Flood 2014). */
static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += RANDOM_STEP;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

/* Between -1 and 1, neither of which it is: odd multiples of 2^-24. */
static inline float random_uniform(uint64_t *state)
{
    return (float)(2 * (int32_t)(random_bits(state) >> 40) + 1 - (1 << 24)) * 0x1p-24F;
}

#endif
