/* Stores bytes by key in a directory of files. They take long to make, but can always be made again.
 *
 * A look-up is a miss and a store does nothing if anything is wrong with the directory or a file: damaged,
 * cut, foreign, unreadable, read-only, vanished or full. Processes may share a directory. A file appears
 * whole, because it is written under a temporary name and then renamed. Equal keys mean equal bytes. A file
 * has its key and a hash (XXH3, 128 bits), which shows damage, not malice. The cache is safe because the
 * directory and its files belong to this user, and nobody else may write to them. Thread-safe. */
#ifndef ACTGEN_CACHE_H
#define ACTGEN_CACHE_H

#include "diag.h"
#include "hash.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cache cache;

enum { CACHE_DEFAULT_LIMIT = 128 << 20 }; /* In bytes. */
enum { CACHE_LARGEST_VALUE = 16 << 20 };

/* Opens a cache. `directory` is made if it is missing, with its parents. "" means no directory.
 *
 * If `directory` is NULL, $ACTGEN_CACHE_DIR takes its place. If that is not set, the directory is
 * $XDG_CACHE_HOME/actgen, else $HOME/.cache/actgen, and only the last two folders are made.
 *
 * `limit` bounds the bytes of all files, 0 means CACHE_DEFAULT_LIMIT. The least recently used files are
 * deleted first. Returns NULL if there is no usable directory. `why` then says the reason. */
cache *cache_open(const char *directory, uint64_t limit, struct diag *why);
/* Closes the cache. `c` may be NULL. */
void cache_close(cache *c);
const char *cache_directory(const cache *c);

/* Returns the bytes stored under `key`, which the caller frees, or NULL. A NULL cache has none. */
void *cache_get(cache *c, const char key[HASH_TEXT_SIZE], size_t *size);
void cache_put(cache *c, const char key[HASH_TEXT_SIZE], const void *data, size_t size);
/* Deletes a value that is undamaged but useless. */
void cache_drop(cache *c, const char key[HASH_TEXT_SIZE]);

#endif
