/* XXH3 is compiled into this file. */
#include "hash.h"

/* XXH3 becomes a part of this library. Loading another library would take a process longer than all its
 * hashing. */
#define XXH_INLINE_ALL
#include <xxhash.h>

void hash_text_seeded(const void *data, size_t size, uint64_t seed, char out[HASH_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    enum { DIGITS = 16 }; /* In each half. */
    const XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
    for (unsigned i = 0; i < DIGITS; i++) {
        out[i] = digits[h.high64 >> (4 * (DIGITS - 1 - i)) & 15];
        out[DIGITS + i] = digits[h.low64 >> (4 * (DIGITS - 1 - i)) & 15];
    }
    out[2 * DIGITS] = 0;
}

void hash_text(const void *data, size_t size, char out[HASH_TEXT_SIZE])
{
    hash_text_seeded(data, size, 0, out);
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}
