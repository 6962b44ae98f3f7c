/* Packed bytes: numbers of 7 bits a byte, low ones first, and whatever a text holds. Reading is strict: past
 * the end, or where a number is not written as shortly as it can be, everything is 0 and `failed` stays set.
 */
#ifndef ACTGEN_BYTES_H
#define ACTGEN_BYTES_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

struct bytes { /* what is still to be read */
    const unsigned char *data;
    size_t left;
    bool failed;
};

uint64_t bytes_number(struct bytes *b);
/* Some bytes as they are; NULL past the end. */
const unsigned char *bytes_take(struct bytes *b, size_t count);
/* A text with its length in front, copied into the arena; "" if it fails. */
const char *bytes_text(struct bytes *b, arena *memory);
/* `count` <= 8 bytes, low ones first: numbers whose high bits matter. */
uint64_t bytes_fixed(struct bytes *b, unsigned count);

void bytes_add_number(struct text *out, uint64_t value);
void bytes_add_text(struct text *out, const char *text);
void bytes_add_fixed(struct text *out, uint64_t value, unsigned count);

#endif
