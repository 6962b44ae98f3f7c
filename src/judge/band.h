/* A band around a line that contains a formula's values over an interval of inputs.
 *
 * Near 0 and far from 0, the functions of networks are lines, apart from differences that f32 does not show.
 * There a few operations bound the error of each result, and the formula need not be evaluated. */
#ifndef ACTGEN_BAND_H
#define ACTGEN_BAND_H

#include "enclosure.h"

/* The band |f(x) - (slope x + centre)| <= radius. The line is computed in doubles, with one rounding per
 * operation. */
struct band {
    bool known;
    double slope, centre, radius;
    double least, most; /* |f(x)| is between these */
};

/* Finds the band over the interval of the last enclosure_of(). */
struct band band_find(struct enclosure *e);

/* Returns whether every result differs from the line by at most `distance`. With `no_zero`, also checks that
 * no result is a zero. */
bool band_holds(const struct band *band, const float *x, const float *computed, size_t count, double distance,
                bool no_zero);

#endif
