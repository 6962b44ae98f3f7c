/* Draws curves as SVG. */
#include "chart.h"
#include "markup.h"

#include <math.h>
#include <string.h>

/* Lengths in the units of the picture. A phone is about 400 units wide. They are no enumeration, because they
 * are used with fractions. */
static const int WIDTH = 440, LEFT = 58, RIGHT = 14, TITLE = 22, LEGEND_LINE = 16, BELOW = 44,
                 PLOT = 210, /* the height between the axes */
    LETTER = 6;              /* the approximate width of a letter of the legend */
enum { COLOURS = 6 };

/* ---- places on an axis ---- */

static double scaled_to_axis(const struct chart_axis *a, double value)
{
    switch (a->scale) {
    case SCALE_LOG: return log10(fmax(value, a->low));
    case SCALE_BINADES: return value == 0 ? 0 : copysign(log2(fabs(value)) - a->least + 1, value);
    default: return value;
    }
}

static double share(const struct chart_axis *a, double value)
{
    const double low = scaled_to_axis(a, a->low), high = scaled_to_axis(a, a->high);
    return (scaled_to_axis(a, value) - low) / (high - low);
}

static double place_x(const struct chart_axis *a, double x)
{
    return LEFT + share(a, x) * (WIDTH - LEFT - RIGHT);
}

/* Returns the distance from the upper edge of the plot. */
static double place_y(const struct chart_axis *a, double y) { return (1 - share(a, y)) * PLOT; }

