/* A band around a line in which a formula's values lie over an interval of inputs.
 *
 * Next to 0 and far from it the functions of networks are lines but for less than an f32 shows: there a few
 * operations bound the error of each result, instead of the formula's. */
#ifndef ACTGEN_BAND_H
#define ACTGEN_BAND_H

#include "enclosure.h"

/* |f(x) - (slope x + centre)| <= radius, as the line comes out in doubles, one rounding an operation */
struct band {
    bool known;
    double slope, centre, radius;
    double least, most; /* of |f(x)|, at least and at most */
};

/* Over the interval of the last enclosure_of(). */
struct band band_find(struct enclosure *e);

/* Whether each result differs from the line by `distance` at most, and, with `no_zero`, none is a zero. */
bool band_holds(const struct band *band, const float *x, const float *computed, size_t count, double distance,
                bool no_zero);

#endif
