/* The limit of a formula along a ray, on which some inputs are infinite and grow together. */
#ifndef ACTGEN_TAILS_H
#define ACTGEN_TAILS_H

#include "ziv.h"

struct tail {
    bool is_known;
    bool is_undefined; /* the formula has no value far out */
    double value;      /* if known, else NaN */
    bool is_exact;     /* a zero far out, too */
    bool any_sign;     /* of a zero: it is exact, or comes from both sides */
    bool waves;        /* sines and steps of what grows without end take part */
};

enum tail_form {
    TAIL_ALONG_WAVES, /* a sine of what grows has all of its values everywhere */
    TAIL_AFTER_WAVES, /* it has its own, which count where they cancel, as in sin(x)^2 + cos(x)^2 */
};

/* Finds the limit of the formula in `e`, with numbers of `bits` bits; r->points are the inputs. Where several
 * are infinite, each grows twice as fast as the one before, or, if `reversed`, as the one after. Nothing is
 * known of formulas of too many nodes. False without memory, or stopped. */
bool tail_find(struct tail *out, struct reference *r, const struct evaluator *e, enum tail_form form,
               mpfr_prec_t bits, bool reversed);

#endif
