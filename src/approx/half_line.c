#include "half_line.h"

#include <math.h>
#include <string.h>

enum { VALUE_BITS = 100 };

static bool precise(quad *out, reference *truth, double x)
{
    mpfr_t value;
    mpfr_init2(value, VALUE_BITS + 6);
    bool known = reference_precise(truth, &x, VALUE_BITS, value) == REFERENCE_DECIDED && mpfr_number_p(value);
    if (known) *out = quad_of_mpfr(value);
    mpfr_clear(value);
    return known;
}

int half_line_sign(const struct half_line *f) { return f->kind == HALF_LINE_LEFT ? -1 : 1; }

bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t)
{
    if (f->kind == HALF_LINE_ODD || f->kind == HALF_LINE_EVEN)
        return piecewise_value(out, &f->f, truth, t, false);
    return precise(out, truth, half_line_sign(f) * t);
}

/* f(x) = slope x on one side: at numbers of many magnitudes, none of them special. */
static bool is_line(double *slope, reference *truth, double sign)
{
    static const double probes[] = {0x1.8p-10, 0.0625, 0.4375, 1.1875, 2.71875, 5.3125, 11.0625, 0x1.1p20};
    quad first = 0, value;
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (!precise(&value, truth, sign * probes[i])) return false;
        value /= sign * probes[i];
        if (i && quad_abs(value - first) > (quad)0x1p-80 * quad_abs(first)) return false;
        if (!i) first = value;
    }
    *slope = (double)first;
    return true;
}

/* The limit of h, and by bisection of [2^-9, 2^7] where it comes within the tolerance for good: the shapes this is
 * for are cheaper the shorter the range. */
static bool settles(struct half_line *f, reference *truth, double tolerance)
{
    enum { STEPS_PER_OCTAVE = 4, OCTAVES = 16, HALVINGS = 6 };
    static const double step[STEPS_PER_OCTAVE] = {1, 1.1875, 1.4140625, 1.6875};
    quad limit, value;
    if (!half_line_value(&limit, f, truth, 0x1p10) || !half_line_value(&value, f, truth, 0x1p20)) return false;
    if (!(quad_abs(value - limit) <= tolerance / 2)) return false;
    f->limit = (double)limit;
    f->end = 0x1p7;
    for (int k = OCTAVES * STEPS_PER_OCTAVE - 1; k >= 0; k--) {
        double t = step[k % STEPS_PER_OCTAVE] * 0x1p-9;
        for (int i = 0; i < k / STEPS_PER_OCTAVE; i++) t *= 2;
        if (!half_line_value(&value, f, truth, t)) return false;
        if (quad_abs(value - limit) <= tolerance) {
            f->end = t;
            continue;
        }
        double low = t;
        if (f->end == 0x1p7) return false;
        for (int i = 0; i < HALVINGS; i++) {
            const double middle = (low + f->end) / 2;
            if (!half_line_value(&value, f, truth, middle)) return false;
            if (quad_abs(value - limit) <= tolerance)
                f->end = middle;
            else
                low = middle;
        }
        return true;
    }
    return true;
}

static bool find_symmetric(struct half_line *out, reference *truth, double tolerance)
{
    if (!piecewise_decompose(&out->f, truth, tolerance) || out->f.symmetry == SYMMETRY_NONE) return false;
    out->kind = out->f.symmetry == SYMMETRY_EVEN ? HALF_LINE_EVEN : HALF_LINE_ODD;
    return settles(out, truth, tolerance);
}

static bool find_one_sided(struct half_line *out, reference *truth, double tolerance)
{
    out->kind = HALF_LINE_LEFT;
    if (is_line(&out->slope, truth, 1) && settles(out, truth, tolerance)) return true;
    out->kind = HALF_LINE_RIGHT;
    return is_line(&out->slope, truth, -1) && settles(out, truth, tolerance);
}

bool half_line_find(struct half_line *out, reference *truth, double tolerance)
{
    quad zero;
    *out = (struct half_line){0};
    if (!find_one_sided(out, truth, tolerance) && !find_symmetric(out, truth, tolerance)) return false;
    if (!precise(&zero, truth, 0)) return false;
    out->start = (double)zero - out->f.middle;
    return true;
}

bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend)
{
    enum { LARGEST = 3 };
    quad zero, far, near;
    if (f->start != subtrahend) return *m = 0, true;
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
    switch (f->kind) {
    case HALF_LINE_LEFT: return lane_binary(p, LANE_MIN, number(p, 0), x);
    case HALF_LINE_RIGHT: return lane_binary(p, LANE_MAX, number(p, 0), x);
    default: return lane_unary(p, LANE_ABS, x);
    }
}

lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x, double limit)
{
    lane_value v = half_line_argument(p, f, x);
    if (f->kind == HALF_LINE_LEFT) return lane_binary(p, LANE_MAX, number(p, -limit), v);
    return lane_binary(p, LANE_MIN, number(p, limit), v);
}

static lane_value times_slope(lane_program *p, const struct half_line *f, lane_value side)
{
    return f->slope == 1 ? side : lane_binary(p, LANE_MUL, side, number(p, f->slope));
}

/* 1 with x's sign. */
static lane_value sign_of(lane_program *p, lane_value x)
{
    lane_value sign = lane_binary(p, LANE_AND, lane_unary(p, LANE_BITCAST, x),
                                  lane_const_bits(p, LANE_I32, 0x80000000));
    lane_value one = lane_const_bits(p, LANE_I32, 0x3f800000);
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_OR, sign, one));
}

static bool has_base(const struct half_line *f)
{
    if (f->kind == HALF_LINE_EVEN) return f->f.base != BASE_ZERO;
    return f->kind != HALF_LINE_ODD && f->slope != 0;
}

static lane_value base_of(lane_program *p, const struct half_line *f, lane_value x)
{
    const bool even = f->kind == HALF_LINE_EVEN;
    if (even && f->f.base == BASE_IDENTITY) return x;
    const bool right = even ? f->f.base == BASE_MAX : f->kind == HALF_LINE_LEFT;
    lane_value side = lane_binary(p, right ? LANE_MAX : LANE_MIN, number(p, 0), x);
    return even ? side : times_slope(p, f, side);
}

lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated)
{
    if (has_base(f)) return lane_binary(p, negated ? LANE_SUB : LANE_ADD, base_of(p, f, x), h);
    if (negated) h = lane_unary(p, LANE_NEG, h);
    if (f->kind != HALF_LINE_ODD) return h;
    if (f->f.middle == 0) return lane_binary(p, LANE_MUL, h, sign_of(p, x));
    return lane_fma(p, h, sign_of(p, x), number(p, f->f.middle));
}

const char *half_line_describe(const struct half_line *f)
{
    static const char *const bases[] = {"even h", "max(x,0) + even h", "min(x,0) + even h", "x + even h"};
    switch (f->kind) {
    case HALF_LINE_EVEN: return bases[f->f.base];
    case HALF_LINE_ODD: return f->f.middle != 0 ? "middle + odd h" : "odd h";
    case HALF_LINE_LEFT: return "line + h(min(x,0))";
    default: return "line + h(max(x,0))";
    }
}
