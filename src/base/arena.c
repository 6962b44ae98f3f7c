/* An arena is a list of blocks and a list of guests. The first block is being filled. */
#include "arena_watch.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct block {
    struct block *next;
    size_t used, size;
    /* Large blocks come from calloc, because the system's pages are zero without a write. Small blocks are
     * cleared as they are handed out, because most of a small block never is. */
    bool is_zero;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    /* Makes an inner arena a guest of its outer arena. It is the first member, so that a pointer to it is a
     * pointer to the arena. */
    struct arena_guest guest;
    /* The outermost arena of an inner one, else NULL. An inner arena has its own blocks and guests. Its
     * limit, watcher and escape point are those of `outer`. */
    arena *outer;
    struct block *blocks;
    size_t handed_out, limit;
    atomic_bool failed;
    bool is_exhausted, is_stopped;
    bool (*goes_on)(void *context); /* NULL: never asked. */
    void *watcher;
    unsigned allocations; /* The number of allocations since goes_on was last asked. */
    pthread_mutex_t lock; /* Guards the guests. */
    struct arena_guest *youngest;
    jmp_buf escape;
};

arena *arena_create(size_t limit)
{
    arena *a = calloc(1, sizeof *a);
    if (!a) return NULL;
    a->limit = limit ? limit : SIZE_MAX;
    a->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return a;
}

/* Return the outermost arena, which has the limit, the watcher and the escape of an inner one. */
static arena *outermost(arena *a) { return a->outer ? a->outer : a; }
static const arena *whole_of(const arena *a) { return a->outer ? a->outer : a; }

arena *arena_create_within(const arena *host)
{
    host = whole_of(host);
    const size_t left = host->limit - host->handed_out;
    arena *a = arena_create(left ? left : 1);
    if (a) arena_watch(a, host->goes_on, host->watcher);
    return a;
}

void arena_escape_to(arena *host, const arena *part)
{
    host = outermost(host);
    part = whole_of(part);
    host->is_exhausted = part->is_exhausted;
    host->is_stopped = part->is_stopped;
    longjmp(host->escape, 1);
}

static void release_inner(struct arena_guest *guest) { arena_free((arena *)guest); }

arena *arena_create_inner(arena *outer)
{
    arena *a = arena_create(0);
    if (!a) longjmp(outermost(outer)->escape, 1);
    a->outer = outermost(outer);
    /* A guest of `outer` may lie in the inner arena's memory. So both have one host, which releases the guest
     * first. */
    arena_host(outer, &a->guest, release_inner);
    return a;
}

size_t arena_limit(const arena *a) { return whole_of(a)->limit; }

void arena_free(arena *a)
{
    if (!a) return;
    arena_leave(&a->guest);
    if (a->outer) a->outer->handed_out -= a->handed_out;
    for (struct arena_guest *g; (g = a->youngest);) {
        arena_leave(g);
        g->release(g);
    }
    pthread_mutex_destroy(&a->lock);
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void arena_host(arena *a, struct arena_guest *guest, void (*release)(struct arena_guest *guest))
{
    pthread_mutex_lock(&a->lock);
    *guest = (struct arena_guest){a, a->youngest, NULL, release};
    if (a->youngest) a->youngest->younger = guest;
    a->youngest = guest;
    pthread_mutex_unlock(&a->lock);
}

void arena_leave(struct arena_guest *guest)
{
    arena *a = guest->host;
    if (!a) return;
    pthread_mutex_lock(&a->lock);
    if (guest->older) guest->older->younger = guest->younger;
    *(guest->younger ? &guest->younger->older : &a->youngest) = guest->older;
    pthread_mutex_unlock(&a->lock);
    guest->host = NULL;
}

jmp_buf *arena_escape(arena *a) { return &outermost(a)->escape; }

bool arena_is_exhausted(const arena *a) { return whole_of(a)->is_exhausted; }

void arena_fail(arena *a) { atomic_store(&outermost(a)->failed, true); }
bool arena_failed(const arena *a) { return atomic_load(&whole_of(a)->failed); }

static struct block *block_with_room(arena *a, size_t size)
{
    if (a->blocks && a->blocks->size - a->blocks->used >= size) return a->blocks;
    const bool is_shared = size <= BLOCK_SIZE;
    const size_t room = is_shared ? BLOCK_SIZE : size;
    struct block *b = is_shared ? malloc(sizeof *b + room) : calloc(1, sizeof *b + room);
    if (!b) longjmp(outermost(a)->escape, 1);
    *b = (struct block){.next = a->blocks, .size = room, .is_zero = !is_shared};
    a->blocks = b;
    return b;
}

void arena_watch(arena *a, bool (*goes_on)(void *context), void *context)
{
    a->goes_on = goes_on;
    a->watcher = context;
}

bool arena_is_stopped(const arena *a) { return whole_of(a)->is_stopped; }

void arena_ask(arena *a)
{
    arena *whole = outermost(a); /* The watcher belongs to the outermost arena. */
    whole->allocations = 0;
    if (!whole->goes_on || whole->goes_on(whole->watcher)) return;
    whole->is_stopped = true;
    longjmp(whole->escape, 1);
}

void *arena_alloc(arena *a, size_t size)
{
    enum { PERIOD = 100 };       /* The number of allocations between two questions. */
    arena *whole = outermost(a); /* The limit and the watcher belong to the outermost arena. */
    if (whole->goes_on && ++whole->allocations >= PERIOD) arena_ask(whole);
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX / 2 || size > whole->limit - whole->handed_out) {
        whole->is_exhausted = true;
        longjmp(whole->escape, 1);
    }
    size = (size + alignment - 1) / alignment * alignment;
    struct block *b = block_with_room(a, size);
    void *p = b->data + b->used;
    if (!b->is_zero) memset(p, 0, size);
    b->used += size;
    const size_t left = whole->limit - whole->handed_out, taken = size < left ? size : left;
    whole->handed_out += taken;
    if (whole != a) a->handed_out += taken;
    return p;
}

void *arena_copy(arena *a, const void *data, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size) memcpy(p, data, size);
    return p;
}

void *arena_with_room(arena *a, void *list, size_t count, size_t element_size)
{
    enum { FIRST_ROOM = 4 };
    if (count && (count < FIRST_ROOM || count & (count - 1))) return list;
    void *more = arena_alloc(a, (count ? 2 * count : FIRST_ROOM) * element_size);
    if (count) memcpy(more, list, count * element_size);
    return more;
}

char *arena_text(arena *a, const char *text, size_t length)
{
    char *p = arena_alloc(a, length + 1);
    if (length) memcpy(p, text, length);
    return p;
}

char *arena_copied(arena *a, const char *text) { return text ? arena_text(a, text, strlen(text)) : NULL; }
