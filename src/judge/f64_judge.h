/* Judges computed results of f64 against the reference: what judge.h is for f32. The reference takes some 20 microseconds
 * an input; its quick values, a fiftieth of that, pass what certainly is within the bound. */
#ifndef ACTGEN_F64_JUDGE_H
#define ACTGEN_F64_JUDGE_H

#include "judge.h"

/* The exact value at one input: (high + low) * 2^exponent to 106 bits, 1 <= |high| <= 2; or what `high` says. */
struct f64_exact {
    double high, low; /* high: 0, infinite or NaN too */
    long exponent;
    bool zero; /* the sign of the zero means nothing */
    bool undecided;
};

/* The function is that whose reference this is, which takes input number `variable` (below 64). */
void f64_exact_value(struct f64_exact *out, reference *truth, uint32_t variable, double x);

struct f64_error {
    double ulp;      /* in units of f64's spacing at the exact value: docs/language.md, accuracy */
    double absolute; /* divided by max(1, |exact|) */
};
struct f64_error f64_error_of(double computed, const struct f64_exact *exact, double x, bool sign_matters);

/* Counts one result into `tally`, for `bound`; inputs outside of its interval are passed over. */
void f64_judge_one(struct tally *tally, const struct spec_bound *bound, double x, double computed,
                   const struct f64_exact *exact);

/* What one thread has learned of a piece so far; start with {0}. */
struct f64_learned {
    bool distrust; /* quick values have contradicted the reference: it is asked each time */
    /* In a binade whose exact values no f64 shows, the reference says a few times what the sign of zero is. */
    uint64_t binade;
    unsigned asked, negative;
};

/* For verification: `computed` are the results at `x`, of a piece whose argument and result are f64. Undecided inputs and
 * those beyond the bound are counted, and the maxima kept. Errors that certainly are within the bound and below the maxima
 * are passed without asking the reference, unless `ask_all`. `truth` is of the piece's formula with piece->variable + 1 inputs; for one thread at a time. */
void f64_judge_block(struct tally *tally, const struct piece *piece, reference *truth, const double *x,
                     const double *computed, size_t count, bool ask_all, struct f64_learned *learned);

#endif
