/* Inside the reference room: the state of a reference, and the loop over precisions. */
#ifndef ACTGEN_ZIV_H
#define ACTGEN_ZIV_H

#include "evaluate.h"
#include "reference.h"

struct quick; /* quick.h */
struct quick_long;
void quick_clear(struct quick *q); /* NULL is fine */
void quick_long_clear(struct quick_long *q);

struct reference {
    struct arena_guest guest; /* of the arena of `root` */
    arena *memory;
    unsigned input_count;
    const expr *root; /* as written */
    struct evaluator written, simplified;
    bool same;                         /* the simplified form is the written one: its evaluator is unused */
    mpfr_t *points;                    /* the inputs as MPFR numbers */
    mpfr_srcptr *inputs;               /* pointers to them, for the evaluators */
    mpfr_t rounded;                    /* for results on their way to a format */
    struct quick *quick;               /* of reference_quick, or NULL */
    struct quick_long *quick_long;     /* of reference_quick_long */
    const struct beginning *beginning; /* of reference_begin, or NULL */
    uint64_t work;
    struct progress *progress; /* may be NULL */
    struct limit {             /* of a function of one input, once asked: they take long */
        bool known;
        enum reference_state state;
        double value;
        bool exact_zero;
    } limits[2]; /* at -infinity, +infinity */
};

/* What would be enough to know. */
struct goal {
    unsigned bits; /* if not 0: this many correct bits, into `out` */
    mpfr_ptr out;
    const struct float_format *format; /* else the bits of the value rounded to this format */
    bool near_is_enough;               /* to a tie: see ziv.c */
    mpfr_ptr scratch;
    double value;   /* the result then; NaN where undefined */
    bool is_narrow; /* else: the value is known to many bits, or all but zero, and its rounding is not */
    bool exact_zero;
};

/* MPFR's exponent range and flags, while a call runs. */
struct range {
    mpfr_exp_t emin, emax;
    mpfr_flags_t flags;
};
struct range range_widen(void);
void range_restore(struct range saved);

/* Evaluates at r->points (finite or infinite, no NaN) with levels `first` to `last`. An undefined value is
 * decided: NaN. */
enum reference_state ziv(struct reference *r, struct goal *goal, unsigned first, unsigned last);

/* The limit where some of r->points are infinite, to a double. */
enum reference_state limit_at_infinity(struct reference *r, struct goal *goal);

#endif
