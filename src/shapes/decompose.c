/* What a function is made of: symmetry, and what it is like at the infinities. Found by evaluation, whatever
 * the formula. */
#include "piecewise.h"

#include <math.h>

enum { VALUE_BITS = 64 }; /* of what is fitted */

/* The side of which h is taken where both give the same: the one with less of a base, for accuracy. */
static unsigned side_of(const struct decomposition *f, unsigned side)
{
    switch (f->symmetry) {
    case SYMMETRY_NONE: return side;
    case SYMMETRY_LEFT: return 1;
    case SYMMETRY_EVEN: return quad_abs(f->slope[1]) < quad_abs(f->slope[0]);
    default: return 0;
    }
}

bool piecewise_value(quad *out, const struct decomposition *f, reference *truth, double t, unsigned side)
{
    side = side_of(f, side);
    double x = side ? -t : t;
    if (!quad_of_reference(out, truth, x, VALUE_BITS)) return false;
    *out -= f->slope[side] * x + f->middle;
    return true;
}

static double allowed_at(const struct decomposition *f, struct decomposed_bound bound, double t,
                         unsigned side)
{
    double y = fabs((double)f->slope[side] * t * (side ? -1 : 1) + f->limit[side] + f->middle);
    return bound.error * (bound.relative ? y / 2 : fmax(y, 1));
}

/* Whether h is near its limit at t. */
static bool is_settled(const struct decomposition *f, reference *truth, struct decomposed_bound bound,
                       double t, unsigned side)
{
    quad value;
    return piecewise_value(&value, f, truth, t, side) &&
           quad_abs(value - f->limit[side]) <= (quad)(allowed_at(f, bound, t, side) * 0.6);
}

/* From where on h is near its limit. */
static bool settles(struct decomposition *f, reference *truth, struct decomposed_bound bound, unsigned side)
{
    enum { FIRST = -9, LAST = 8, HALVINGS = 6 };
    int octave = LAST;
    while (octave >= FIRST && is_settled(f, truth, bound, ldexp(1, octave), side)) octave--;
    if (octave == LAST) return false;
    double low = ldexp(1, octave), high = 2 * low;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (is_settled(f, truth, bound, middle, side))
            high = middle;
        else
            low = middle;
    }
    f->end = fmax(f->end, high);
    return true;
}

static enum symmetry_kind form_of(const struct symmetry *s, const struct decomposition *f)
{
    const bool odd = line_is(&s->sum, 0, 0), bounded = f->slope[0] == 0 && f->slope[1] == 0;
    const double middle = (double)(s->sum.constant / 2);
    if (line_is(&s->difference, f->slope[0] + f->slope[1], 0)) return SYMMETRY_EVEN;
    if (odd && f->slope[0] == f->slope[1]) return SYMMETRY_ODD;
    if (line_is(&s->side[0], f->slope[0], 0)) return SYMMETRY_LEFT;
    if (line_is(&s->side[1], f->slope[1], 0)) return SYMMETRY_RIGHT;
    return bounded && line_is(&s->sum, 0, 2 * (quad)(float)middle) ? SYMMETRY_POINT : SYMMETRY_NONE;
}

bool piecewise_decompose(struct decomposition *out, reference *truth, struct decomposed_bound bound)
{
    struct symmetry s;
    if (!symmetry_find(&s, truth)) return false;
    *out = (struct decomposition){.end = 0x1p-9};
    for (unsigned side = 0; side < 2; side++) {
        struct line line;
        if (!asymptote_find(&line, truth, side) || !(quad_abs(line.slope) < 0x1p20)) return false;
        if (bound.relative && line.slope == 0 && quad_abs(line.constant) < 0x1p-20) return false;
        out->slope[side] = line.slope;
        out->limit[side] = (double)line.constant;
    }
    out->symmetry = form_of(&s, out);
    if (out->symmetry == SYMMETRY_POINT) out->middle = (double)(s.sum.constant / 2);
    for (unsigned side = 0; side < 2; side++) out->limit[side] -= out->middle;
    const bool left = out->symmetry == SYMMETRY_NONE || side_of(out, 0) == 1,
               right = !left || out->symmetry == SYMMETRY_NONE;
    return (!right || settles(out, truth, bound, 0)) && (!left || settles(out, truth, bound, 1));
}
