/* Views as curves of charts. */
#ifndef ACTGEN_CLI_CURVES_H
#define ACTGEN_CLI_CURVES_H

#include "chart.h"
#include "view.h"

/* Errors by either measure: of the kernels whose bounds are of that measure. */
enum panel { PANEL_CURVE, PANEL_DERIVATIVE, PANEL_ERROR_ULP, PANEL_ERROR_ABS, PANELS };

enum { CURVE_POINTS = 501 };

struct curves { /* of one view */
    const struct view *view;
    double x[CURVE_POINTS], y[CURVE_POINTS], slope[CURVE_POINTS];
    struct envelope envelope; /* of no binades if it was not asked for */
    double *envelope_x,
        *envelope_y; /* two points a binade: its ends, at its largest error by the bound's measure */
    double bound_x[2], bound_y[2]; /* the bound as a line */
    char *verdict, *named_verdict; /* the latter begins with the view's name; NULL without errors */
};
void curves_open(struct curves *curves, const struct view *view, const double interval[2], bool with_error);
void curves_close(struct curves *curves);

struct verdict {    /* on a kernel's bound */
    bool is_judged; /* there is something that the bound is about */
    bool is_kept;
    double error, at; /* the largest that was found, by the bound's measure */
};
/* By the kernel's certificate, and by what its views, which are `list`, were compared at. */
struct verdict verdict_on(const struct curves *list, size_t count);
/* "kept: 1.1e-07 of 2.4e-07". The caller frees it. */
char *verdict_text(const struct view *view, const struct verdict *verdict);

/* The panels as one picture, each with the curves of all views. */
void curves_draw(struct buffer *out, const struct curves *list, size_t count, const bool wanted[PANELS]);
/* One panel as an element of a page. */
void curves_panel(struct buffer *out, const struct curves *list, size_t count, enum panel panel);

#endif
