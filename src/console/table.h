/* Aligned tables on stdout, a row at a time: widths are settled before the first row. */
#ifndef ACTGEN_CLI_TABLE_H
#define ACTGEN_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>

struct column {
    const char *title;
    int width;  /* at least; the title's width if smaller */
    bool right; /* numbers */
};
void table_widen(struct column *column, const char *cell); /* so that it holds the cell */
void table_titles(const struct column *columns, size_t count);
/* Below a row, indented, in lines of 80 columns where its words allow that. */
void table_details(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_row(const struct column *columns, size_t count, const char *const *cells);

/* Texts of numbers, in one of the caller's small buffers. */
struct cell {
    char text[64];
};
const char *cell_number(struct cell *c, const char *format, double value); /* "-" for NaN */
/* An input as the shortest decimal text that reads back as it, "-5.25", and with its bits as an f32,
 * "-5.25 (0xc0a80000)", or as an f64 if that has no such. */
const char *cell_decimal(struct cell *c, double value);
const char *cell_float(struct cell *c, double value);
const char *cell_count(struct cell *c, unsigned long long value);

#endif
