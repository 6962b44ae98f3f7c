/* Bytes by key in a directory of files, for what takes long to make and can always be made again.
 *
 * Whatever is wrong with the directory or a file of it, a look-up is a miss and a store does nothing:
 * damaged, cut, foreign, unreadable, read-only, vanished, full. Processes may share a directory: files appear
 * whole (a temporary name, then a rename), and an equal key means equal bytes. Files carry their key and a
 * hash (XXH3, 128 bits), which tells damage, not malice: safety is that the directory and its files belong to
 * this user and that nobody else may write them. Thread-safe. */
#ifndef ACTGEN_CACHE_H
#define ACTGEN_CACHE_H

#include "diag.h"
#include "hash.h"

#include <stddef.h>
#include <stdint.h>

typedef struct cache cache;

enum { CACHE_DEFAULT_LIMIT = 128 << 20 }; /* bytes */
enum { CACHE_LARGEST_VALUE = 16 << 20 };

/* `directory` is made, with its parents, if it is missing. NULL: $ACTGEN_CACHE_DIR, likewise, else
 * $XDG_CACHE_HOME/actgen, else $HOME/.cache/actgen, of which the last two folders are made; an empty
 * $ACTGEN_CACHE_DIR, like "", means none. `limit` bounds the files' bytes, 0 being the default; what was
 * longest not used goes first. NULL if there is no usable directory; `why` then says the reason. */
cache *cache_open(const char *directory, uint64_t limit, struct diag *why);
void cache_close(cache *c); /* NULL is fine */
const char *cache_directory(const cache *c);

/* The bytes stored under `key` (malloc'ed), or NULL. A NULL cache has none. */
void *cache_get(cache *c, const char key[HASH_TEXT_SIZE], size_t *size);
void cache_put(cache *c, const char key[HASH_TEXT_SIZE], const void *data, size_t size);
/* Forgets what turned out to be useless though undamaged. */
void cache_drop(cache *c, const char key[HASH_TEXT_SIZE]);

#endif
