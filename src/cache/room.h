/* Declarations that only the cache room needs. */
#ifndef ACTGEN_CACHE_ROOM_H
#define ACTGEN_CACHE_ROOM_H

#include "cache.h"

#include <pthread.h>

struct cache {
    /* Held open. Later changes to its name do not matter. */
    int directory;
    char *path;
    uint64_t limit;
    pthread_mutex_t lock; /* Guards the members below. */
    /* The size of all files: the last count, plus the files stored since. UINT64_MAX: not counted yet. */
    uint64_t size;
    unsigned temporaries; /* The number of temporary files so far, for their names. */
};

/* Opens the directory if it is safe. Else returns -1 and sets *why. The caller frees the path
 * (directory.c). */
int directory_open(char **path, const char *wanted, struct diag *why);

/* Counts the files. Above the limit, deletes files until three quarters of the limit are left, beginning with
 * the least recently used. Returns the bytes that are left (evict.c). */
uint64_t evict(int directory, uint64_t limit);

/* The beginning of the names of files that are being written. The names of values are their keys. */
static const char temporary_prefix[] = "new.";

#endif
