/* A function of one variable told by a function h of one sign of it, for shapes that have no segments:
 *
 *   ODD    f = middle + sign(x) h(|x|)         EVEN   f = base(x) + h(|x|)
 *   LEFT   f = slope max(0, x) + h(min(0, x))  RIGHT  f = slope min(0, x) + h(max(0, x))
 *
 * h has a limit; from `end` on it is there. The argument v of h is |x| for ODD and EVEN, else min(0, x) or
 * max(0, x): negative for LEFT. */
#ifndef ACTGEN_HALF_LINE_H
#define ACTGEN_HALF_LINE_H

#include "piecewise.h"

enum half_line_kind { HALF_LINE_ODD, HALF_LINE_EVEN, HALF_LINE_LEFT, HALF_LINE_RIGHT };

struct half_line {
    enum half_line_kind kind;
    struct decomposition f; /* ODD, EVEN: base, middle */
    double slope;           /* LEFT, RIGHT */
    double end;             /* of |v|; then h differs from its limit by less than the tolerance */
    double limit, start;    /* of h; h(0) */
};

/* False if f is none of these, or the reference cannot say. */
bool half_line_find(struct half_line *out, reference *truth, double tolerance);
/* h where |v| = t > 0, to 100 bits. */
bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t);

/* 1 for ODD, EVEN, RIGHT, -1 for LEFT: v = sign t. */
int half_line_sign(const struct half_line *f);
/* v. A NaN in x reaches it by floating-point operations. */
lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x);
/* v, held within [-limit, limit]. */
lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x, double limit);
/* f from h, or from -h if `negated`. */
lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated);

/* d(v) = h - limit, or h, as v^m g(v) with g(0) != 0: m <= 3; false if there is none. */
bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend);

const char *half_line_describe(const struct half_line *f);

#endif
