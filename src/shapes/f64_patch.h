/* Polynomials around roots and for large x, where a formula cancels. */
#ifndef ACTGEN_F64_PATCH_H
#define ACTGEN_F64_PATCH_H

#include "lane.h"
#include "reference.h"

enum { F64_MOST_PATCHES = 8, F64_PATCH_TERMS = 24 };

/* The polynomial d^power * sum of coefficient[k] d^k for |d| <= width. d is x - (root + root_low +
 * root_last), or far from 0 it is 1/x. */
struct f64_patch {
    double root, root_low, root_last, width;
    unsigned power, terms;
    double coefficient[F64_PATCH_TERMS], constant_low;
    bool plain;       /* Words of f64 are enough, because the caller rounds to f32. Otherwise double words. */
    int far;          /* 1 for large x > 0 and -1 for large x < 0, where d is 1/x. Otherwise 0. */
    bool odd;         /* Rounds to odd, for a caller that rounds to f32. Otherwise rounds to nearest. */
    double beyond[2]; /* relative terms added for x > 0 and x < 0: see f64_patch_start */
};
/* Fits a polynomial around the root next to `near`. The root's order is at most 4, except at 0. Returns false
 * if the function is not smooth there. */
bool f64_patch_fit(struct f64_patch *out, reference *truth, double near);
/* Fits a polynomial of 1/x for large x > 0, or for large x < 0 if `side` is -1. There x - sqrt(x^2 - 1) and
 * pi/2 - atan(x) cancel. The value is one word of f64. Returns false if f does not vanish there like a
 * power series of 1/x. */
bool f64_patch_far(struct f64_patch *out, reference *truth, int side);
/* Fits a polynomial around 0, at most `widest` wide, for a caller that rounds the value to f32 as if the
 * value were exact.
 *
 * Where c x^m is a tie, the next term decides, even if it is only 2^-400 of c x^m. If c is 1.7159, every
 * 10000th x is such a tie. The value is therefore moved to the next term's side. The move is larger than the
 * error of the arithmetic (2^-104), and smaller than the distance from c x^m to another tie. */
bool f64_patch_start(struct f64_patch *out, reference *truth, double widest);
/* Returns the polynomial's value if x is near enough to the root, and `y` otherwise. */
lane_value f64_patch_build(const struct f64_patch *patch, lane_program *p, lane_value x, lane_value y);

#endif
