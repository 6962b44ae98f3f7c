/* The rows of ratios.txt: the time of a formula, or of a gate, as a multiple of another kernel's. */
#include "ratios.h"
#include "sides.h"

#include <stdlib.h>
#include <string.h>

static bool read_row(struct ratio_figures *row, const char *line)
{
    *row = (struct ratio_figures){.limit = 0};
    return *line != '#' && sscanf(line, "%39s %39s %lf", row->kernel, row->with, &row->limit) == 3;
}

size_t count_ratios(void)
{
    struct ratio_figures row;
    size_t count = 0;
    for (size_t i = 0; ratio_rows[i]; i++) count += read_row(&row, ratio_rows[i]);
    return count;
}

/* Joins the lines of the kernels. The caller frees the text. Returns NULL if out of memory. */
static char *text_of_kernels(void)
{
    size_t length = 1;
    for (size_t i = 0; ratio_kernels[i]; i++) length += strlen(ratio_kernels[i]);
    char *text = calloc(length, 1);
    for (size_t i = 0, at = 0; text && ratio_kernels[i]; at += strlen(ratio_kernels[i++]))
        memcpy(text + at, ratio_kernels[i], strlen(ratio_kernels[i]));
    return text;
}

bool each_ratio(const char *isa, double seconds, ratio_visitor visit, void *context)
{
    char *text = text_of_kernels();
    if (!text) return false;
    for (size_t i = 0; ratio_rows[i]; i++) {
        struct ratio_figures row;
        struct pair pair;
        if (!read_row(&row, ratio_rows[i])) continue;
        const struct side measured = {.kernel = row.kernel, .place = IN_L2, .isa = isa},
                          with = {.kernel = row.with, .place = IN_L2, .isa = isa};
        pair_time(&pair, text, &measured, &with, seconds);
        memcpy(row.bound, pair.bound, sizeof row.bound);
        if (pair.times[1].min > 0) {
            row.measured = pair.times[0].min / pair.times[1].min;
            row.worst = pair.times[0].worst / pair.times[1].min;
        }
        visit(context, isa, &row);
    }
    free(text);
    return true;
}
