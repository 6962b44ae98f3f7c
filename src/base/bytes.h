/* Packed bytes. A number has 7 bits per byte, low bits first. Reading is strict. After a read past the end,
 * or of a number that is longer than it need be, `failed` stays set and each read gives 0. */
#ifndef ACTGEN_BYTES_H
#define ACTGEN_BYTES_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* The bytes that are left to read. */
struct bytes {
    const unsigned char *data;
    size_t left;
    bool failed;
};

uint64_t bytes_number(struct bytes *b);
/* Reads a number that must be below `end`. */
uint64_t bytes_below(struct bytes *b, uint64_t end);
/* Returns the next `count` bytes, or NULL past the end. */
const unsigned char *bytes_take(struct bytes *b, size_t count);
/* Returns a text that has its length in front, copied into the arena. Returns "" if reading fails. */
const char *bytes_text(struct bytes *b, arena *memory);
/* Reads a number of `count` <= 8 bytes, low bytes first. This form is for numbers whose high bits matter. */
uint64_t bytes_fixed(struct bytes *b, unsigned count);

void bytes_add_number(struct text *out, uint64_t value);
void bytes_add_text(struct text *out, const char *text);
void bytes_add_fixed(struct text *out, uint64_t value, unsigned count);

#endif
