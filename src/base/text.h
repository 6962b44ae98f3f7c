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

/* Writes the shortest decimal of `least` or more digits, up to 17, that reads back as the finite value.
 * Zeros at the end are left out. */
enum { DOUBLE_TEXT_SIZE = 32 };
void double_text(char out[DOUBLE_TEXT_SIZE], double value, int least);

#endif
