/* Aligned tables, and numbers as text. */
#include "table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_cell(const struct column *column, const char *text, bool last)
{
    int title = (int)strlen(column->title), width = column->width > title ? column->width : title;
    if (column->right)
        printf("%*s%s", width, text, last ? "\n" : "  ");
    else if (last)
        puts(text);
    else
        printf("%-*s  ", width, text);
}

void table_widen(struct column *column, const char *cell)
{
    int length = (int)strlen(cell);
    if (length > column->width) column->width = length;
}

void table_titles(const struct column *columns, size_t count)
{
    for (size_t i = 0; i < count; i++) put_cell(&columns[i], columns[i].title, i + 1 == count);
}

void table_row(const struct column *columns, size_t count, const char *const *cells)
{
    for (size_t i = 0; i < count; i++) put_cell(&columns[i], cells[i], i + 1 == count);
    fflush(stdout);
}

const char *cell_number(struct cell *c, const char *format, double value)
{
    if (isnan(value)) return "-";
    snprintf(c->text, sizeof c->text, format, value);
    return c->text;
}

const char *cell_decimal(struct cell *c, double value)
{
    float single = (float)value;
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(c->text, sizeof c->text, "%.*g", precision, (double)single);
        if (strtof(c->text, NULL) == single) break;
    }
    return c->text;
}

const char *cell_float(struct cell *c, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    size_t length = strlen(cell_decimal(c, value));
    snprintf(c->text + length, sizeof c->text - length, " (0x%08x)", bits);
    return c->text;
}

const char *cell_count(struct cell *c, unsigned long long value)
{
    snprintf(c->text, sizeof c->text, "%llu", value);
    return c->text;
}
