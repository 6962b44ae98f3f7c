/* Polynomials around roots, where a formula cancels. */
#ifndef ACTGEN_F64_PATCH_H
#define ACTGEN_F64_PATCH_H

#include "lane.h"
#include "reference.h"

enum { F64_MOST_PATCHES = 8, F64_PATCH_TERMS = 24 };

/* The polynomial d^power * sum of coefficient[k] d^k, where d = x - (root + root_low + root_last) and
 * |d| <= width. */
struct f64_patch {
    double root, root_low, root_last, width;
    unsigned power, terms;
    double coefficient[F64_PATCH_TERMS], constant_low;
    bool odd;         /* Rounds to odd, for a caller that rounds to f32. Otherwise rounds to nearest. */
    double beyond[2]; /* relative terms added for x > 0 and x < 0: see f64_patch_start */
};
/* Fits a polynomial around the root next to `near`. The root's order is at most 4, except at 0. Returns false
 * if the function is not smooth there. */
bool f64_patch_fit(struct f64_patch *out, reference *truth, double near);
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
