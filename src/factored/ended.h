/* The end of a function that decays: beyond it results are zero. A clamp of x, or a mask, marks the end.
 *
 * Intel's processors compute results below 2^-126 by microcode: a product between 2^-160 and 2^-126, or a
 * vscalefps whose n lies between -520 and -126. A clamp of x lets the program compute such values for all x
 * beyond the end. Where one instruction multiplies by 2^n, a mask lets that instruction leave out these
 * lanes. The mask is one comparison, which takes the place of the clamp. Where two products scale, the clamp
 * lies so far out that the last product is below 2^-162. */
#ifndef ACTGEN_ENDED_H
#define ACTGEN_ENDED_H

#include "shape.h"

/* Products below this size take no microcode. Measured on an Emerald Rapids, where 2^-160 still does. */
#define ENDED_QUIETLY 0x1p-162

struct ended {
    bool by_mask;
    double zero; /* f's values beyond the end: 0 or -0 */
};
/* Finds the end of f, on its negative side if `side` is 1. */
struct ended ended_on_side(const struct shape_context *context, unsigned side);
/* Returns the t where a program of f = share t^power exp(q(t)) may end: there f is 0. Without a mask f is so
 * small that its products take no microcode either. */
double ended_last(const struct factor_side *side, unsigned power, double share, const struct ended *e);
/* Returns x, clamped by LANE_MIN or LANE_MAX to `last`, and sets *beyond to 0. By a mask, returns x itself,
 * and in *beyond where the clamp would change it. */
lane_value ended_argument(const struct ended *e, lane_program *p, enum lane_op clamp, double last,
                          lane_value x, lane_value *beyond);
/* Returns `zero` where `beyond` is true, and y elsewhere. y may be anything beyond the end, even NaN. Returns
 * y if `beyond` is 0. */
lane_value ended_value(lane_program *p, lane_value beyond, double zero, lane_value y);

#endif
