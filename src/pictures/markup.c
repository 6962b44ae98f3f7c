/* Text with markup: SVG and HTML. */
#include "markup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put(struct buffer *out, const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    const int length = vasprintf(&text, format, list);
    va_end(list);
    if (length > 0) buffer_write(out, text, (size_t)length);
    free(text);
}

void put_lines(struct buffer *out, const char *const *lines)
{
    for (; *lines; lines++) buffer_write(out, *lines, strlen(*lines));
}

void put_escaped(struct buffer *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        const unsigned char byte = (unsigned char)*c;
        const char *name = *c == '&'                                                  ? "&amp;"
                           : *c == '<'                                                ? "&lt;"
                           : *c == '>'                                                ? "&gt;"
                           : *c == '"'                                                ? "&quot;"
                           : (byte < ' ' && *c != '\n' && *c != '\t') || byte == 0x7f ? "?"
                                                                                      : NULL;
        buffer_write(out, name ? name : c, name ? strlen(name) : 1);
    }
}
