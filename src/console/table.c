/* Prints aligned tables, and writes numbers as text. */
#include "table.h"

#include <math.h>
#include <stdarg.h>
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
    while (count > 1 && !*columns[count - 1].title) count--;
    for (size_t i = 0; i < count; i++) put_cell(&columns[i], columns[i].title, i + 1 == count);
}

void table_row(const struct column *columns, size_t count, const char *const *cells)
{
    while (count > 1 && !*cells[count - 1]) count--; /* no blanks at the end of a line */
    for (size_t i = 0; i < count; i++) put_cell(&columns[i], cells[i], i + 1 == count);
    fflush(stdout);
}

void table_details(const char *format, ...)
{
    enum { LINE = 80, INDENT = 4 };
    char *text = NULL;
    va_list list;
    va_start(list, format);
    const int length = vasprintf(&text, format, list);
    va_end(list);
    size_t column = LINE;
    for (const char *word = text; length > 0 && *word; word += strspn(word, " ")) {
        const size_t size = strcspn(word, " ");
        if (column + 1 + size > LINE) {
            printf("%s%*s", word == text ? "" : "\n", INDENT - 1, "");
            column = INDENT - 1;
        }
        printf(" %.*s", (int)size, word);
        column += 1 + size;
        word += size;
    }
    if (length > 0) putchar('\n');
    fflush(stdout);
    free(text);
}

const char *cell_number(struct cell *c, const char *format, double value)
{
    if (isnan(value)) return "-";
    snprintf(c->text, sizeof c->text, format, value);
    return c->text;
}

const char *cell_decimal(struct cell *c, double value)
{
    const float single = (float)value;
    const bool is_single = isnan(value) || (double)single == value;
    for (int precision = 1; precision <= (is_single ? 9 : 17); precision++) {
        snprintf(c->text, sizeof c->text, "%.*g", precision, value);
        if (is_single ? strtof(c->text, NULL) == single : strtod(c->text, NULL) == value) break;
    }
    return c->text;
}

const char *cell_float(struct cell *c, double value)
{
    const float single = (float)value;
    uint32_t bits;
    uint64_t wide_bits;
    memcpy(&bits, &single, sizeof bits);
    memcpy(&wide_bits, &value, sizeof wide_bits);
    const size_t length = strlen(cell_decimal(c, value)), left = sizeof c->text - length;
    if (isnan(value) || (double)single == value)
        snprintf(c->text + length, left, " (0x%08x)", bits);
    else
        snprintf(c->text + length, left, " (0x%016llx)", (unsigned long long)wide_bits);
    return c->text;
}

const char *cell_count(struct cell *c, unsigned long long value)
{
    snprintf(c->text, sizeof c->text, "%llu", value);
    return c->text;
}
