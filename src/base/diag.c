/* Composes messages, and finds the line and column of a place in a text. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fill_diag(struct diag *d, int status, const char *format, va_list arguments)
{
    d->status = status;
    if (vsnprintf(d->message, sizeof d->message, format, arguments) < 0) d->message[0] = 0;
}

int diag_set(struct diag *d, int status, const char *format, ...)
{
    if (!d || d->status) return status;
    va_list arguments;
    va_start(arguments, format);
    fill_diag(d, status, format, arguments);
    va_end(arguments);
    return status;
}

int diag_at(struct diag *d, int status, const char *text, struct span place, const char *format, ...)
{
    if (!d || d->status) return status;
    va_list arguments;
    va_start(arguments, format);
    fill_diag(d, status, format, arguments);
    va_end(arguments);
    d->line = d->column = 1;
    /* A byte order mark has no column. The text may end where the place begins. */
    const uint32_t start = place.offset >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    for (uint32_t i = start; i < place.offset; i++) {
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

int diag_out_of_memory(struct diag *d)
{
    if (d) *d = (struct diag){0};
    return diag_set(d, DIAG_NO_MEMORY, "out of memory");
}
