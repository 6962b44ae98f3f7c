/* Prints and finds plans as lines of text, sorted by key. builtin_plans.txt holds the built-in plans as such
 * lines. */
#include "builtin.h"

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

/* The value of each character as a digit of base 64, plus 1. 0: the character is no such digit. */
static const unsigned char values[256] = {
    ['A'] = 1,  ['B'] = 2,  ['C'] = 3,  ['D'] = 4,  ['E'] = 5,  ['F'] = 6,  ['G'] = 7,  ['H'] = 8,
    ['I'] = 9,  ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13, ['N'] = 14, ['O'] = 15, ['P'] = 16,
    ['Q'] = 17, ['R'] = 18, ['S'] = 19, ['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24,
    ['Y'] = 25, ['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31, ['f'] = 32,
    ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37, ['l'] = 38, ['m'] = 39, ['n'] = 40,
    ['o'] = 41, ['p'] = 42, ['q'] = 43, ['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48,
    ['w'] = 49, ['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55, ['3'] = 56,
    ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61, ['9'] = 62, ['+'] = 63, ['/'] = 64};

/* Decodes base 64 up to the next blank. */
static const unsigned char *decode(const char *text, arena *memory, size_t *size)
{
    const char *end = strchrnul(text, ' ');
    const size_t length = (size_t)(end - text);
    unsigned char *bytes = arena_alloc(memory, length);
    uint32_t group = 0;
    *size = 0;
    for (size_t i = 0; i < length; i++) {
        const uint32_t value = values[(unsigned char)text[i]];
        if (!value) return NULL;
        group = group << 6 | (value - 1);
        if (i % 4) bytes[(*size)++] = (unsigned char)(group >> (6 - i % 4 * 2) & 0xff);
    }
    return bytes;
}

/* Returns the start of the line that contains `at`. */
static size_t line_start(const char *lines, size_t at)
{
    const char *before = memrchr(lines, '\n', at);
    return before ? (size_t)(before - lines) + 1 : 0;
}

/* Returns the first eight digits of a key as a number. Keys are hashes, so these numbers are spread
 * evenly. */
static uint32_t number_of_key(const char *key)
{
    uint32_t place = 0;
    for (int i = 0; i < 8 && key[i]; i++)
        place = place << 4 | (uint32_t)(key[i] <= '9' ? key[i] - '0' : key[i] - 'a' + 10);
    return place;
}

/* Guesses where the line of a key is, between `low` and `high`, whose keys are `least` and `most`. The guess
 * is exact if keys are spread evenly and lines are equally long. It touches few pages, and a new process has
 * to fetch each page. After a few tries the middle is taken, which is sure to halve the range. */
static size_t guess(size_t low, size_t high, uint32_t least, uint32_t most, uint32_t wanted, unsigned tries)
{
    enum { EVEN_TRIES = 4 };
    if (tries >= EVEN_TRIES || wanted <= least || wanted >= most) return low + (high - low) / 2;
    const double part = (double)(wanted - least) / (double)(most - least);
    return low + (size_t)(part * (double)(high - low - 1));
}

const unsigned char *packed_line(const char *lines, size_t length, const char key[HASH_TEXT_SIZE],
                                 arena *memory, size_t *size, const char **at)
{
    size_t low = 0, high = length; /* Starts of lines. The wanted line is between them. */
    const uint32_t wanted = number_of_key(key);
    uint32_t least = 0, most = UINT32_MAX;
    for (unsigned tries = 0; low < high; tries++) {
        const size_t middle = line_start(lines, guess(low, high, least, most, wanted, tries));
        const int order = strncmp(key, lines + middle, HASH_TEXT_SIZE - 1);
        *at = lines + middle;
        if (!order) return decode(lines + middle + HASH_TEXT_SIZE, memory, size);
        if (order < 0) {
            high = middle;
            most = number_of_key(lines + middle);
        } else {
            low = middle + (size_t)(strchrnul(lines + middle, '\n') - (lines + middle)) + 1;
            least = number_of_key(lines + middle);
        }
    }
    return NULL;
}

const unsigned char *builtin_plan(const char key[HASH_TEXT_SIZE], arena *memory, size_t *size)
{
    const char *at;
    return packed_line(builtin_plans, builtin_plans_size, key, memory, size, &at);
}
