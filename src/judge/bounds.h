/* Bounds as numbers: how much of one a measured error uses up, and which one an error keeps. */
#ifndef ACTGEN_BOUNDS_H
#define ACTGEN_BOUNDS_H

#include "judge.h"

/* The error in the bound's own measure. */
double bound_error(const struct spec_bound *bound, const struct tally *t);

/* The part of the bound that `error` takes, 1 being all of it. What the rounding of the result makes of
 * itself is known, and is taken off both: all of it for results of 16 bits, whose value has bits to spare;
 * for f32, whose last bits may be those of the arithmetic, less and less towards twice that rounding (1 ulp),
 * and nothing from there on, nor below 0.51 ulp, where a sample does not show what is beyond the rounding:
 * such bounds are left to correct rounding. Nothing for f64, whose samples see a share of the inputs that is
 * next to none. */
double bound_share(const struct spec_bound *bound, enum element_type result, double error);

/* The least bound of the kind and interval of `like` of which `error` takes at most `share`, rounded up to a
 * number that is good to read: a power of two for an absolute one. */
struct spec_bound bound_kept(const struct spec_bound *like, enum element_type result, double error,
                             double share);

/* Makes the bound a tighter one: a quarter, at last 1 ulp; false if it has come there, or is tighter. */
bool bound_tighten(struct spec_bound *bound, enum element_type result);

/* Whether a correctly rounded result keeps the bound, and hardly anything else may: less than 1 ulp. */
bool bound_is_near_rounding(const struct spec_bound *bound, enum element_type result);

#endif
