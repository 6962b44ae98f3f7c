#include "hash.h"

#include <stdio.h>
#include <xxhash.h>

void hash_text(const void *data, size_t size, char out[HASH_TEXT_SIZE])
{
    XXH128_hash_t h = XXH3_128bits(data, size);
    snprintf(out, HASH_TEXT_SIZE, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
}

uint64_t hash_bytes(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}
