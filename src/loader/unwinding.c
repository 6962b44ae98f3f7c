/* Checks the table for unwinding before the compiler's runtime walks it. libgcc of GCC 13 and later reads the
 * records when the table is registered, and does not check them. The format is "Exception Frames" in the
 * Linux Standard Base 5.0. */
#include "elf_object.h"

#include <string.h>

enum {
    /* The bytes of a length, and of the distance to the common record. */
    WORD = 4,
    /* The version of common records. */
    VERSION = 1,
    /* The least bytes of a common record: version, "zR" and its end, two factors, a register, a length, an
     * encoding. */
    LEAST_COMMON = 9,
    /* The encoding for distances from the field itself. FORMAT masks their form. */
    RELATIVE = 0x10,
    FORMAT = 0x0f,
    OF_4_BYTES_SIGNED = 0x0b,
    OF_4_BYTES = 0x03,
};

/* The section, and the last common record so far. */
struct table {
    const unsigned char *bytes;
    uint64_t size, code_size;
    bool has_common;
    uint64_t common; /* The offset of its beginning. */
};

static uint32_t word_at(const struct table *t, uint64_t at)
{
    uint32_t word;
    memcpy(&word, t->bytes + at, sizeof word);
    return word;
}

/* Moves past a number of any length (LEB128). Returns false if the number does not end in the record. */
static bool skip_number(const unsigned char *body, uint32_t length, uint32_t *at)
{
    while (*at < length && body[*at] & 0x80) ++*at;
    return (*at)++ < length;
}

/* Returns true for a common record as LLVM writes it, with distances of 4 bytes. */
static bool is_good_common(const unsigned char *body, uint32_t length)
{
    static const char augmentation[] = "zR";
    uint32_t at = 1 + sizeof augmentation;
    if (length < LEAST_COMMON || body[0] != VERSION ||
        memcmp(body + 1, augmentation, sizeof augmentation) != 0)
        return false;
    for (unsigned numbers = 0; numbers < 2; numbers++) /* The factors of code and data. */
        if (!skip_number(body, length, &at)) return false;
    at++; /* The register of the return address. */
    /* There is one byte of augmentation data. */
    if (at > length || length - at < 2 || body[at] != 1) return false;
    const unsigned encoding = body[at + 1], form = encoding & FORMAT;
    return (encoding & ~(unsigned)FORMAT) == RELATIVE && (form == OF_4_BYTES_SIGNED || form == OF_4_BYTES);
}

/* Returns true if the record at `at` can be walked. The caller has checked that its length is within the
 * table. */
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
    const uint32_t range = word_at(t, body + WORD); /* In bytes of code. */
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
