/* Random words by their number: Philox 4x32-10. The source of the constants is Salmon, Moraes, Dror, Shaw:
 * "Parallel random numbers: as easy as 1, 2, 3", 2011, section 3.3. There is no state between words, so
 * elements can be computed in any order.
 *
 * The word with number `index` is word `index mod 4` of the four words for the counter `index div 4`. The
 * seed is the key. Both have their low half first. The draw is the upper 24 bits of the word as a fraction.
 * Each f32 in [0, 1) that is a multiple of 2^-24 is equally likely. */
#ifndef ACTGEN_PHILOX_H
#define ACTGEN_PHILOX_H

#include <stddef.h>
#include <stdint.h>

enum {
    PHILOX_ROUNDS = 10,
    PHILOX_WORDS = 4,
    PHILOX_KEYS = 2,
    PHILOX_DRAW_BITS = 24,
    PHILOX_DROPPED_BITS = 32 - PHILOX_DRAW_BITS
};

#define PHILOX_DRAW_UNIT 0x1p-24f

/* The multipliers of words 0 and 2 of the counter, and the amounts that the key's words grow by in each
 * round. */
static const uint32_t philox_multipliers[2] = {0xd2511f53, 0xcd9e8d57};
static const uint32_t philox_growth[2] = {0x9e3779b9, 0xbb67ae85};

/* Replaces the counter by its four random words. */
static inline void philox_words(uint32_t counter[PHILOX_WORDS], const uint32_t key[2])
{
    for (uint32_t round = 0; round < PHILOX_ROUNDS; round++) {
        const uint64_t first = (uint64_t)philox_multipliers[0] * counter[0],
                       second = (uint64_t)philox_multipliers[1] * counter[2];
        const uint32_t next[] = {
            (uint32_t)(second >> 32) ^ counter[1] ^ (key[0] + round * philox_growth[0]), (uint32_t)second,
            (uint32_t)(first >> 32) ^ counter[3] ^ (key[1] + round * philox_growth[1]), (uint32_t)first};
        for (int w = 0; w < PHILOX_WORDS; w++) counter[w] = next[w];
    }
}

/* Computes the draws of the seed with the numbers index, index + 1, ... After 2^64 - 1 comes 0. */
static inline void philox_draws(float *out, uint64_t seed, uint64_t index, size_t count)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[PHILOX_WORDS] = {0};
    for (size_t i = 0; i < count; i++, index++) {
        const uint64_t counter = index / PHILOX_WORDS;
        const uint32_t fresh[PHILOX_WORDS] = {(uint32_t)counter, (uint32_t)(counter >> 32)};
        if (i == 0 || index % PHILOX_WORDS == 0) {
            for (int w = 0; w < PHILOX_WORDS; w++) words[w] = fresh[w];
            philox_words(words, key);
        }
        out[i] = (float)(words[index % PHILOX_WORDS] >> PHILOX_DROPPED_BITS) * PHILOX_DRAW_UNIT;
    }
}

#endif
