/* Views as curves of charts. */
#ifndef ACTGEN_CLI_CURVES_H
#define ACTGEN_CLI_CURVES_H

#include "chart.h"
#include "view.h"

/* An error panel shows the kernels whose bound has its measure. */
enum panel { PANEL_CURVE, PANEL_DERIVATIVE, PANEL_ERROR_ULP, PANEL_ERROR_ABS, PANELS };

enum { CURVE_POINTS = 501 };

struct curves { /* the curves of one view */
    const struct view *view;
    double x[CURVE_POINTS], y[CURVE_POINTS], slope[CURVE_POINTS];
    struct envelope envelope; /* has no binades if it was not asked for */
    double *envelope_x,
        *envelope_y; /* two points per binade: its ends, at the largest error by the measure of the bound */
    double bound_x[2], bound_y[2]; /* the bound as a line */
    char *verdict, *named_verdict; /* the latter begins with the view's name; NULL without errors */
};
void curves_open(struct curves *curves, const struct view *view, const double interval[2], bool with_error);
void curves_close(struct curves *curves);

struct verdict {    /* whether a kernel keeps its bound */
    bool is_judged; /* the bound applies to something */
    bool is_kept;
    double error, at; /* the largest error that was found, by the measure of the bound, and its input */
};
/* Returns the verdict on a kernel by its certificate and by the errors of its views, `list`. */
struct verdict verdict_on(const struct curves *list, size_t count);
/* Returns a text such as "kept: 1.1e-07 of 2.4e-07". The caller frees it. */
char *verdict_text(const struct view *view, const struct verdict *verdict);

/* Writes the panels as one picture. Each panel has the curves of all views. */
void curves_draw(struct buffer *out, const struct curves *list, size_t count, const bool wanted[PANELS]);
/* Writes one panel as an element of a page. */
void curves_panel(struct buffer *out, const struct curves *list, size_t count, enum panel panel);

#endif
