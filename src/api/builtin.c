/* Lines of packed plans in the order of their keys, <key> <packed in base 64> <what it is, for readers>, and the plans that are
 * built in as such lines: builtin_plans.txt. */
#include "store.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void builtin_line(struct text *out, const char key[HASH_TEXT_SIZE], const struct text *packed,
                  const char *label)
{
    text_add(out, "%s ", key);
    for (size_t i = 0; i < packed->length; i += 3) {
        uint32_t group = 0;
        const size_t left = packed->length - i, bytes = left < 3 ? left : 3;
        for (size_t k = 0; k < bytes; k++)
            group |= (uint32_t)(unsigned char)packed->data[i + k] << (16 - 8 * k);
        for (size_t k = 0; k <= bytes; k++) text_bytes(out, &digits[group >> (18 - 6 * k) & 63], 1);
    }
    text_add(out, " %s\n", label);
}

/* What a digit stands for; 64 if it is none. */
static uint32_t value_of_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z') return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9') return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* The bytes of base 64 up to the next blank. */
static const unsigned char *decode(const char *text, arena *memory, size_t *size)
{
    const size_t length = strcspn(text, " ");
    unsigned char *bytes = arena_alloc(memory, length);
    uint32_t group = 0;
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        const uint32_t value = value_of_digit(text[i]);
        if (value > 63) return NULL;
        group = group << 6 | value;
        if (i % 4) bytes[(*size)++] = (unsigned char)(group >> (6 - i % 4 * 2) & 0xff);
    }
    return bytes;
}

/* The start of the line that `at` is in. */
static size_t line_start(const char *lines, size_t at)
{
    const char *before = memrchr(lines, '\n', at);
    return before ? (size_t)(before - lines) + 1 : 0;
}

const unsigned char *packed_line(const char *lines, size_t length, const char key[HASH_TEXT_SIZE],
                                 arena *memory, size_t *size, const char **at)
{
    size_t low = 0, high = length; /* starts of lines; the wanted line is in between */
    while (low < high) {
        const size_t middle = line_start(lines, low + (high - low) / 2);
        const int order = strncmp(key, lines + middle, HASH_TEXT_SIZE - 1);
        *at = lines + middle;
        if (!order) return decode(lines + middle + HASH_TEXT_SIZE, memory, size);
        if (order < 0)
            high = middle;
        else
            low = middle + strcspn(lines + middle, "\n") + 1;
    }
    return NULL;
}

const unsigned char *builtin_plan(const char key[HASH_TEXT_SIZE], arena *memory, size_t *size)
{
    const char *at;
    return packed_line(builtin_plans, builtin_plans_size, key, memory, size, &at);
}
