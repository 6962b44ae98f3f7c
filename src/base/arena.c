#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 64 * 1024 };

struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

struct arena {
    struct block *blocks;
    size_t handed_out, limit;
    jmp_buf escape;
};

arena *arena_create(size_t limit)
{
    arena *a = calloc(1, sizeof *a);
    if (a) a->limit = limit ? limit : SIZE_MAX;
    return a;
}

void arena_free(arena *a)
{
    if (!a) return;
    for (struct block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

jmp_buf *arena_escape(arena *a) { return &a->escape; }

static struct block *block_with_room(arena *a, size_t size)
{
    if (a->blocks && a->blocks->size - a->blocks->used >= size) return a->blocks;
    size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    struct block *b = calloc(1, sizeof *b + room);
    if (!b) longjmp(a->escape, 1);
    b->size = room;
    b->next = a->blocks;
    a->blocks = b;
    return b;
}

void *arena_alloc(arena *a, size_t size)
{
    const size_t alignment = alignof(max_align_t);
    if (size > SIZE_MAX / 2 || size > a->limit - a->handed_out) longjmp(a->escape, 1);
    size = (size + alignment - 1) / alignment * alignment;
    struct block *b = block_with_room(a, size);
    void *p = b->data + b->used;
    b->used += size;
    a->handed_out = size > a->limit - a->handed_out ? a->limit : a->handed_out + size;
    return p;
}

void *arena_copy(arena *a, const void *data, size_t size)
{
    void *p = arena_alloc(a, size);
    if (size) memcpy(p, data, size);
    return p;
}

char *arena_text(arena *a, const char *text, size_t length)
{
    char *p = arena_alloc(a, length + 1);
    if (length) memcpy(p, text, length);
    return p;
}
