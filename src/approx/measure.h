/* How far a lane program of one f32 variable is from the true value: decided by the reference, found quickly.
 *
 * The reference's quick values with their error bounds rule out that an input breaks the bound or beats the worst so far;
 * only where they cannot is the reference itself asked. So what is reported is always the reference's word. One struct is
 * for one thread; results of several are merged. */
#ifndef ACTGEN_MEASURE_H
#define ACTGEN_MEASURE_H

#include "interp.h"
#include "reference.h"
#include "spec.h"

struct error_report {
    double max_ulp, max_abs;       /* in ulps of the exact value; |error| / max(1, |y|) */
    float max_ulp_at, max_abs_at;
    uint64_t inputs;
    uint64_t wrong;                /* beyond the bound, or a wrong NaN, infinity or sign of zero */
    float first_wrong;
    uint64_t undecided;            /* by the reference: never passed */
};

/* `a` with what `b` saw: of equal errors the input with the smaller bit pattern stays, whatever the order of merging. */
void error_report_merge(struct error_report *a, const struct error_report *b);

enum { MEASURE_BLOCK = 1024 };

struct measure {
    reference *truth;
    struct spec_bound bound;
    struct error_report report;
    double known_ulp, known_abs; /* errors seen elsewhere: smaller ones need not be decided here */
    double inputs[MEASURE_BLOCK], quick[MEASURE_BLOCK], quick_error[MEASURE_BLOCK];
    unsigned char suspect[MEASURE_BLOCK];
};

/* `truth` stays the caller's. BOUND_DEFAULT counts as 3 ulp. */
void measure_init(struct measure *m, reference *truth, struct spec_bound bound);
/* Judges y[i] as the computed value at x[i]. */
void measure_values(struct measure *m, const float *x, const float *y, size_t count);

/* The bound as the language writes it: "3 ulp", "abs 2^-22"; the text is in `out`. */
enum { BOUND_TEXT_SIZE = 96 };
void bound_print(char out[BOUND_TEXT_SIZE], const struct spec_bound *bound);

#endif
