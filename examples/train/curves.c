/* Draws the losses as lines of an SVG. */
#include "curves.h"
#include <math.h>
#include <stdio.h>

static const int WIDTH = 720, HEIGHT = 420, LEFT = 70, RIGHT = 150, TOP = 40, BOTTOM = 45;
static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};

struct scale {
    double low, high; /* exponents of ten, whole numbers */
    size_t epochs;
};

static double across(const struct scale *s, size_t epoch)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (s->epochs > 1 ? (double)epoch / (double)(s->epochs - 1) : 0);
}

static double down(const struct scale *s, double power)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (s->high - power) / (s->high - s->low);
}

static double power_of(double loss) { return log10(fmax(loss, 1e-30)); }

static struct scale scale_of(const struct curve *curves, size_t count, size_t epochs)
{
    struct scale s = {INFINITY, -INFINITY, epochs};
    for (size_t c = 0; c < count; c++) {
        for (size_t i = 0; i < epochs; i++) {
            s.low = fmin(s.low, floor(power_of(curves[c].losses[i])));
            s.high = fmax(s.high, ceil(power_of(curves[c].losses[i])));
        }
    }
    if (s.high <= s.low) s.high = s.low + 1;
    return s;
}

static void write_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", file);
        else if (*text == '&')
            fputs("&amp;", file);
        else
            fputc(*text, file);
    }
}

static void write_axes(FILE *file, const struct scale *s, const char *title)
{
    const double step = ceil((s->high - s->low) / 8);
    fprintf(file, "<text x='%d' y='24' font-size='15'>", LEFT);
    write_text(file, title);
    fputs("</text>\n", file);
    for (double power = s->low; power <= s->high; power += step)
        fprintf(
            file,
            "<path d='M%d %.1fH%d' stroke='#ccc'/><text x='%d' y='%.1f' text-anchor='end'>1e%.0f</text>\n",
            LEFT, down(s, power), WIDTH - RIGHT, LEFT - 8, down(s, power) + 4, power);
    for (int i = 0; i <= 4; i++) {
        const size_t epoch = (s->epochs - 1) * (size_t)i / 4;
        fprintf(file, "<text x='%.1f' y='%d' text-anchor='middle'>%zu</text>\n", across(s, epoch),
                HEIGHT - BOTTOM + 18, epoch + 1);
    }
    fprintf(file, "<text x='%d' y='%d' text-anchor='middle'>epoch</text>\n", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
}

static void write_curve(FILE *file, const struct scale *s, const struct curve *curve, size_t i)
{
    const char *colour = colours[i % (sizeof colours / sizeof *colours)];
    const double y = TOP + 16 + 20 * (double)i;
    fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='1.5' points='", colour);
    for (size_t e = 0; e < s->epochs; e++)
        fprintf(file, "%.1f,%.1f ", across(s, e), down(s, power_of(curve->losses[e])));
    fprintf(file, "'/>\n<path d='M%d %.1fh20' stroke='%s' stroke-width='3'/><text x='%d' y='%.1f'>",
            WIDTH - RIGHT + 12, y, colour, WIDTH - RIGHT + 38, y + 4);
    write_text(file, curve->name);
    fputs("</text>\n", file);
}

int curves_write(const char *path, const char *title, const struct curve *curves, size_t count, size_t epochs)
{
    const struct scale s = scale_of(curves, count, epochs);
    FILE *file = fopen(path, "w");
    if (!file) return -1;
    fprintf(file,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='12'>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n",
            WIDTH, HEIGHT);
    write_axes(file, &s, title);
    for (size_t i = 0; i < count; i++) write_curve(file, &s, &curves[i], i);
    fputs("</svg>\n", file);
    const int failed = ferror(file);
    return fclose(file) || failed ? -1 : 0;
}
