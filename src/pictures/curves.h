/* Views as curves of charts. */
#ifndef ACTGEN_CLI_CURVES_H
#define ACTGEN_CLI_CURVES_H

#include "chart.h"
#include "view.h"

enum panel { PANEL_CURVE, PANEL_DERIVATIVE, PANEL_ERROR, PANELS };

enum { CURVE_POINTS = 501 };

struct curves { /* of one view */
    const struct view *view;
    double x[CURVE_POINTS], y[CURVE_POINTS], slope[CURVE_POINTS];
    struct envelope envelope;        /* of no binades if it was not asked for */
    double *envelope_x, *envelope_y; /* two points a binade: its ends, at its largest error */
};
void curves_open(struct curves *curves, const struct view *view, const double interval[2], bool with_error);
void curves_close(struct curves *curves);

/* The binade of the largest error; NULL if there are none. */
const struct binade *envelope_worst(const struct envelope *envelope);

/* The panels as one picture, each with the curves of all views. */
void curves_draw(struct buffer *out, const struct curves *list, size_t count, const bool wanted[PANELS]);
/* One panel as an element of a page. */
void curves_panel(struct buffer *out, const struct curves *list, size_t count, enum panel panel);

#endif
