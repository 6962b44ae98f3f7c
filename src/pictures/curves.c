/* Makes curves of charts from views. */
#include "curves.h"
#include "element.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Sets the line of the bound. A bound for parts of a result does not bound the result, and has no line. */
static void find_bound(struct curves *c)
{
    const actgen_certificate *promise = &c->view->promise;
    const struct element_format f = element_format(c->view->input_type);
    const double greatest = f.greatest < DBL_MAX_EXP - 1 ? ldexp(1, f.greatest + 1) : DBL_MAX;
    c->bound_x[0] = fmax(promise->bound_low, -greatest);
    c->bound_x[1] = fmin(promise->bound_high, greatest);
    c->bound_y[0] = c->bound_y[1] = promise->is_whole ? promise->bound : NAN;
}

static void find_errors(struct curves *c)
{
    find_bound(c);
    envelope_open(&c->envelope, c->view);
    const struct verdict verdict = verdict_on(c, 1);
    c->verdict = verdict_text(c->view, &verdict);
    c->named_verdict = must_format("%s, %s", c->view->name, c->verdict);
    c->envelope_x = must_allocate(2 * c->envelope.count, sizeof *c->envelope_x);
    c->envelope_y = must_allocate(2 * c->envelope.count, sizeof *c->envelope_y);
    for (size_t i = 0; i < c->envelope.count; i++) {
        const struct binade *b = &c->envelope.binades[i];
        const double low = ldexp(1, b->exponent), high = fmin(2 * low, DBL_MAX);
        c->envelope_x[2 * i] = b->is_negative ? -high : low;
        c->envelope_x[2 * i + 1] = b->is_negative ? -low : high;
        c->envelope_y[2 * i] = c->envelope_y[2 * i + 1] = b->worst[c->view->measure].error;
    }
}

void curves_open(struct curves *c, const struct view *v, const double interval[2], bool with_error)
{
    struct probe probe;
    *c = (struct curves){.view = v};
    probe_open(&probe, v);
    for (size_t i = 0; i < CURVE_POINTS; i++) {
        const double share = (double)i / (CURVE_POINTS - 1);
        c->x[i] = probe_round(&probe, (1 - share) * interval[0] + share * interval[1]);
        c->y[i] = probe_value(&probe, c->x[i]);
        c->slope[i] = probe_slope(&probe, c->x[i]);
    }
    probe_close(&probe);
    if (with_error) find_errors(c);
}

void curves_close(struct curves *c)
{
    if (c->envelope.binades) envelope_close(&c->envelope);
    free(c->envelope_x);
    free(c->envelope_y);
    free(c->verdict);
    free(c->named_verdict);
}

static bool is_error_by(enum panel panel, enum measure measure)
{
    return panel == (measure == MEASURE_ABS ? PANEL_ERROR_ABS : PANEL_ERROR_ULP);
}

static bool has_errors(enum panel panel) { return panel == PANEL_ERROR_ULP || panel == PANEL_ERROR_ABS; }

/* Returns true if the view has a curve there. */
static bool is_drawn(const struct curves *c, enum panel panel)
{
    if (panel == PANEL_DERIVATIVE) return c->view->slope;
    return !has_errors(panel) || is_error_by(panel, c->view->measure);
}

static struct chart_curve curve_of(const struct curves *c, size_t number, enum panel panel)
{
    struct chart_curve curve = {c->view->name, c->x, c->y, CURVE_POINTS, number, false};
    if (panel == PANEL_DERIVATIVE) curve.y = c->slope;
    if (has_errors(panel)) {
        curve.name = c->named_verdict;
        curve.x = c->envelope_x, curve.y = c->envelope_y, curve.count = 2 * c->envelope.count;
    }
    return curve;
}

/* Adds the line of the bound, if all curves of the panel have the same bound. */
static void add_bound(struct chart_curve *curves, struct chart *chart, const struct curves *list,
                      size_t count, enum panel panel)
{
    const struct curves *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!is_drawn(&list[i], panel)) continue;
        if (!first) first = &list[i];
        if (!(list[i].bound_y[0] == first->bound_y[0])) return; /* of parts: NaN */
    }
    if (first)
        curves[chart->count++] = (struct chart_curve){.name = "bound",
                                                      .x = first->bound_x,
                                                      .y = first->bound_y,
                                                      .count = 2,
                                                      .colour = 1,
                                                      .is_dashed = true};
}

