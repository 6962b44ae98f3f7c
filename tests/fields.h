/* Readers of the rows of tables, whose fields lie between separators. */
#ifndef ACTGEN_TEST_FIELDS_H
#define ACTGEN_TEST_FIELDS_H

#include <stddef.h>
#include <string.h>

static inline char *trimmed(char *text)
{
    while (*text == ' ') text++;
    for (size_t n = strlen(text); n && (text[n - 1] == ' ' || text[n - 1] == '\n'); n--) text[n - 1] = 0;
    return text;
}

/* Returns the next field up to `separator`, or NULL if there is none. */
static inline char *field(char **rest, char separator)
{
    if (!*rest) return NULL;
    char *start = *rest, *end = strchr(start, separator);
    if (end) *end = 0;
    *rest = end ? end + 1 : NULL;
    return trimmed(start);
}

#endif
