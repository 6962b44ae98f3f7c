/* Inside the cache room. */
#ifndef ACTGEN_CACHE_ROOM_H
#define ACTGEN_CACHE_ROOM_H

#include "cache.h"

#include <pthread.h>

struct cache {
    int directory; /* held open: what happens to its name later does not matter */
    char *path;
    uint64_t limit;
    pthread_mutex_t lock; /* of the rest */
    uint64_t size;        /* of the files, by the last count and what was stored since; at first UINT64_MAX */
    unsigned temporaries; /* made so far, for their names */
};

/* directory.c: opens it if it is safe; -1 else, and *why. The path is malloc'ed. */
int directory_open(char **path, const char *wanted, struct diag *why);

/* evict.c: counts the files and deletes those longest not used until three quarters of the limit are left;
 * returns the bytes that are. */
uint64_t evict(int directory, uint64_t limit);

/* Names of values are keys; of files being written, this and more. */
static const char temporary_prefix[] = "new.";

#endif
