/* Keys and integrity: XXH3, 128 bits. Not a defence against an attacker. */
#ifndef ACTGEN_HASH_H
#define ACTGEN_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { HASH_TEXT_SIZE = 33 };

/* 32 hexadecimal digits and the terminator. */
void hash_text(const void *data, size_t size, char out[HASH_TEXT_SIZE]);
/* `seed` may be hash_bytes of what stands before; 0 is as without one. */
void hash_text_seeded(const void *data, size_t size, uint64_t seed, char out[HASH_TEXT_SIZE]);

/* A short one, for tables in memory; `seed` may be the hash of what stands before. */
uint64_t hash_bytes(const void *data, size_t size, uint64_t seed);

#endif
