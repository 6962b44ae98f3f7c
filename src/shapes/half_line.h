/* A function of one variable told by a function h of one sign of it (piecewise.h), for shapes without segments:
 *
 *   ODD, POINT   f = base(x) + middle + sign(x) h(|x|)     EVEN   f = base(x) + h(|x|)
 *   LEFT         f = base(x) + h(min(0, x))                RIGHT  f = base(x) + h(max(0, x))
 *
 * The argument v of h is |x| for ODD, POINT and EVEN, else min(0, x), which is negative, or max(0, x). */
#ifndef ACTGEN_HALF_LINE_H
#define ACTGEN_HALF_LINE_H

#include "piecewise.h"

struct half_line {
    struct decomposition f;
    int sign;     /* v = sign t, t >= 0 */
    double limit; /* of h, reached but for the tolerance where t = f.end */
    double start; /* h(0) */
};

/* False if f is none of these, or the reference cannot say. The tolerance is absolute (over max(1, |y|)), or
 * relative to the limit, which then is not 0. */
bool half_line_find(struct half_line *out, reference *truth, bool relative, double tolerance);
/* h where |v| = t >= 0, to 64 bits. */
bool half_line_value(quad *out, const struct half_line *f, reference *truth, double t);
/* h - subtrahend = v^m g(v) with g(0) != 0, m <= 3; false if there is no such m. */
bool half_line_leading_power(unsigned *m, const struct half_line *f, reference *truth, double subtrahend);

/* v. A NaN in x reaches it by floating-point operations. */
lane_value half_line_argument(lane_program *p, const struct half_line *f, lane_value x);
/* v, held within [-end, end]. */
lane_value half_line_clamped(lane_program *p, const struct half_line *f, lane_value x);
/* f from h, or from -h if `negated`. */
lane_value half_line_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h,
                            bool negated);
/* f from sign(x) h(|x|), ODD and POINT only. */
lane_value half_line_signed_result(lane_program *p, const struct half_line *f, lane_value x, lane_value h);

void half_line_describe(struct text *out, const struct half_line *f);

#endif
