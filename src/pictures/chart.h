/* Pictures of curves as SVG: axes with round ticks, a legend, light and dark as the reader prefers. A chart
 * is drawn for the width of a phone, so that its letters are readable there and larger elsewhere. */
#ifndef ACTGEN_CLI_CHART_H
#define ACTGEN_CLI_CHART_H

#include "file.h"

enum chart_scale {
    SCALE_LINEAR,
    SCALE_LOG,    /* of positive numbers, by powers of 10 */
    SCALE_BINADES /* of all numbers of a type: each power of 2 as wide as the next, zero in the middle */
};

struct chart_axis {
    const char *title;
    enum chart_scale scale;
    double low, high; /* where both are equal, chart_draw takes what the curves have */
    int least;        /* of SCALE_BINADES: the exponent of the smallest number, which is next to zero */
};

struct chart_curve {
    const char *name;    /* in the legend; NULL: not there */
    const double *x, *y; /* numbers that are not finite interrupt the curve */
    size_t count;
    size_t colour; /* of a few; curves of later numbers have them again, dashed */
    bool is_dashed;
};

struct chart {
    const char *title;
    struct chart_axis x, y;
    const struct chart_curve *curves;
    size_t count;
};

/* The rules that pictures need in the page or picture that they are in. */
extern const char chart_style[];

/* Writes an element <svg> for a page that has the rules. */
void chart_write(struct buffer *out, const struct chart *chart);
/* Writes a file of its own: the charts one below the other. */
void charts_write(struct buffer *out, const struct chart *charts, size_t count);

#endif
