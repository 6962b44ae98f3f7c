/* Declarations that the two files of logistic plans share. */
#ifndef ACTGEN_LOGISTIC_H
#define ACTGEN_LOGISTIC_H

#include "lane.h"
#include "logistic_ratio.h"
#include "shape.h"

/* The relative errors to which E is fitted for a bound in ulps, the largest first. */
enum { LOGISTIC_MOST_ERRORS = 3 };
struct logistic_errors {
    double list[LOGISTIC_MOST_ERRORS];
    unsigned count;
};
struct logistic_errors logistic_errors_in_ulps(const struct shape_context *context);

/* Returns a t from which on t^power exp(q(t)) is less than `least`. */
double logistic_end(const struct factor_polynomial *q, unsigned power, double least);

/* Returns top / (bottom + lost), where `lost` is small. Nearly all of its error is the last rounding. If
 * `beyond` is not 0, it is added to the top. The quotient is NaN where it should be infinite, unless it
 * `may_overflow`, which takes an operation. */
lane_value logistic_careful_quotient(lane_program *p, lane_value top, lane_value beyond, lane_value bottom,
                                     lane_value lost, bool may_overflow);

/* Makes candidates that serve both sides of 0 by one formula, see logistic_product.c. */
size_t logistic_product_candidates(struct candidate *out, size_t room, const struct factor *f,
                                   const struct logistic_form *form, const struct shape_context *context);

#endif
