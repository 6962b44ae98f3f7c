/* Plans for 16-bit results, correctly rounded or within any bound, in lanes of f32 or of f16: the 2^k-th
 * power of a polynomial of low degree for each segment,
 *
 *     f(x) = base(x) + sign * v^m * q(t)^(2^k),   t = |x| or x, held within its interval
 *
 * which follows a tail down to the smallest numbers: the root of what decays varies slowly, and k squarings
 * cost less than an exponential. All that counts are the results at the 65,536 inputs: each allows q an
 * interval, and the coefficients are such as keep all of a segment's intervals, which a lower degree can do
 * than any small error could.
 *
 * piecewise_power.c searches, piecewise_power_fit.c finds the intervals and the coefficients. */
#ifndef ACTGEN_PIECEWISE_POWER_H
#define ACTGEN_PIECEWISE_POWER_H

#include "answers.h"
#include "interval_fit.h"
#include "segments.h"
#include "shape.h"

enum power_form {
    POWER_RAMP,    /* max(x, 0) + part, t = |x| */
    POWER_POINT,   /* on the side where it decays part, on the other one `sum` less part, t = |x| */
    POWER_PRODUCT, /* part, t = |x|; of v = x */
    POWER_SIDES,   /* part, t = x; of v = x */
    POWER_FORM_COUNT
};

struct piecewise_power {
    enum power_form form;
    unsigned m, k;
    double sign, sum; /* of the part; of both sides (POWER_POINT) */
    bool decays_left; /* POWER_POINT */
    double low, high; /* of t */
    bool held[2];     /* v, too, is held: from below, from above */
    double share; /* of the narrowest interval that all beyond an end leave at least to what is held there:
                   * the outermost polynomial has to meet it */
    struct segments q;
};

struct power_point {    /* what one input asks of the result, before that is rounded */
    float x, t, v;      /* x = 0: many tiny inputs at once */
    double least, most; /* of the result, its own rounding to f32 left out */
    double low, high;   /* of q^(2^k) */
};
struct power_points {
    struct power_point *point; /* by t */
    uint32_t count;
    float *variable;                 /* scratch of the fit, one a point */
    struct interval_point *interval; /* likewise */
};

/* What the inputs ask of any form: by x, each side from the smallest on, the positive first. */
void piecewise_power_inputs(struct power_points *out, const struct answers *a, arena *memory);
/* The points of the form, and where t is held. False if f is not of this form. */
bool piecewise_power_points(struct power_points *out, struct piecewise_power *w,
                            const struct power_points *inputs, const struct answers *a, arena *memory);

/* Some of them, spread evenly: what these do not allow is not possible. */
void piecewise_power_thin(struct power_points *out, const struct power_points *points, arena *memory);

/* Whether some coefficients of w->q, whose index and degree are set, keep the intervals of all segments but
 * `most_wrong`. *hard is the number of a segment that is tried first, and becomes that of one that cannot be
 * kept. */
bool piecewise_power_is_possible(const struct piecewise_power *w, const struct power_points *points,
                                 unsigned most_wrong, unsigned *hard);
/* The coefficients, rounded, w->q's variable being set, too; at most `most_wrong` inputs are off. *hard as
 * above. */
bool piecewise_power_fit(struct piecewise_power *w, const struct power_points *points, unsigned most_wrong,
                         unsigned *hard, arena *memory);

#endif
