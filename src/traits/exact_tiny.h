/* The behaviour of a function at 0, for correct rounding. Near 0 it is x or x^2 times a fraction of few bits,
 * and the side of the other terms breaks ties. */
#ifndef ACTGEN_EXACT_TINY_H
#define ACTGEN_EXACT_TINY_H

#include "reference.h"

/* For 0 < |x| <= limit, f(x) rounds like c x^power, moved by an arbitrarily small amount to the side of
 * `next`. If c x^power is not a tie, its distance from a tie is larger than the other terms. */
struct exact_tiny {
    struct exact_side {
        float limit;        /* 0 if unknown */
        double top, bottom; /* c = top / bottom; top x^power is exact in f64, and bottom is an integer */
        unsigned power;     /* 1 or 2 */
        int next;           /* sign of f(x)/(c x^power) - 1, which breaks ties; 0 if there is no other term */
    } side[2];              /* x > 0, x < 0 */
};
void exact_tiny_find(struct exact_tiny *out, reference *truth);
/* Computes f(x) / x^power at x = sign * 2^exponent to about 2000 bits. Returns false if it is not a number or
 * is 0. `out` must have been initialized, and its precision is set here. */
bool exact_slope(mpfr_t out, reference *truth, unsigned power, double sign, int exponent);
double exact_tiny_lead(const struct exact_side *side, float x); /* returns c x^power */
/* Returns f(x) rounded to f32. x is not 0, and |x| is at most the limit of its side. */
float exact_tiny_value(const struct exact_side *side, float x);
void exact_tiny_values(const struct exact_side *side, size_t count, const float *restrict x,
                       float *restrict out);

#endif
