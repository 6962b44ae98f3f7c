/* Prints results as text and as JSON, if no file is named for them. */
#include "arrays.h"
#include "element.h"
#include "input.h"
#include "json.h"
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double array_value(const struct array *array, size_t r, size_t i)
{
    const char *row = array->npy.data + r * array->npy.cols * actgen_type_bytes(array->type);
    return element_get_at(row, i, array->type);
}

static size_t values_in_row(const struct arrays *a, const struct array *array)
{
    return elements_of_byte(array->type) > 1 ? a->cols : array->npy.cols;
}

const char *element_text(struct cell *out, int type, double value)
{
    enum { MOST_DIGITS = 17 };
    char *text = out->text;
    double element;                               /* as large as an element of any type */
    if (isnan(value)) return strcpy(text, "nan"); /* of either sign */
    for (int digits = 1; digits <= MOST_DIGITS; digits++) {
        snprintf(text, sizeof out->text, "%.*g", digits, value);
        if (type == ACTGEN_U1 ||
            (element_put(&element, type, strtod(text, NULL)) && element_get(&element, type) == value))
            break;
    }
    const bool is_small = fabs(value) < 1e9 && strchr(text, 'e') && fabs(value) >= 1; /* 10, and not 1e+01 */
    if (is_small) snprintf(text, sizeof out->text, "%.0f", value);
    return text;
}

const char *array_text(struct cell *out, const struct array *array, size_t r, size_t i)
{
    uint64_t whole;
    if (array->type != ACTGEN_U64) return element_text(out, array->type, array_value(array, r, i));
    memcpy(&whole, array->npy.data + (r * array->npy.cols + i) * sizeof whole, sizeof whole);
    return cell_count(out, whole);
}

static size_t result_count(const struct arrays *a)
{
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++) count += a->list[i].is_result;
    return count;
}

void arrays_print(const struct arrays *a)
{
    const bool is_alone = result_count(a) == 1;
    struct cell text;
    for (size_t i = 0; i < a->count; i++) {
        const struct array *array = &a->list[i];
        for (size_t r = 0; r < array->npy.rows && array->is_result; r++) {
            if (!is_alone) printf("%s:", array->name);
            for (size_t k = 0; k < values_in_row(a, array); k++) {
                if (k || !is_alone) putchar(' ');
                fputs(element_text(&text, array->type, array_value(array, r, k)), stdout);
            }
            putchar('\n');
        }
    }
}

void arrays_json(struct json *j, const struct arrays *a)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct array *array = &a->list[i];
        if (!array->is_result) continue;
        const size_t width = values_in_row(a, array), rows = array->npy.rows;
        double *values = must_allocate(rows * width + 1, sizeof *values);
        for (size_t k = 0; k < rows * width; k++) values[k] = array_value(array, k / width, k % width);
        char *name = must_format("result_%s", array->name);
        json_numbers(j, name, values, rows * width);
        free(name);
        free(values);
    }
}
