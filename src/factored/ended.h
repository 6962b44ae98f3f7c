/* The end of a function that decays: beyond it results are zero. A clamp of x, or a mask, marks the end.
 *
 * Intel's processors take some 80 ns for a vscalefps whose n lies between -520 and -126, and some 50 ns for a
 * product between 2^-160 and 2^-126. A clamp of x lets the program compute such values for all x beyond the
 * end. Where one instruction multiplies by 2^n, a mask lets that instruction leave out these lanes. The mask
 * is one comparison, which takes the place of the clamp. */
#ifndef ACTGEN_ENDED_H
#define ACTGEN_ENDED_H

#include "shape.h"

struct ended {
    bool by_mask;
    double zero; /* f's values beyond the end: 0 or -0 */
};
/* Finds the end of f, on its negative side if `side` is 1. */
struct ended ended_on_side(const struct shape_context *context, unsigned side);
/* Returns f's zero where `beyond` is true, and y elsewhere. y may be anything beyond the end, even NaN. */
lane_value ended_value(const struct ended *e, lane_program *p, lane_value beyond, lane_value y);

#endif
