/* How a function begins at 0, for correct rounding: x times a number of few bits, and the side on which the rest
 * lies, which breaks the ties. */
#ifndef ACTGEN_EXACT_TINY_H
#define ACTGEN_EXACT_TINY_H

#include "reference.h"

/* For 0 < |x| <= limit, f(x) rounds as c x moved by nothing to the side of `next` does: c x is exact in f64, and
 * the other terms are below 2^-30 of it. */
struct exact_tiny {
    struct exact_side {
        float limit; /* 0: not known */
        double c;    /* of few bits */
        int next;    /* sign of f(x)/(c x) - 1: what breaks ties; 0 if f(x) = c x */
    } side[2];       /* x > 0, x < 0 */
};
void exact_tiny_find(struct exact_tiny *out, reference *truth);
/* f(x) rounded to f32; |x| is at most the limit of its side, and not 0. */
float exact_tiny_value(const struct exact_side *side, float x);
void exact_tiny_values(const struct exact_side *side, size_t count, const float *restrict x,
                       float *restrict out);

#endif
