/* The limit of a formula along a ray on which some inputs are infinite and grow together. */
#ifndef ACTGEN_TAILS_H
#define ACTGEN_TAILS_H

#include "ziv.h"

struct tail {
    bool is_known;
    bool is_undefined; /* the formula has no value far out */
    double value;      /* NaN unless known */
    bool is_exact;     /* for a zero: the formula is exactly 0 far out, not only in the limit */
    /* for a zero: its sign means nothing, because it is exact or is approached from both sides */
    bool any_sign;
    bool waves; /* sines or steps of a growing argument take part */
};

enum tail_form {
    TAIL_ALONG_WAVES, /* a sine of a growing argument counts as all values from -1 to 1 */
    /* a sine has its own value at each sample, so that sines can cancel, as in sin(x)^2 + cos(x)^2 */
    TAIL_AFTER_WAVES,
};

/* Finds the limit of the formula in `e` with numbers of `bits` bits. r->points are the inputs. If several are
 * infinite, each grows twice as fast as the one before, or as the one after if `reversed`. The limit stays
 * unknown for formulas of too many nodes. Returns false if memory runs out, or if the work was stopped. */
bool tail_find(struct tail *out, struct reference *r, const struct evaluator *e, enum tail_form form,
               mpfr_prec_t bits, bool reversed);

#endif
