/* Polynomials around roots, where a formula cancels. */
#ifndef ACTGEN_F64_PATCH_H
#define ACTGEN_F64_PATCH_H

#include "lane.h"
#include "reference.h"

enum { F64_MOST_PATCHES = 8, F64_PATCH_TERMS = 24 };

/* d^power * sum of coefficient[k] d^k, d = x - (root + root_low + root_last), |d| <= width */
struct f64_patch {
    double root, root_low, root_last, width;
    unsigned power, terms;
    double coefficient[F64_PATCH_TERMS], constant_low;
    bool odd;         /* rounded to odd, for who rounds to f32; else to nearest */
    double beyond[2]; /* added in relative terms for x > 0 and x < 0: see f64_patch_start */
};
/* Around the root next to `near`, of an order up to 4; at 0 of any. False if the function is not smooth
 * there. */
bool f64_patch_fit(struct f64_patch *out, reference *truth, double near);
/* Around 0, at most so wide, for who rounds the value to f32 as if it were exact. Where c x^m is a tie, as it
 * is for every 10000th x if c is 1.7159, the next term decides, be it 2^-400 of it: the value is moved to its
 * side by more than the arithmetic leaves out (2^-104), and less than c x^m may be away from other ties. */
bool f64_patch_start(struct f64_patch *out, reference *truth, double widest);
/* Its value at x where that is near enough, else `y`. */
lane_value f64_patch_build(const struct f64_patch *patch, lane_program *p, lane_value x, lane_value y);

#endif
