#include "half_line.h"

#include <math.h>

bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t)
{
    return piecewise_value(out, &f->f, truth, t, f->sign < 0);
}

bool half_line_find(struct half_line *out, reference *truth, bool relative, double tolerance)
{
    /* What piecewise_decompose allows h at its end. */
    const struct decomposed_bound bound = {relative, tolerance / (relative ? 0.3 : 0.6)};
    struct decomposition *f = &out->f;
    quad zero;
    *out = (struct half_line){0};
    if (!piecewise_decompose(f, truth, bound) || f->symmetry == SYMMETRY_NONE) return false;
    const bool less_base_left = f->symmetry == SYMMETRY_EVEN && quad_abs(f->slope[1]) < quad_abs(f->slope[0]);
    out->sign = f->symmetry == SYMMETRY_LEFT ? -1 : 1;
    out->limit = f->limit[less_base_left || out->sign < 0];
    if (relative && out->limit == 0) return false;
    if (!half_line_value(&zero, out, truth, 0)) return false;
    out->start = (double)zero;
    return true;
}

bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend)
{
    enum { LARGEST = 3 };
    quad zero, far, near;
    *m = 0;
    if (f->start != subtrahend) return true;
    if (!half_line_value(&zero, f, truth, 0) || !half_line_value(&far, f, truth, 0x1p-20) ||
        !half_line_value(&near, f, truth, 0x1p-21) || near == zero)
        return false;
    quad ratio = (far - zero) / (near - zero), power = 2;
    for (*m = 1; *m <= LARGEST; ++*m, power *= 2)
        if (quad_abs(ratio - power) < power * (quad)0x1p-8) return true;
    return false;
}

/* -- the code -- */

static lane_value number(lane_program *p, double value) { return lane_const(p, LANE_F32, value); }

lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x)
{
    switch (f->f.symmetry) {
    case SYMMETRY_LEFT: return lane_binary(p, LANE_MIN, number(p, 0), x);
    case SYMMETRY_RIGHT: return lane_binary(p, LANE_MAX, number(p, 0), x);
    default: return lane_unary(p, LANE_ABS, x);
    }
}

lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x)
{
    return lane_binary(p, f->sign < 0 ? LANE_MAX : LANE_MIN, number(p, f->sign * f->f.end),
                       half_line_argument(p, f, x));
}

static lane_value times(lane_program *p, lane_value a, quad slope)
{
    return slope == 1 ? a : lane_binary(p, LANE_MUL, a, number(p, (double)slope));
}

/* base(x); false if there is none. */
static bool base_of(lane_program *p, const struct half_line *f, lane_value x, lane_value *base)
{
    const quad right = f->f.slope[0], left = f->f.slope[1];
    if (right == 0 && left == 0) return false;
    lane_value zero = number(p, 0);
    if (right == left)
        *base = times(p, x, right);
    else if (right == -left)
        *base = times(p, lane_unary(p, LANE_ABS, x), right);
    else if (left == 0)
        *base = times(p, lane_binary(p, LANE_MAX, zero, x), right);
    else if (right == 0)
        *base = times(p, lane_binary(p, LANE_MIN, zero, x), left);
    else
        *base = lane_binary(p, LANE_ADD, times(p, lane_binary(p, LANE_MAX, zero, x), right),
                            times(p, lane_binary(p, LANE_MIN, zero, x), left));
    return true;
}

lane_value half_line_signed_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h)
{
    lane_value base;
    if (base_of(p, f, x, &base)) h = lane_binary(p, LANE_ADD, base, h);
    return f->f.middle != 0 ? lane_binary(p, LANE_ADD, h, number(p, f->f.middle)) : h;
}

lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated)
{
    lane_value base;
    if (f->f.symmetry == SYMMETRY_ODD || f->f.symmetry == SYMMETRY_POINT) { /* times 1 with x's sign */
        lane_value sign = lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x),
                                      lane_const_bits(p, LANE_I32, 0x80000000));
        sign = lane_binary(p, LANE_OR, sign, lane_const_bits(p, LANE_I32, negated ? 0xbf800000 : 0x3f800000));
        return half_line_signed_result(p, f, x,
                                       lane_binary(p, LANE_MUL, h, lane_unary(p, LANE_BITCAST, sign)));
    }
    if (base_of(p, f, x, &base)) return lane_binary(p, negated ? LANE_SUB : LANE_ADD, base, h);
    return negated ? lane_unary(p, LANE_NEG, h) : h;
}

void half_line_describe(struct text *out, const struct half_line *f)
{
    static const char *const symmetries[] = {"two-sided", "even", "odd", "point", "right", "left"};
    const double right = (double)f->f.slope[0], left = (double)f->f.slope[1];
    if (right != 0 || left != 0) text_add(out, "%g max(x,0) + %g min(x,0) + ", right, left);
    if (f->f.middle != 0) text_add(out, "%g + ", f->f.middle);
    text_add(out, "h, %s, h = ", symmetries[f->f.symmetry]);
}
