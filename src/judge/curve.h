/* A polynomial that runs close to a formula over a block of neighbours. Its error is not bounded, so that it
 * decides nothing. It costs a few products for each input, and shows which results are worth judging. */
#ifndef ACTGEN_CURVE_H
#define ACTGEN_CURVE_H

#include "judge.h"

enum { CURVE_POINTS = 9 };

struct curve {
    /* The interpolated places, as -1 for the first input of the block and 1 for the end. */
    double place[CURVE_POINTS];
    double coefficient[CURVE_POINTS]; /* of Newton's form */
    double scale;                     /* places per input */
};

/* Interpolates the quick values of the judge's formula among the `count` inputs that begin with the bits
 * `first` and lie in one binade. Returns false if one of these values is unknown. */
bool curve_find(struct curve *c, struct judge *j, uint32_t first, uint32_t count);

/* Returns whether one of `count` results, which begin at input number `from` of the block, is farther from
 * the curve than the bound of the judge's piece allows. A NaN is at no distance. */
bool curve_is_left(const struct curve *c, const struct judge *j, uint32_t from, const float *computed,
                   size_t count);

#endif