/* Makes the axis for the range of the curves, with a margin. A logarithmic axis ends at powers of 10. */
static struct chart_axis fitted(const struct chart *c, struct chart_axis axis, bool is_y)
{
    double low = INFINITY, high = -INFINITY;
    if (axis.low < axis.high) return axis;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->curves[i].count; k++) {
            const double value = is_y ? c->curves[i].y[k] : c->curves[i].x[k];
            if (!isfinite(value) || (axis.scale == SCALE_LOG && value <= 0)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    if (!(low <= high)) low = 0, high = 1;
    if (axis.scale == SCALE_LOG) {
        axis.low = pow(10, floor(log10(low)));
        axis.high = pow(10, fmax(ceil(log10(high)), floor(log10(low)) + 1));
        return axis;
    }
    double margin = is_y ? 0.04 * (high - low) : 0;
    if (low == high) margin = fmax(fabs(low) / 2, 0.5);
    axis.low = low - margin;
    axis.high = high + margin;
    return axis;
}

/* ---- ticks ---- */

struct ticks { /* a label's number is first + i * step, or an exponent of the base */
    double first, step;
    int base; /* 0: the numbers themselves */
    size_t count;
};

/* Returns the step of 1, 2 or 5 times a power of 10 that divides the range into about `count` parts. */
static double round_step(double range, double count)
{
    const double power = pow(10, floor(log10(range / count))), digit = range / count / power;
    return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static struct ticks ticks_of(const struct chart_axis *a)
{
    struct ticks t = {.base = a->scale == SCALE_LOG ? 10 : 0};
    const double low = scaled_to_axis(a, a->low), high = scaled_to_axis(a, a->high);
    t.step = round_step(high - low, 5);
    if (a->scale == SCALE_LOG) t.step = fmax(t.step, 1);
    t.first = ceil(low / t.step - 1e-9) * t.step;
    t.count = (size_t)(floor((high - t.first) / t.step + 1e-9)) + 1;
    return t;
}

/* Writes a label at (x, y): a number, or a power with a raised exponent. */
static void put_label(struct buffer *out, double x, double y, const char *anchor, const char *sign, int base,
                      double number)
{
    put(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    if (base)
        put(out, "%s%d<tspan dy=\"-5\" font-size=\"9\">%g</tspan>", sign, base, number);
    else
        put(out, "%.6g", fabs(number) < 1e-300 ? 0 : number);
    put(out, "</text>\n");
}

/* Writes a text at (x, y). The attribute says how. */
static void put_text(struct buffer *out, const char *attribute, double x, double y, const char *text)
{
    put(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, attribute);
    put_escaped(out, text);
    put(out, "</text>\n");
}

static void put_line(struct buffer *out, const char *class, double x, double y, const char *direction,
                     double to)
{
    put(out, "<path class=\"%s\" d=\"M%.1f %.1f%s%.1f\"/>\n", class, x, y, direction, to);
}

static void put_tick_x(struct buffer *out, double x, double top, const char *sign, int base, double number)
{
    put_line(out, "grid", x, top, "v", PLOT);
    put_label(out, x, top + PLOT + 16, "middle", sign, base, number);
}

/* Writes the ticks of an axis of all numbers of a type, with 0 in the middle and powers of 2 on both sides.
 */
static void put_binades(struct buffer *out, const struct chart_axis *a, double top)
{
    enum { LABELS = 3 };
    const double step = round_step(scaled_to_axis(a, a->high), LABELS);
    put_tick_x(out, place_x(a, 0), top, "", 0, 0);
    for (double exponent = ceil((a->least + step / 3) / step) * step; exponent < log2(a->high);
         exponent += step) {
        const double x = ldexp(1, (int)exponent);
        put_tick_x(out, place_x(a, x), top, "", 2, exponent + 0.0); /* never -0 */
        put_tick_x(out, place_x(a, -x), top, "\u2212", 2, exponent + 0.0);
    }
}

static void put_axes(struct buffer *out, const struct chart *c, double top)
{
    if (c->x.scale == SCALE_BINADES) put_binades(out, &c->x, top);
    const struct ticks across = ticks_of(&c->x), up = ticks_of(&c->y);
    for (size_t i = 0; c->x.scale != SCALE_BINADES && i < across.count; i++) {
        const double number = across.first + (double)i * across.step;
        const double x = place_x(&c->x, across.base ? pow(across.base, number) : number);
        put_tick_x(out, x, top, "", across.base, fabs(number) < across.step / 2 ? 0 : number);
    }
    for (size_t i = 0; i < up.count; i++) {
        const double number = up.first + (double)i * up.step;
        const double y = top + place_y(&c->y, up.base ? pow(up.base, number) : number);
        put_line(out, "grid", LEFT, y, "h", WIDTH - LEFT - RIGHT);
        put_label(out, LEFT - 6, y + 4, "end", "", up.base, fabs(number) < up.step / 2 ? 0 : number);
    }
    const bool has_zero = c->y.scale == SCALE_LINEAR && c->y.low < 0 && c->y.high > 0;
    put_line(out, "axis", LEFT, has_zero ? top + place_y(&c->y, 0) : top + PLOT, "h", WIDTH - LEFT - RIGHT);
    if (c->x.low < 0 && c->x.high > 0) put_line(out, "axis", place_x(&c->x, 0), top, "v", PLOT);
    put_text(out, "text-anchor=\"middle\"", (LEFT + WIDTH - RIGHT) / 2.0, top + PLOT + 34,
             c->x.title ? c->x.title : "");
}

/* ---- curves ---- */

/* Begins a path in the curve's colour. Its points follow. */
static void begin_path(struct buffer *out, const struct chart_curve *curve)
{
    const bool is_dashed = curve->is_dashed || curve->colour / COLOURS % 2;
    put(out, "<path class=\"curve c%zu%s\" d=\"", curve->colour % COLOURS, is_dashed ? " dashed" : "");
}

static void put_curve(struct buffer *out, const struct chart *c, const struct chart_curve *curve, double top)
{
    bool goes_on = false;
    begin_path(out, curve);
    for (size_t i = 0; i < curve->count; i++) {
        const double x = curve->x[i], y = curve->y[i];
        const bool is_there = isfinite(x) && isfinite(y) && x >= c->x.low && x <= c->x.high &&
                              y <= c->y.high && (y >= c->y.low || c->y.scale == SCALE_LOG);
        if (is_there)
            put(out, "%s%.1f %.1f", goes_on ? " " : "M", place_x(&c->x, x), top + place_y(&c->y, y));
        goes_on = is_there;
    }
    put(out, "\"/>\n");
}

/* Writes the names of the legend in lines, as many as fit. Returns where they end. Writes nothing if `out` is
 * NULL. */
static double put_legend(struct buffer *out, const struct chart *c, double top)
{
    static const int SAMPLE = 18, GAP = 14;
    double x = LEFT;
    bool is_any = false;
    for (size_t i = 0; i < c->count; i++) {
        const struct chart_curve *curve = &c->curves[i];
        if (!curve->name) continue;
        const double width = SAMPLE + 6 + LETTER * (double)strlen(curve->name);
        if (is_any && x + width > WIDTH - RIGHT) x = LEFT, top += LEGEND_LINE;
        if (out) {
            begin_path(out, curve);
            put(out, "M%.1f %.1fh%d\"/>\n", x, top + 8, SAMPLE);
            put_text(out, "font-size=\"11\"", x + SAMPLE + 6, top + 12, curve->name);
        }
        x += width + GAP;
        is_any = true;
    }
    return is_any ? top + LEGEND_LINE + 6 : top + 4;
}

static double height_of(const struct chart *c) { return put_legend(NULL, c, TITLE) + PLOT + BELOW; }

static void draw(struct buffer *out, const struct chart *chart, double top)
{
    struct chart c = *chart;
    c.x = fitted(chart, chart->x, false);
    c.y = fitted(chart, chart->y, true);
    put_text(out, "class=\"title\"", LEFT, top + 15, c.title);
    const double plot = put_legend(out, &c, top + TITLE);
    put_axes(out, &c, plot);
    for (size_t i = 0; i < c.count; i++) put_curve(out, &c, &c.curves[i], plot);
}

void chart_write(struct buffer *out, const struct chart *chart)
{
    put(out, "<svg class=\"chart\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"", WIDTH,
        height_of(chart));
    put_escaped(out, chart->title);
    put(out, "\">\n");
    draw(out, chart, 0);
    put(out, "</svg>\n");
}

void charts_write(struct buffer *out, const struct chart *charts, size_t count)
{
    static const int MARGIN = 8, LARGER = 3; /* the scale is LARGER / 2 on paper and wide screens */
    double height = MARGIN;
    for (size_t i = 0; i < count; i++) height += height_of(&charts[i]) + MARGIN;
    put(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
        "height=\"%.0f\" "
        "style=\"max-width:100%%;height:auto;background:var(--paper)\">\n<style>\n",
        WIDTH, height, WIDTH * LARGER / 2, height * LARGER / 2);
    put_lines(out, chart_style);
    put(out, "</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n");
    double top = MARGIN;
    for (size_t i = 0; i < count; i++) {
        draw(out, &charts[i], top);
        top += height_of(&charts[i]) + MARGIN;
    }
    put(out, "</svg>\n");
}
