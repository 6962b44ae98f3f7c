/* How a function begins at 0, for correct rounding: x or x^2 times a fraction of few bits, and the side on
 * which the rest lies, which breaks the ties. */
#ifndef ACTGEN_EXACT_TINY_H
#define ACTGEN_EXACT_TINY_H

#include "reference.h"

/* For 0 < |x| <= limit, f(x) rounds as c x^power moved by nothing to the side of `next` does: its distance
 * from a tie, if it is none, is more than the other terms are. */
struct exact_tiny {
    struct exact_side {
        float limit;        /* 0: not known */
        double top, bottom; /* c = top / bottom; top x^power is exact in f64, and bottom is an integer */
        unsigned power;     /* 1 or 2 */
        int next;           /* sign of f(x)/(c x^power) - 1: what breaks ties; 0 if there is no more */
    } side[2];              /* x > 0, x < 0 */
};
void exact_tiny_find(struct exact_tiny *out, reference *truth);
/* f(x) / x^power at x = sign * 2^exponent, to about 2000 bits; false if it is not a number, or is 0. `out`
 * must have been made, and gets its precision here. */
bool exact_slope(mpfr_t out, reference *truth, unsigned power, double sign, int exponent);
double exact_tiny_lead(const struct exact_side *side, float x); /* c x^power */
/* f(x) rounded to f32; |x| is at most the limit of its side, and not 0. */
float exact_tiny_value(const struct exact_side *side, float x);
void exact_tiny_values(const struct exact_side *side, size_t count, const float *restrict x,
                       float *restrict out);

#endif
