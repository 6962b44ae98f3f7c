/* Bounds as numbers: the part of a bound that an error uses up, and the bound that an error keeps. */
#ifndef ACTGEN_BOUNDS_H
#define ACTGEN_BOUNDS_H

#include "judge.h"

/* Returns the error in the unit of the bound. */
double bound_error(const struct spec_bound *bound, const struct tally *t);

/* Returns the part of the bound that `error` takes, where 1 is all of it. The error of rounding the result is
 * known, and is subtracted from both.
 *
 *     - 16-bit results: all of that error. Their values have bits to spare.
 *     - f32: less and less of it towards twice that error (1 ulp), and nothing from there on. The last bits
 *       may be those of the arithmetic. For a bound below 0.51 ulp, nothing is subtracted either, because a
 *       sample does not show errors beyond the rounding. Such bounds are left to correct rounding.
 *     - f64: nothing, because a sample sees a negligible share of the inputs. */
double bound_share(const struct spec_bound *bound, enum element_type result, double error);

/* Returns the least bound of which `error` takes at most `share`. It has the kind and interval of `like`. It
 * is rounded up to a number that is easy to read, which is a power of two for an absolute bound. */
struct spec_bound bound_kept(const struct spec_bound *like, enum element_type result, double error,
                             double share);

/* Divides the bound by four, but not below 1 ulp. Returns false if the bound is already 1 ulp or less. */
bool bound_tighten(struct spec_bound *bound, enum element_type result);

/* Returns whether the bound is less than 1 ulp, but not less than correct rounding. Hardly anything but a
 * correctly rounded result keeps such a bound. */
bool bound_is_near_rounding(const struct spec_bound *bound, enum element_type result);

#endif
