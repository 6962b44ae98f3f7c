/* Hashes for keys and integrity: XXH3, 128 bits. They are no defence against an attacker. */
#ifndef ACTGEN_HASH_H
#define ACTGEN_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_SIZE = 33 };

/* Writes the hash as 32 hexadecimal digits and a terminator. */
void hash_text(const void *data, size_t size, char out[HASH_TEXT_SIZE]);
/* Does the same with a seed, which may be the hash_bytes of preceding data. 0 is no seed. */
void hash_text_seeded(const void *data, size_t size, uint64_t seed, char out[HASH_TEXT_SIZE]);

/* Returns a short hash, for tables in memory. `seed` may be the hash of preceding data. */
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

#endif