/* Sets the axes of the error panel: all numbers of the input types, and errors from 0, or by powers of 10 if
 * some are huge. */
static void set_error_axes(struct chart *chart, const struct curves *list, size_t count, enum panel panel)
{
    double greatest = 0, worst = 0;
    int least = 0;
    for (size_t i = 0; i < count; i++) {
        const struct element_format f = element_format(list[i].view->input_type);
        if (!is_drawn(&list[i], panel)) continue;
        greatest = fmax(greatest, f.greatest < DBL_MAX_EXP - 1 ? ldexp(1, f.greatest + 1) : DBL_MAX);
        least = f.least - f.bits + 1 < least ? f.least - f.bits + 1 : least;
        for (size_t k = 0; k < list[i].envelope.count; k++) {
            const double error = list[i].envelope.binades[k].worst[list[i].view->measure].error;
            if (isfinite(error)) worst = fmax(worst, error);
        }
        if (isfinite(list[i].bound_y[0])) worst = fmax(worst, list[i].bound_y[0]);
    }
    chart->x.scale = SCALE_BINADES;
    chart->x.low = -greatest, chart->x.high = greatest, chart->x.least = least;
    if (worst > 100)
        chart->y = (struct chart_axis){.scale = SCALE_LOG, .low = 0.1, .high = pow(10, ceil(log10(worst)))};
    else
        chart->y = (struct chart_axis){.low = 0, .high = worst > 0 ? worst * 1.1 : 1};
}

static char *title_of(const struct curves *list, size_t count, enum panel panel)
{
    const struct view *v = list[0].view;
    if (panel == PANEL_ERROR_ULP) return must_format("Error in ulps, the largest in each binade");
    if (panel == PANEL_ERROR_ABS) return must_format("Error / max(1, |y|), the largest in each binade");
    const char *what = panel == PANEL_DERIVATIVE ? "Derivative" : "Value";
    return count > 1 ? must_format("%ss", what)
                     : must_format("%s of %s, %s", what, v->name, actgen_kernel_accuracy(v->kernel));
}

/* Returns the input that varies, and the values of the others. */
static char *input_of(const struct view *v)
{
    return must_format("%s%s%s", v->input, v->fixed[0] ? ", where " : "", v->fixed);
}

/* Makes the chart of a panel. The caller frees its titles and curves. A panel of derivatives may have no
 * curve. */
static struct chart chart_of(const struct curves *list, size_t count, enum panel panel)
{
    struct chart_curve *curves = must_allocate(count + 1, sizeof *curves);
    struct chart chart = {
        .title = title_of(list, count, panel), .x = {.title = input_of(list[0].view)}, .curves = curves};
    for (size_t i = 0; i < count; i++) {
        if (!is_drawn(&list[i], panel)) continue;
        curves[chart.count] = curve_of(&list[i], i, panel);
        if (count == 1) curves[chart.count].name = has_errors(panel) ? list[i].verdict : NULL;
        chart.count++;
    }
    if (has_errors(panel)) {
        add_bound(curves, &chart, list, count, panel);
        set_error_axes(&chart, list, count, panel);
    } else {
        chart.x.low = list[0].x[0];
        chart.x.high = list[0].x[CURVE_POINTS - 1];
    }
    return chart;
}

static void free_chart(struct chart *chart)
{
    free((void *)(uintptr_t)chart->title);
    free((void *)(uintptr_t)chart->x.title);
    free((void *)(uintptr_t)chart->curves);
}

void curves_draw(struct buffer *out, const struct curves *list, size_t count, const bool wanted[PANELS])
{
    struct chart charts[PANELS] = {0};
    size_t drawn = 0;
    for (enum panel p = 0; p < PANELS && count; p++) {
        if (!wanted[p]) continue;
        charts[drawn] = chart_of(list, count, p);
        if (charts[drawn].count)
            drawn++;
        else
            free_chart(&charts[drawn]);
    }
    charts_write(out, charts, drawn);
    for (size_t i = 0; i < drawn; i++) free_chart(&charts[i]);
}

void curves_panel(struct buffer *out, const struct curves *list, size_t count, enum panel panel)
{
    struct chart chart = chart_of(list, count, panel);
    if (chart.count) chart_write(out, &chart);
    free_chart(&chart);
}
