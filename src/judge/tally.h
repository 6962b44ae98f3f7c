/* Errors of results compared with exact values, for every type, and tallies of them. */
#ifndef ACTGEN_TALLY_H
#define ACTGEN_TALLY_H

#include "reference.h"
#include "types.h"

/* The findings so far. A place is the bit pattern of an input in the argument's type: f64, or f32 for all
 * others. */
struct tally {
    uint64_t inputs, undecided, wrong, bits_compared, bits_differ;
    /* The inputs decided by an enclosure of many at once, and by the reference. Quick values decide the
     * others. */
    uint64_t settled, asked;
    double max_ulp, max_abs;
    uint64_t max_ulp_at, max_abs_at;
    uint64_t undecided_at; /* the undecided input with the least bits, if `undecided` is not 0 */
    bool decided_any;      /* the maxima are valid */
};
/* Adds one input's errors. */
void tally_note(struct tally *t, uint64_t at, double ulp, double absolute);
/* Adds an input that the reference cannot decide. */
void tally_note_undecided(struct tally *t, uint64_t at);
struct tally tally_merge(struct tally a, struct tally b);
/* Returns the tally with its places as f64, so that tallies of different arguments can be merged. */
struct tally tally_widened(struct tally t, enum element_type argument);
/* Returns the place as a number. */
double tally_place(uint64_t bits, enum element_type argument);

/* (high + low) * 2^exponent with 1 <= |high| <= 2. If `high` is 0, infinite or NaN, the value is `high`. */
struct exact_value {
    double high, low; /* may be 0, infinite or NaN */
    long exponent;
    bool zero; /* the sign of the zero means nothing */
    bool undecided;
};
/* Finds the function's value at its input, or at several finite inputs, to 106 bits. */
void exact_value_find(struct exact_value *out, reference *truth, const double *x);
struct exact_value exact_value_of(double value, bool zero);

struct result_error {
    double ulp;      /* in units of the format's spacing at the exact value: docs/language.md, accuracy */
    double absolute; /* divided by max(1, |exact|) */
};
/* Returns the error of a result of the format at the input x. Where the sign of a zero matters, a zero of the
 * wrong sign has an error of infinitely many ulps. */
struct result_error result_error_of(const struct float_format *f, double computed,
                                    const struct exact_value *exact, double x, bool sign_matters);

#endif
