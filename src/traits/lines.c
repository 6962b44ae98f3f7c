/* Compares values at a few points with the values of a line. */
#include "lines.h"

/* Correct bits of a value, 15 more than are compared. */
enum { VALUE_BITS = 100 };

bool formula_value(quad *out, reference *truth, double x)
{
    return quad_of_reference(out, truth, x, VALUE_BITS);
}

bool lines_nearly(quad a, quad b)
{
    return quad_abs(a - b) <= (quad)0x1p-85 * (1 + quad_abs(a) + quad_abs(b));
}

bool line_is(const struct line *line, quad slope, quad constant)
{
    return line->known && lines_nearly(line->slope, slope) && lines_nearly(line->constant, constant);
}

/* Returns the f32 number next to c, or 0, if c nearly equals it. Otherwise returns c. */
static quad snapped(quad c)
{
    const quad rounded = lines_nearly(c, 0) ? 0 : (quad)(float)c;
    return lines_nearly(c, rounded) ? rounded : c;
}

/* -- symmetry -- */

/* The points where symmetries are looked for. There is nothing special about them. */
static const double probes[] = {0.0625, 0.4375, 1.1875, 2.71875, 5.3125, 11.0625, 0x1.8p-10};
enum { PROBES = sizeof probes / sizeof *probes };

/* Finds the line through the values at all probes, or at their negatives. */
static struct line line_through(const quad *value, int direction)
{
    const quad distance = direction * ((quad)probes[1] - probes[0]);
    struct line line = {.known = true, .slope = snapped((value[1] - value[0]) / distance)};
    line.constant = snapped(value[0] - line.slope * direction * probes[0]);
    for (int i = 0; i < PROBES; i++)
        line.known = line.known && lines_nearly(value[i], line.slope * direction * probes[i] + line.constant);
    return line;
}

bool symmetry_find(struct symmetry *out, reference *truth)
{
    quad right[PROBES], left[PROBES], difference[PROBES], sum[PROBES];
    for (int i = 0; i < PROBES; i++) {
        if (!formula_value(&right[i], truth, probes[i]) || !formula_value(&left[i], truth, -probes[i]))
            return false;
        difference[i] = right[i] - left[i];
        sum[i] = right[i] + left[i];
    }
    *out = (struct symmetry){.side = {line_through(right, 1), line_through(left, -1)},
                             .difference = line_through(difference, 1),
                             .sum = line_through(sum, 1)};
    return true;
}

/* -- at the infinities -- */

bool asymptote_find(struct line *out, reference *truth, bool negative)
{
    const double near = negative ? -0x1p13 : 0x1p13, far = 32 * near, farther = 32 * far;
    quad a, b, check;
    if (!formula_value(&a, truth, near) || !formula_value(&b, truth, far) ||
        !formula_value(&check, truth, farther))
        return false;
    out->slope = snapped((b - a) / ((quad)far - near));
    out->constant = snapped(b - out->slope * far);
    out->known = lines_nearly(check, out->slope * farther + out->constant);
    return out->known;
}

double settled_from(quad_function f, void *context, double last)
{
    quad limit, value;
    double from = last;
    if (!f(context, last, &limit)) return last;
    while (from > last / 64 && f(context, from * 0.9375, &value) &&
           quad_abs(value - limit) <= (quad)0x1p-57 * quad_abs(limit))
        from *= 0.9375;
    return from;
}

/* -- at 0 -- */

bool leading_power(unsigned *m, unsigned largest, quad_function f, void *context)
{
    /* The function may be a difference of 100-bit values that cancel. In that case 16 bits of t^3 are
     * left. */
    const double t = 0x1p-27;
    quad far, near, power = 1;
    if (!f(context, t, &far) || !f(context, t / 2, &near) || near == 0) return false;
    for (*m = 0; *m <= largest; ++*m, power *= 2)
        if (quad_abs(far / near - power) <= power * (quad)0x1p-8) return true;
    return false;
}

struct side_of_formula {
    reference *truth;
    double sign;
};

static bool side_value(void *context, double t, quad *out)
{
    const struct side_of_formula *side = context;
    return formula_value(out, side->truth, side->sign * t);
}

bool formula_leading_power(unsigned *m, unsigned largest, reference *truth, bool negative)
{
    return leading_power(m, largest, side_value, &(struct side_of_formula){truth, negative ? -1 : 1});
}
