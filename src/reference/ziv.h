/* Internals of the reference room: the state of a reference, and the loop over precisions. */
#ifndef ACTGEN_ZIV_H
#define ACTGEN_ZIV_H

#include "evaluate.h"
#include "reference.h"

struct quick; /* quick.h */
struct quick_long;
void quick_clear(struct quick *q); /* NULL is fine */
void quick_long_clear(struct quick_long *q);
/* Computes one quick value for all inputs from -reach to reach: |value - f(x)| <= error for each x. */
void quick_around_zero(reference *r, double reach, double *value, double *error);

struct reference {
    struct arena_guest guest; /* guest of the arena of `root` */
    arena *memory;
    unsigned input_count;
    const expr *root; /* the formula as written */
    struct evaluator written, simplified;
    /* the simplified form is the written form, and its evaluator is unused */
    bool same;
    mpfr_t *points;                    /* the inputs as MPFR numbers */
    mpfr_srcptr *inputs;               /* pointers to them, for the evaluators */
    mpfr_t rounded;                    /* scratch for results on their way to a format */
    struct quick *quick;               /* state of reference_quick, or NULL */
    struct quick_long *quick_long;     /* state of reference_quick_long, or NULL */
    const struct beginning *beginning; /* given by reference_begin, or NULL */
    uint64_t work;
    struct progress *progress; /* may be NULL */
    struct limit {             /* limits of a function of one input, kept because they take long to find */
        bool known;
        enum reference_state state;
        double value;
        bool exact_zero;
    } limits[2]; /* limits at -infinity, +infinity */
};

/* The answer that is asked for. */
struct goal {
    unsigned bits; /* if not 0: number of correct bits wanted in `out` */
    mpfr_ptr out;
    const struct float_format *format; /* if bits is 0: the format that the value is rounded to */
    /* within 2^-88 of a tie, or within 2^-1100 of zero, either neighbour will do: see ziv.c */
    bool near_is_enough;
    mpfr_ptr scratch;
    double value; /* the rounded result; NaN if undefined */
    /* the value is known to many bits, or is almost zero, even if its rounding is undecided */
    bool is_narrow;
    bool exact_zero;
};

/* MPFR's exponent range and flags, saved while a call runs. */
struct range {
    mpfr_exp_t emin, emax;
    mpfr_flags_t flags;
};
struct range range_widen(void);
void range_restore(struct range saved);

/* Evaluates at r->points (finite or infinite, no NaN) with levels `first` to `last`. An undefined value
 * counts as decided and gives NaN. */
enum reference_state ziv(struct reference *r, struct goal *goal, unsigned first, unsigned last);

/* Computes, to a double, the limit where some of r->points are infinite. */
enum reference_state limit_at_infinity(struct reference *r, struct goal *goal);

#endif
