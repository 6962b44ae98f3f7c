/* Finds the half line of a function, and writes the code around it. */
#include "half_line.h"
#include "float_bits.h"

#include <math.h>

/* -- finding h -- */

/* Takes the side with the smaller base if both sides give the same h, because that is more accurate. */
unsigned half_line_side(const struct half_line *f, unsigned side)
{
    switch (f->symmetry) {
    case SYMMETRY_NONE: return side;
    case SYMMETRY_LEFT: return 1;
    case SYMMETRY_EVEN: return quad_abs(f->slope[1]) < quad_abs(f->slope[0]);
    default: return 0;
    }
}

static bool half_line_truth(quad *out, const struct half_line *f, reference *truth, double t, unsigned side,
                            unsigned bits)
{
    side = half_line_side(f, side);
    const double x = side ? -t : t;
    if (!quad_of_reference(out, truth, x, bits)) return false;
    *out -= f->slope[side] * x + f->middle;
    return true;
}

bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t, unsigned side)
{
    enum { BITS = 64 };
    return half_line_truth(out, f, truth, t, side, BITS);
}

struct settling {
    const struct half_line *f;
    reference *truth;
    unsigned side;
    bool relative;
    double tolerance;
};

/* Returns whether h is near its limit at t. */
static bool is_settled(const struct settling *s, double t)
{
    const double limit = s->f->limits[s->side];
    const double y = fabs((double)s->f->slope[s->side] * t * (s->side ? -1 : 1) + limit + s->f->middle);
    quad value;
    return half_line_value(&value, s->f, s->truth, t, s->side) &&
           quad_abs(value - limit) <= (quad)(s->tolerance * (s->relative ? y : fmax(y, 1)));
}

/* Finds the t from which on h is near its limit. */
static bool find_end(struct half_line *f, const struct settling *s)
{
    enum { FIRST = -9, LAST = 12, HALVINGS = 6 };
    int octave = LAST;
    while (octave >= FIRST && is_settled(s, ldexp(1, octave))) octave--;
    if (octave == LAST) return false;
    double low = ldexp(1, octave), high = 2 * low;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        *(is_settled(s, middle) ? &high : &low) = middle;
    }
    f->end = fmax(f->end, high);
    return true;
}

static enum half_line_symmetry symmetry_of(const struct symmetry *s, const struct half_line *f)
{
    const double middle = (double)(s->sum.constant / 2);
    if (line_is(&s->difference, f->slope[0] + f->slope[1], 0)) return SYMMETRY_EVEN;
    if (line_is(&s->sum, 0, 0) && f->slope[0] == f->slope[1]) return SYMMETRY_ODD;
    if (line_is(&s->side[0], f->slope[0], 0)) return SYMMETRY_LEFT;
    if (line_is(&s->side[1], f->slope[1], 0)) return SYMMETRY_RIGHT;
    return !half_line_has_base(f) && line_is(&s->sum, 0, 2 * (quad)(float)middle) ? SYMMETRY_POINT
                                                                                  : SYMMETRY_NONE;
}

bool half_line_find(struct half_line *out, struct traits *t, bool relative, double tolerance)
{
    const struct symmetry *s = traits_symmetry(t);
    if (!s) return false;
    *out = (struct half_line){.end = 0x1p-9};
    for (unsigned side = 0; side < 2; side++) {
        const struct line *line = traits_asymptote(t, side);
        if (!line || !(quad_abs(line->slope) < 0x1p20)) return false;
        if (relative && line->slope == 0 && quad_abs(line->constant) < 0x1p-20) return false;
        out->slope[side] = line->slope;
        out->limits[side] = (double)line->constant;
    }
    out->symmetry = symmetry_of(s, out);
    if (out->symmetry == SYMMETRY_POINT) out->middle = (double)(s->sum.constant / 2);
    for (unsigned side = 0; side < 2; side++) out->limits[side] -= out->middle;
    out->limit = out->limits[half_line_side(out, 0)];
    out->sign = out->symmetry == SYMMETRY_LEFT ? -1 : 1;
    for (unsigned side = 0; side < 2; side++)
        if (half_line_side(out, side) == side &&
            !find_end(out, &(struct settling){out, t->fitted, side, relative, tolerance}))
            return false;
    return true;
}

