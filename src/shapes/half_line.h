/* A function of one variable told by a function h of |x| or of one side, which settles: what shapes
 * approximate, and how f is made of it again.
 *
 *   EVEN   f = base(x) + h(|x|)              ODD    f = base(x) + sign(x) h(|x|)
 *   RIGHT  f = base(x) + h(max(0, x))        POINT  f = middle + sign(x) h(|x|)
 *   LEFT   f = base(x) + h(min(0, x))        NONE   f = base(x) + h(|x|), with an h for either side
 *
 * The base is what f is like at the infinities. The argument v of h is |x|, max(0, x), or min(0, x), which is
 * negative; t is its size. */
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
    double limits[2]; /* of h at the infinities: right, left */
    double limit;     /* the one that h has, but for NONE; reached but for the tolerance where t = end */
    double end;
    int sign; /* v = sign t */
};

/* False if h does not settle, or the reference cannot say. The tolerance is absolute (over max(1, |y|)), or
 * relative to the limit; then f must not go to 0 at an infinity. */
bool half_line_find(struct half_line *out, struct traits *t, bool relative, double tolerance);
/* The side of which h is taken, 1 for x < 0, where `side` is asked of NONE. */
unsigned half_line_side(const struct half_line *f, unsigned side);
/* h where |v| = t >= 0, to 64 bits of f. `side` counts for NONE only. */
bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t, unsigned side);
/* h - subtrahend = v^m g(v) with g(0) != 0, m <= 3; false if there is no such m. */
bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend);

static inline bool half_line_is_one_sided(const struct half_line *f)
{
    return f->symmetry == SYMMETRY_LEFT || f->symmetry == SYMMETRY_RIGHT;
}
static inline bool half_line_has_sign(const struct half_line *f) /* h is multiplied by x's sign */
{
    return f->symmetry == SYMMETRY_ODD || f->symmetry == SYMMETRY_POINT;
}
static inline bool half_line_has_base(const struct half_line *f)
{
    return f->slope[0] != 0 || f->slope[1] != 0;
}

/* -- code, of f32 and f64: x's type is that of all -- */

/* v. A NaN in x reaches it by floating-point operations. */
lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x);
/* v, held within [-limit, limit]. */
lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x, double limit);
/* f from h, or from -h if `negated`. */
lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated);
/* f from h that has its sign already. */
lane_value half_line_signed_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h);

/* "1 max(x,0) + 0 min(x,0) + h, even, ", or, for who goes on with a formula of h, "0.5 + h, point, h = " */
void half_line_describe(struct text *out, const struct half_line *f, bool as_formula);

#endif
