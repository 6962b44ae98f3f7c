/* Plans for 16-bit results, correctly rounded or within any bound, in lanes of f32 or f16, and for loose
 * bounds of f32 results of 16-bit arguments. Each segment has the 2^k-th power of a polynomial of low degree:
 *
 *     f(x) = base(x) + sign * v^m * q(t)^(2^k),   t = |x| or x, clamped to its interval
 *
 * This form follows a tail down to the smallest numbers. The root of a decaying function varies slowly, and k
 * squarings cost less than an exponential. Only the results at the 65,536 inputs count. Each result allows q
 * an interval. The coefficients keep all intervals of a segment. This needs a lower degree than a small error
 * everywhere would.
 *
 * piecewise_power.c searches. piecewise_power_fit.c finds the intervals and the coefficients. */
#ifndef ACTGEN_PIECEWISE_POWER_H
#define ACTGEN_PIECEWISE_POWER_H

#include "answers.h"
#include "interval_fit.h"
#include "segments.h"
#include "shape.h"

enum power_form {
    POWER_RAMP,    /* max(x, 0) + part, t = |x| */
    POWER_POINT,   /* `part` on the side where it decays, `sum` - part on the other side, t = |x| */
    POWER_PRODUCT, /* part, t = |x|, v = x */
    POWER_SIDES,   /* part, t = x, v = x */
    POWER_FORM_COUNT
};

struct piecewise_power {
    enum power_form form;
    enum element_type result; /* ELEMENT_F32: rounding to f32 is the last rounding */
    unsigned m, k;
    double sign, sum; /* the sign of the part, and the sum of both sides (POWER_POINT) */
    bool decays_left; /* POWER_POINT */
    double low, high; /* limits of t */
    bool held[2];     /* v is clamped as well, from below and from above */
    /* All inputs beyond an end share one value, which the outermost polynomial has to meet. The interval that
     * remains for this value must be at least this share of the narrowest of their intervals. */
    double share;
    struct segments q;
};

/* The results that one input allows, before they are rounded. */
struct power_point {
    float x, t, v;      /* x = 0 stands for many tiny inputs */
    double least, most; /* limits of the result, without its own rounding to f32 */
    double low, high;   /* limits of q^(2^k) */
};
struct power_points {
    struct power_point *point; /* sorted by t */
    uint32_t count;
    float *variable;                 /* scratch space of the fit, one per point */
    struct interval_point *interval; /* scratch space of the fit, one per point */
};

/* Lists the results that the inputs allow, for every form. The order is by x: first the positive inputs, then
 * the negative ones, each from the smallest size on. */
void piecewise_power_inputs(struct power_points *out, const struct answers *a, arena *memory);
/* Makes the form's points, and finds where t is clamped. Returns false if f does not have this form. */
bool piecewise_power_points(struct power_points *out, struct piecewise_power *w,
                            const struct power_points *inputs, const struct answers *a, arena *memory);

/* Copies some of the points, evenly spread. A form that these points rule out is impossible. */
void piecewise_power_thin(struct power_points *out, const struct power_points *points, arena *memory);

/* Returns whether some coefficients of w->q keep the intervals of all segments except `most_wrong`. The index
 * and the degree of w->q are set. *hard is the number of the segment to try first. It becomes the number of a
 * segment that cannot be kept. */
bool piecewise_power_is_possible(const struct piecewise_power *w, const struct power_points *points,
                                 unsigned most_wrong, unsigned *hard);
/* Finds the rounded coefficients. The variable of w->q is set as well. At most `most_wrong` inputs are off.
 * *hard is used as above. */
bool piecewise_power_fit(struct piecewise_power *w, const struct power_points *points, unsigned most_wrong,
                         unsigned *hard, arena *memory);

#endif
