/* Where a sequence of intervals goes: values of one node at arguments that grow. */
#ifndef ACTGEN_SETTLING_H
#define ACTGEN_SETTLING_H

#include "interval.h"

/* Returns log2 |x|, within some ulps: 2^63 of an infinity, -2^63 of 0. */
double size_of(mpfr_srcptr x);

struct trail {
    const interval *const *sample; /* in order of the arguments */
    const double *octaves;         /* log2 of the arguments */
    unsigned count;
    bool waves; /* what each says holds for all arguments near it: none may be left out as too wide */
};

/* Returns true if the last samples have certainly no value. */
bool trail_is_undefined(const struct trail *t);
/* Returns true if there are last samples that tell something. */
bool trail_has_values(const struct trail *t);
/* The truth that the last samples have. */
enum truth trail_truth(const struct trail *t);
/* The sign that the last samples have: 1 or -1, 0 where they have none. `exact` tells that all are exactly
 * zero. */
int trail_sign(const struct trail *t, bool *exact);
/* Returns true if all samples are as good as one number, which is put into `number`. */
bool trail_is_constant(interval *number, const struct trail *t);
/* Puts the limit into `limit`: a number by its last values, 0, or an infinity. False if it is not seen. */
bool trail_limit(interval *limit, const struct trail *t);

#endif
