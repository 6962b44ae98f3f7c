/* Draws curves as SVG: axes with round ticks, a legend, light or dark as the reader prefers. A chart is drawn
 * for the width of a phone, so that its letters are readable there and larger elsewhere. */
#ifndef ACTGEN_CLI_CHART_H
#define ACTGEN_CLI_CHART_H

#include "file.h"

enum chart_scale {
    SCALE_LINEAR,
    SCALE_LOG,    /* for positive numbers, by powers of 10 */
    SCALE_BINADES /* for all numbers of a type: each binade has the same width, and zero is in the middle */
};

struct chart_axis {
    const char *title;
    enum chart_scale scale;
    double low, high; /* if both are equal, chart_draw takes the range of the curves */
    int least;        /* for SCALE_BINADES: the exponent of the smallest number */
};

struct chart_curve {
    const char *name;    /* in the legend; NULL: not there */
    const double *x, *y; /* numbers that are not finite interrupt the curve */
    size_t count;
    size_t colour; /* an index; after the last colour they repeat, dashed */
    bool is_dashed;
};

struct chart {
    const char *title;
    struct chart_axis x, y;
    const struct chart_curve *curves;
    size_t count;
};

/* The CSS rules that a page or picture needs for its charts: the lines of chart.css, NULL at the end. */
extern const char *const chart_style[];

/* Writes an element <svg> for a page that has the rules. */
void chart_write(struct buffer *out, const struct chart *chart);
/* Writes a complete SVG file, with the charts one below the other. */
void charts_write(struct buffer *out, const struct chart *charts, size_t count);

#endif
