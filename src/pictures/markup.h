/* Text with markup: SVG and HTML. */
#ifndef ACTGEN_CLI_MARKUP_H
#define ACTGEN_CLI_MARKUP_H

#include "file.h"

void put(struct buffer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes the lines of an embedded file, which NULL ends. */
void put_lines(struct buffer *out, const char *const *lines);
/* Writes a text with its markup characters escaped. */
void put_escaped(struct buffer *out, const char *text);

#endif
