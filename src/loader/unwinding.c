/* Checks the table for unwinding before the compiler's runtime walks it: libgcc of GCC 13 and later reads the
 * records when the table is registered, and believes them. The format is that of the Linux Standard Base 5.0,
 * "Exception Frames". */
#include "elf_object.h"

#include <string.h>

enum {
    WORD = 4,         /* bytes of a length, and of the distance to the common record */
    VERSION = 1,      /* of common records */
    LEAST_COMMON = 9, /* bytes: version, "zR" and its end, two factors, a register, a length, an encoding */
    RELATIVE = 0x10,  /* encoding: distances from the field itself, */
    FORMAT = 0x0f,    /* in one of these forms */
    OF_4_BYTES_SIGNED = 0x0b,
    OF_4_BYTES = 0x03,
};

/* The section, and the common record that was met last. */
struct table {
    const unsigned char *bytes;
    uint64_t size, code_size;
    bool has_common;
    uint64_t common; /* where it begins */
};

static uint32_t word_at(const struct table *t, uint64_t at)
{
    uint32_t word;
    memcpy(&word, t->bytes + at, sizeof word);
    return word;
}

/* Moves beyond a number of any length (LEB128); false if it does not end in the record. */
static bool skip_number(const unsigned char *body, uint32_t length, uint32_t *at)
{
    while (*at < length && body[*at] & 0x80) ++*at;
    return (*at)++ < length;
}

/* Returns true for a common record as LLVM writes it: its parts have distances of 4 bytes. */
static bool is_good_common(const unsigned char *body, uint32_t length)
{
    static const char augmentation[] = "zR";
    uint32_t at = 1 + sizeof augmentation;
    if (length < LEAST_COMMON || body[0] != VERSION ||
        memcmp(body + 1, augmentation, sizeof augmentation) != 0)
        return false;
    for (unsigned numbers = 0; numbers < 2; numbers++) /* factors of code and data */
        if (!skip_number(body, length, &at)) return false;
    at++; /* the register of the return address */
    if (at > length || length - at < 2 || body[at] != 1) return false; /* one byte of augmentation data */
    const unsigned encoding = body[at + 1], form = encoding & FORMAT;
    return (encoding & ~(unsigned)FORMAT) == RELATIVE && (form == OF_4_BYTES_SIGNED || form == OF_4_BYTES);
}

/* Returns true if the record at `at`, whose length is within the table, is one that can be walked. */
static bool is_good_record(struct table *t, uint64_t at, uint32_t length)
{
    const uint64_t body = at + 2 * WORD;
    const uint32_t to_common = word_at(t, at + WORD);
    if (!to_common) {
        t->has_common = is_good_common(t->bytes + body, length - WORD);
        t->common = at;
        return t->has_common;
    }
    if (!t->has_common || at + WORD - to_common != t->common || length < 3 * WORD) return false;
    const uint32_t range = word_at(t, body + WORD); /* in bytes of code */
    return range > 0 && range <= t->code_size;
}

static bool is_good_table(struct table *t)
{
    for (uint64_t at = 0; at < t->size;) {
        if (t->size - at < 2 * WORD) return false;
        const uint32_t length = word_at(t, at);
        if (length < WORD || length > t->size - at - WORD || !is_good_record(t, at, length)) return false;
        at += WORD + length;
    }
    return true;
}

bool unwinding_is_good(const void *table, size_t size, size_t code_size)
{
    struct table t = {.bytes = table, .size = size, .code_size = code_size};
    return is_good_table(&t);
}
