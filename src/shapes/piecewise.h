/* Piecewise plans: f(x) = base(x) + h(t), the base being what f is like at the infinities, h a function of
 * t = |x|, or of t on each side, or on one side only. h goes by segments (segments.h). */
#ifndef ACTGEN_PIECEWISE_H
#define ACTGEN_PIECEWISE_H

#include "lines.h"
#include "segments.h"
#include "shape.h"

enum symmetry_kind {
    SYMMETRY_NONE,  /* h differs on the two sides */
    SYMMETRY_EVEN,  /* f = base + h(|x|) */
    SYMMETRY_ODD,   /* f = base + sign(x) h(|x|) */
    SYMMETRY_POINT, /* f = middle + sign(x) h(|x|) */
    SYMMETRY_RIGHT, /* h is 0 for x < 0: t = max(x, 0) */
    SYMMETRY_LEFT,  /* h is 0 for x > 0: t = max(-x, 0) */
};

struct decomposition {
    enum symmetry_kind symmetry;
    quad slope[2]; /* base(x) = slope[0] x for x > 0, slope[1] x for x < 0 */
    double middle;
    double end;      /* beyond t = end, h is its limit within a share of the bound */
    double limit[2]; /* of h at the infinities: right, left */
};

/* How errors count: absolute or in ulps. */
struct decomposed_bound {
    bool relative;
    double error; /* over max(1, |y|), or over y's binade if relative */
};

/* False if h does not settle, or the reference cannot say, or f goes to 0 at an infinity and the bound is
 * relative. */
bool piecewise_decompose(struct decomposition *out, reference *truth, struct decomposed_bound bound);
/* h at t > 0 on a side (1: x = -t); for symmetric functions the side without a base is asked. */
bool piecewise_value(quad *out, const struct decomposition *f, reference *truth, double t, unsigned side);

#endif
