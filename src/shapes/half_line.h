/* A half line: a function h of |x| or of one side that settles. Shapes approximate h. This file says how f
 * follows from h:
 *
 *     EVEN   f = base(x) + h(|x|)              ODD    f = base(x) + sign(x) h(|x|)
 *     RIGHT  f = base(x) + h(max(0, x))        POINT  f = middle + sign(x) h(|x|)
 *     LEFT   f = base(x) + h(min(0, x))        NONE   f = base(x) + h(|x|), with an h for either side
 *
 * The base is f's behaviour at the infinities. The argument v of h is |x|, max(0, x), or min(0, x), which is
 * negative. t is the size of v. */
#ifndef ACTGEN_HALF_LINE_H
#define ACTGEN_HALF_LINE_H

#include "lane.h"
#include "traits.h"

enum half_line_symmetry {
    SYMMETRY_NONE,
    SYMMETRY_EVEN,
    SYMMETRY_ODD,
    SYMMETRY_POINT,
    SYMMETRY_RIGHT,
    SYMMETRY_LEFT,
};

struct half_line {
    enum half_line_symmetry symmetry;
    quad slope[2]; /* base(x) = slope[0] x for x > 0, slope[1] x for x < 0 */
    double middle;
    double limits[2]; /* the limits of h at the infinities: right, left */
    /* The limit of h, except for NONE. At t = end, h is within the tolerance of this limit. */
    double limit;
    double end;
    int sign; /* v = sign t */
};

/* Finds the half line of a function. Returns false if h does not settle, or if the reference cannot decide.
 * The tolerance is absolute (divided by max(1, |y|)) or relative to the limit. With a relative tolerance, f
 * must not go to 0 at an infinity. */
bool half_line_find(struct half_line *out, struct traits *t, bool relative, double tolerance);
/* Returns the side from which h is taken, 1 for x < 0. `side` matters only for NONE. */
unsigned half_line_side(const struct half_line *f, unsigned side);
/* Computes h at |v| = t >= 0, to 64 bits of f. `side` matters only for NONE. */
bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t, unsigned side);
/* Finds m with h - subtrahend = v^m g(v), g(0) != 0 and m <= 3. Returns false if there is no such m. */
bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend);

static inline bool half_line_is_one_sided(const struct half_line *f)
{
    return f->symmetry == SYMMETRY_LEFT || f->symmetry == SYMMETRY_RIGHT;
}
/* Returns whether h is multiplied by x's sign. */
static inline bool half_line_has_sign(const struct half_line *f)
{
    return f->symmetry == SYMMETRY_ODD || f->symmetry == SYMMETRY_POINT;
}
static inline bool half_line_has_base(const struct half_line *f)
{
    return f->slope[0] != 0 || f->slope[1] != 0;
}

/* -- code, in f32 or f64: every value has x's type -- */

/* Returns v. A NaN in x reaches v through floating-point operations. */
lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x);
/* Returns v, clamped to [-limit, limit]. */
lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x, double limit);
/* Returns f, given h, or given -h if `negated`. */
lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated);
/* Returns f, given an h that already has its sign. */
lane_value half_line_signed_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h);

/* Writes "1 max(x,0) + 0 min(x,0) + h, even, ". With `as_formula`, writes "0.5 + h, point, h = " for a caller
 * that continues with a formula of h. */
void half_line_describe(struct text *out, const struct half_line *f, bool as_formula);

#endif
