/* Memory between guard pages, which the processor lets nobody touch. */
#ifndef ACTGEN_GUARDED_H
#define ACTGEN_GUARDED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded {
    unsigned char *map, *data;
    size_t size; /* The size of the data in bytes, in whole pages. */
};

enum { UNTOUCHED = 0xa5 };

static inline bool guarded_create(struct guarded *g, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    g->size = (bytes + page - 1) / page * page;
    g->map = mmap(NULL, g->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (g->map == MAP_FAILED) return false;
    g->data = g->map + page;
    return mprotect(g->data, g->size, PROT_READ | PROT_WRITE) == 0;
}

static inline void guarded_free(struct guarded *g)
{
    munmap(g->map, g->size + 2 * (size_t)sysconf(_SC_PAGESIZE));
}

static inline bool all_untouched(const unsigned char *data, size_t bytes)
{
    return !bytes || (data[0] == UNTOUCHED && !memcmp(data, data + 1, bytes - 1));
}

/* Returns true if all bytes outside [from, from + bytes) are as guarded_fill left them. */
static inline bool guarded_untouched(const struct guarded *g, size_t from, size_t bytes)
{
    return all_untouched(g->data, from) && all_untouched(g->data + from + bytes, g->size - from - bytes);
}

static inline void guarded_fill(struct guarded *g) { memset(g->data, UNTOUCHED, g->size); }

#endif
