#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill(struct diag *d, int status, const char *format, va_list arguments)
{
    d->status = status;
    if (vsnprintf(d->message, sizeof d->message, format, arguments) < 0) d->message[0] = 0;
}

int diag_set(struct diag *d, int status, const char *format, ...)
{
    if (!d || d->status) return status;
    va_list arguments;
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    return status;
}

int diag_at(struct diag *d, int status, const char *text, struct span place, const char *format, ...)
{
    if (!d || d->status) return status;
    va_list arguments;
    va_start(arguments, format);
    fill(d, status, format, arguments);
    va_end(arguments);
    d->line = d->column = 1;
    for (uint32_t i = 0; i < place.offset; i++) {
        d->column++;
        if (text[i] == '\n') {
            d->line++;
            d->column = 1;
        }
    }
    d->offset = place.offset;
    d->length = place.length;
    return status;
}

enum { LONGEST_NAME = 40 };

/* Levenshtein's distance of two short names. */
static size_t distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), row[LONGEST_NAME + 1];
    if (m > LONGEST_NAME || n > LONGEST_NAME) return LONGEST_NAME;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

const char *diag_nearest(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t best = strlen(name) / 3 + 1; /* farther than a third of its letters is no misspelling */
    for (size_t i = 0; i < count; i++) {
        size_t d = distance(name, names[i]);
        if (d <= best && d < strlen(name)) {
            if (d < best || !nearest) nearest = names[i];
            best = d;
        }
    }
    return nearest;
}
