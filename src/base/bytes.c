/* Reads and writes packed bytes. */
#include "bytes.h"

#include <string.h>

const unsigned char *bytes_take(struct bytes *b, size_t count)
{
    if (b->failed || count > b->left) {
        b->failed = true;
        return NULL;
    }
    const unsigned char *taken = b->data;
    b->data += count;
    b->left -= count;
    return taken;
}

uint64_t bytes_number(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char *byte = bytes_take(b, 1);
        if (!byte) return 0;
        const uint64_t part = *byte & 0x7f;
        value |= part << shift;
        if (*byte & 0x80) continue;
        const bool longer_than_needed = shift && !part, too_large = shift == 63 && part > 1;
        b->failed |= longer_than_needed || too_large;
        return b->failed ? 0 : value;
    }
    b->failed = true;
    return 0;
}

uint64_t bytes_below(struct bytes *b, uint64_t end)
{
    const uint64_t number = bytes_number(b);
    b->failed |= number >= end;
    return b->failed ? 0 : number;
}

uint64_t bytes_fixed(struct bytes *b, unsigned count)
{
    const unsigned char *taken = bytes_take(b, count);
    uint64_t value = 0;
    for (unsigned k = 0; taken && k < count; k++) value |= (uint64_t)taken[k] << 8 * k;
    return value;
}

const char *bytes_text(struct bytes *b, arena *memory)
{
    const size_t length = bytes_number(b);
    const unsigned char *taken = bytes_take(b, length);
    if (taken && !memchr(taken, 0, length)) return arena_text(memory, (const char *)taken, length);
    b->failed = true;
    return "";
}

void bytes_add_number(struct text *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) bytes_add_fixed(out, (value & 0x7f) | 0x80, 1);
    bytes_add_fixed(out, value, 1);
}

void bytes_add_fixed(struct text *out, uint64_t value, unsigned count)
{
    char data[8];
    for (unsigned k = 0; k < count; k++) data[k] = (char)(unsigned char)(value >> 8 * k & 0xff);
    text_bytes(out, data, count);
}

void bytes_add_text(struct text *out, const char *text)
{
    bytes_add_number(out, strlen(text));
    text_bytes(out, text, strlen(text));
}
