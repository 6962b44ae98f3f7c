/* Text that grows in an arena, for printers. */
#ifndef ACTGEN_TEXT_H
#define ACTGEN_TEXT_H

#include "arena.h"

struct text {
    arena *memory;
    char *data; /* Always ends with a 0. */
    size_t length, capacity;
};

struct text text_new(arena *memory);
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3), nonnull(2)));
void text_bytes(struct text *t, const char *data, size_t length);

#endif
