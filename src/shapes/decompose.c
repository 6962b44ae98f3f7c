/* What a function is made of: symmetry, and what it is like at the infinities. Found by evaluation, whatever
 * the formula. */
#include "piecewise.h"

#include <math.h>

/* Correct bits: of the values that tell symmetries, and of those that are fitted. */
enum { PROBE_BITS = 100, VALUE_BITS = 64 };

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

/* Points at which symmetry is tested; nothing special about them. */
static const double probes[] = {0.0625, 0.4375, 1.1875, 2.71875, 5.3125, 11.0625, 0x1.8p-10};
enum { PROBE_COUNT = sizeof probes / sizeof *probes };

struct probed {
    quad value[2][PROBE_COUNT]; /* f at +-probes */
    quad zero;                  /* f(0) */
    bool has_zero;
};

static bool nearly(quad a, quad b)
{
    return quad_abs(a - b) <= (quad)0x1p-80 * (1 + quad_abs(a) + quad_abs(b));
}

/* Tests f(x) - sign f(-x) = slope x + sum at all probes. */
static bool is_symmetric(const struct probed *p, int sign, quad slope, quad sum)
{
    for (int i = 0; i < PROBE_COUNT; i++)
        if (!nearly(p->value[0][i] - sign * p->value[1][i], slope * (quad)probes[i] + sum)) return false;
    return true;
}

static bool is_linear(const struct probed *p, unsigned side, quad slope)
{
    for (int i = 0; i < PROBE_COUNT; i++)
        if (!nearly(p->value[side][i], slope * (quad)(side ? -probes[i] : probes[i]))) return false;
    return true;
}

/* The slope far out, and what is left of f beside it. */
static bool set_asymptote(struct decomposition *f, reference *truth, unsigned side)
{
    const double near = side ? -0x1p10 : 0x1p10, far = 32 * near, farther = 32 * far;
    quad a, b, check;
    if (!quad_of_reference(&a, truth, near, PROBE_BITS) || !quad_of_reference(&b, truth, far, PROBE_BITS))
        return false;
    f->slope[side] = (b - a) / ((quad)far - near);
    if (quad_abs(f->slope[side]) < (quad)0x1p-40) f->slope[side] = 0;
    if (!quad_of_reference(&check, truth, farther, PROBE_BITS)) return false;
    quad rest = b - f->slope[side] * far;
    if (!nearly(check - f->slope[side] * farther, rest)) return false;
    f->limit[side] = (double)rest;
    return quad_abs(f->slope[side]) < 0x1p20;
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

static bool find_symmetry(struct decomposition *f, const struct probed *p)
{
    f->symmetry = SYMMETRY_NONE;
    if (is_symmetric(p, 1, f->slope[0] + f->slope[1], 0))
        f->symmetry = SYMMETRY_EVEN;
    else if (is_symmetric(p, -1, 0, 0) && f->slope[0] == f->slope[1])
        f->symmetry = SYMMETRY_ODD;
    else if (is_linear(p, 0, f->slope[0]))
        f->symmetry = SYMMETRY_LEFT;
    else if (is_linear(p, 1, f->slope[1]))
        f->symmetry = SYMMETRY_RIGHT;
    else if (p->has_zero && is_symmetric(p, -1, 0, 2 * p->zero) && f->slope[0] == 0 && f->slope[1] == 0 &&
             p->zero == (quad)(float)p->zero) {
        f->symmetry = SYMMETRY_POINT;
        f->middle = (double)p->zero;
        for (int side = 0; side < 2; side++) f->limit[side] -= f->middle;
    }
    return true;
}

bool piecewise_decompose(struct decomposition *out, reference *truth, struct decomposed_bound bound)
{
    struct probed p;
    for (int i = 0; i < PROBE_COUNT; i++)
        if (!quad_of_reference(&p.value[0][i], truth, probes[i], PROBE_BITS) ||
            !quad_of_reference(&p.value[1][i], truth, -probes[i], PROBE_BITS))
            return false;
    p.has_zero = quad_of_reference(&p.zero, truth, 0, PROBE_BITS);
    *out = (struct decomposition){.end = 0x1p-9};
    for (unsigned side = 0; side < 2; side++) {
        if (!set_asymptote(out, truth, side)) return false;
        if (bound.relative && out->slope[side] == 0 && fabs(out->limit[side]) < 0x1p-20) return false;
    }
    find_symmetry(out, &p);
    const bool left = out->symmetry == SYMMETRY_NONE || side_of(out, 0) == 1,
               right = !left || out->symmetry == SYMMETRY_NONE;
    return (!right || settles(out, truth, bound, 0)) && (!left || settles(out, truth, bound, 1));
}
