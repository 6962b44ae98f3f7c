/* Prints aligned tables on stdout, one row at a time. The widths are set before the first row. */
#ifndef ACTGEN_CLI_TABLE_H
#define ACTGEN_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct column {
    const char *title;
    int width;  /* the least width; the title may be wider */
    bool right; /* numbers */
};
void table_widen(struct column *column, const char *cell); /* makes room for the cell */
void table_titles(const struct column *columns, size_t count);
/* Prints a text below a row, indented, and wrapped at 80 columns. */
void table_details(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_row(const struct column *columns, size_t count, const char *const *cells);

/* A small buffer of the caller for the text of a number. */
struct cell {
    char text[64];
};
const char *cell_number(struct cell *c, const char *format, double value); /* "-" for NaN */
/* cell_decimal writes an input as the shortest decimal text that reads back as it, "-5.25". cell_float adds
 * its bits, as an f32 "-5.25 (0xc0a80000)", or as an f64 if f32 does not have the number. */
const char *cell_decimal(struct cell *c, double value);
const char *cell_float(struct cell *c, double value);
const char *cell_count(struct cell *c, unsigned long long value);

#endif