/* h minus a number. */
struct rest {
    const struct half_line *f;
    reference *truth;
    double subtrahend;
};

static bool rest_at(void *context, double t, quad *out)
{
    enum { BITS = 100 }; /* Subtracting the base, the middle and the number may cost some of these bits. */
    const struct rest *rest = context;
    if (!half_line_truth(out, rest->f, rest->truth, t, 0, BITS)) return false;
    *out -= rest->subtrahend;
    return true;
}

bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend)
{
    enum { LARGEST = 3 };
    return leading_power(m, LARGEST, rest_at, &(struct rest){f, truth, subtrahend});
}

/* -- the code -- */

/* Returns the constant in x's type. */
static lane_value constant_like(lane_program *p, lane_value x, double value)
{
    return lane_const(p, p->code[x].type, value);
}

/* Returns the bits of a constant of x's type, as an integer. */
static lane_value bits_of(lane_program *p, lane_value x, double value)
{
    return p->code[x].type == LANE_F32 ? lane_const_bits(p, LANE_I32, bits_of_f32((float)value))
                                       : lane_const_bits(p, LANE_I64, bits_of_f64(value));
}

lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x)
{
    switch (f->symmetry) {
    case SYMMETRY_LEFT: return lane_min(p, constant_like(p, x, 0), x);
    case SYMMETRY_RIGHT: return lane_max(p, constant_like(p, x, 0), x);
    default: return lane_unary(p, LANE_ABS, x);
    }
}

lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x, double limit)
{
    return lane_binary(p, f->sign < 0 ? LANE_MAX : LANE_MIN, constant_like(p, x, f->sign * limit),
                       half_line_argument(p, f, x));
}

/* Returns slope * x + h, or slope * x - h if `negated`. */
static lane_value add_slope(lane_program *p, lane_value h, quad slope, lane_value x, bool negated)
{
    if (slope == 1) return lane_binary(p, negated ? LANE_SUB : LANE_ADD, x, h);
    if (negated) h = lane_unary(p, LANE_NEG, h);
    return slope == 0 ? h : lane_fma(p, x, constant_like(p, x, (double)slope), h);
}

static lane_value with_base(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated)
{
    const quad right = f->slope[0], left = f->slope[1];
    if (right == left) return add_slope(p, h, right, x, negated);
    if (right == -left) return add_slope(p, h, right, lane_unary(p, LANE_ABS, x), negated);
    const lane_value zero = constant_like(p, x, 0);
    if (right != 0) h = add_slope(p, h, right, lane_max(p, zero, x), negated);
    if (left == 0) return h;
    return add_slope(p, h, left, lane_min(p, zero, x), negated && right == 0);
}

lane_value half_line_signed_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h)
{
    h = with_base(p, f, x, h, false);
    return f->middle != 0 ? lane_add(p, h, constant_like(p, x, f->middle)) : h;
}

lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated)
{
    if (!half_line_has_sign(f)) return with_base(p, f, x, h, negated);
    /* 1 with x's sign, or -1 with x's sign if negated */
    const lane_value sign = lane_binary(p, LANE_OR, lane_sign_of(p, x), bits_of(p, x, negated ? -1 : 1));
    return half_line_signed_result(p, f, x, lane_mul(p, h, lane_unary(p, LANE_BITCAST, sign)));
}

void half_line_describe(struct text *out, const struct half_line *f, bool as_formula)
{
    static const char *const symmetries[] = {"two-sided", "even", "odd", "point", "right", "left"};
    if (half_line_has_base(f))
        text_add(out, "%g max(x,0) + %g min(x,0) + ", (double)f->slope[0], (double)f->slope[1]);
    if (as_formula && f->middle != 0) text_add(out, "%g + ", f->middle);
    text_add(out, "h, %s, %s", symmetries[f->symmetry], as_formula ? "h = " : "");
}
