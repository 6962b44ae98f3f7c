/* Declarations that the files of logistic plans share. */
#ifndef ACTGEN_LOGISTIC_H
#define ACTGEN_LOGISTIC_H

#include "ended.h"
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

/* Returns the part of the bound as a relative error, where a result's last place counts least. */
double logistic_part_of_bound(const struct shape_context *context, double part);

/* The variable v of a formula that serves both sides, whose f decays where v falls below `low`. */
struct logistic_argument {
    lane_value above;  /* v, clamped to `low`, unless a mask takes the clamp's place */
    lane_value held;   /* `above`, clamped to `high` as well */
    lane_value beyond; /* Tells where f has ended, for a mask. 0 otherwise. */
};
struct logistic_argument logistic_argument(lane_program *p, lane_value v, double low, double high,
                                           struct ended end);

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
