/* Errors of results against exact values, whatever the type, and what was found of them. */
#ifndef ACTGEN_TALLY_H
#define ACTGEN_TALLY_H

#include "reference.h"
#include "types.h"

/* What was found so far. The places are inputs' bit patterns in the argument's type: f64's, else f32's. */
struct tally {
    uint64_t inputs, undecided, wrong, bits_compared, bits_differ;
    uint64_t settled, asked; /* of the inputs: by an enclosure of many at once, by the reference; the others
                                by quick values */
    double max_ulp, max_abs;
    uint64_t max_ulp_at, max_abs_at;
    bool decided_any; /* the maxima are of something */
};
void tally_note(struct tally *t, uint64_t at, double ulp, double absolute); /* one input's errors */
struct tally tally_merge(struct tally a, struct tally b);
/* Returns it with its places as f64, so that tallies of different arguments can be merged. */
struct tally tally_widened(struct tally t, enum element_type argument);
/* The place as a number. */
double tally_place(uint64_t bits, enum element_type argument);

/* (high + low) * 2^exponent, 1 <= |high| <= 2; or what `high` says. */
struct exact_value {
    double high, low; /* high: 0, infinite or NaN too */
    long exponent;
    bool zero; /* the sign of the zero means nothing */
    bool undecided;
};
/* The function's value at its input to 106 bits, or at several that are finite. */
void exact_value_find(struct exact_value *out, reference *truth, const double *x);
struct exact_value exact_value_of(double value, bool zero);

struct result_error {
    double ulp;      /* in units of the format's spacing at the exact value: docs/language.md, accuracy */
    double absolute; /* divided by max(1, |exact|) */
};
/* Returns the error of a result of the format at the input x. A zero of the wrong sign is infinitely many
 * ulps off where its sign matters. */
struct result_error result_error_of(const struct float_format *f, double computed,
                                    const struct exact_value *exact, double x, bool sign_matters);

#endif
