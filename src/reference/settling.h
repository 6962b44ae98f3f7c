/* The limit of a sequence of intervals, the values of one node at growing arguments. */
#ifndef ACTGEN_SETTLING_H
#define ACTGEN_SETTLING_H

#include "interval.h"

/* Returns log2 |x| within some ulps, 2^63 for an infinity and -2^63 for 0. */
double size_of(mpfr_srcptr x);

struct trail {
    const interval *const *sample; /* in the order of the arguments */
    const double *octaves;         /* log2 of the arguments */
    unsigned count;
    bool waves; /* each sample holds for all arguments near it, so none may be left out as too wide */
};

/* Returns true if the last samples certainly have no value. */
bool trail_is_undefined(const struct trail *t);
/* Returns true if some samples at the end tell something. */
bool trail_has_values(const struct trail *t);
/* Returns the truth value of the last samples. */
enum truth trail_truth(const struct trail *t);
/* Returns the sign of the last samples: 1 or -1, or 0 if they have none. Sets `exact` if all of them are
 * exactly zero. */
int trail_sign(const struct trail *t, bool *exact);
/* Returns true if all samples are as good as one number, and puts that number into `number`. */
bool trail_is_constant(interval *number, const struct trail *t);
/* Puts the limit into `limit`: a number found from the last values, 0, or an infinity. Returns false if the
 * samples show no limit. */
bool trail_limit(interval *limit, const struct trail *t);

#endif
