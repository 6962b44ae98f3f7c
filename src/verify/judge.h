/* Judges results of one piece against the reference: see verify.h for what counts as an error. */
#ifndef ACTGEN_JUDGE_H
#define ACTGEN_JUDGE_H

#include "enclosure.h"
#include "scan.h"
#include "verify.h"

#include "reference.h"

enum { JUDGE_BLOCK = SCAN_BLOCK };

/* What was found so far. The places are inputs' bit patterns. */
struct tally {
    uint64_t inputs, undecided, wrong, bits_compared, bits_differ;
    double max_ulp, max_abs;
    uint32_t max_ulp_at, max_abs_at;
    bool decided_any; /* the maxima are of something */
};
struct tally tally_merge(struct tally a, struct tally b);

struct judge { /* for one thread at a time */
    const struct verify_piece *piece;
    reference *truth;
    struct enclosure *enclosure;
    double inputs[64];
    mpfr_t precise;
    bool distrust; /* the quick reference has contradicted the reference: never ask it */
    double lanes[JUDGE_BLOCK];
    struct scan scan;
};

bool judge_init(struct judge *j, const struct verify_piece *piece); /* false without memory */
void judge_clear(struct judge *j);

/* `computed` are the results at `x`, count <= JUDGE_BLOCK. Errors that certainly are within the bound and
 * below the maxima of `tally` are passed without asking the reference, unless `ask_all`; then it also sets
 * j->distrust. */
void judge_block(struct judge *j, const float *x, const float *computed, size_t count, bool ask_all,
                 struct tally *tally);

/* The error of `computed` where the exact value, rounded to double, is `exact`: in units of the spacing at
 * `exact`. */
double judge_ulps(double computed, double exact);

#endif
