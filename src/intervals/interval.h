/* Intervals lo <= exact <= hi of MPFR numbers, and arithmetic on them with outward rounding.
 *
 * lo == hi is an exact value. An exact zero carries the sign that IEEE arithmetic gives it, so that poles
 * have a sign. An exact infinity (both ends) is a limit or a pole. An infinite end next to a finite end
 * stands for a finite value beyond MPFR's range.
 *
 * An open end is not the exact value itself, as 1 is not tanh(1000). It tells on which side of a tie the
 * exact value lies. Finding how far the value is from the tie could take thousands of bits.
 *
 * Results must not alias operands. All intervals of one operation have the same precision. */
#ifndef ACTGEN_INTERVAL_H
#define ACTGEN_INTERVAL_H

#include "expr.h"
#include "float_format.h"

#include <mpfr.h>
#include <stdbool.h>

enum interval_state {
    INTERVAL_DEFINED,
    INTERVAL_DOUBTFUL,  /* perhaps undefined; more precision may tell */
    INTERVAL_UNDEFINED, /* certainly undefined: log(-1), inf - inf, 0 / 0 */
};

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };

typedef struct interval {
    mpfr_t lo, hi;
    enum interval_state state; /* unless it is DEFINED, the ends mean nothing */
    enum truth truth;          /* result of comparisons, whose ends mean nothing */
    bool lo_open, hi_open;     /* lo < exact, exact < hi; false where that is not known */
} interval;

enum { INTERVAL_SCRATCH = 3 }; /* intervals that a function may overwrite */

void interval_init(interval *r, mpfr_prec_t precision);
void interval_clear(interval *r);

bool interval_is_point(const interval *a);    /* true if defined and exact */
bool interval_is_zero(const interval *a);     /* true if defined and exactly zero */
bool interval_is_infinite(const interval *a); /* true if defined and exactly an infinity */
bool interval_is_finite(const interval *a);   /* true if defined with finite ends */
bool interval_has_zero(const interval *a);    /* true if zero is between the ends, or one of them */
/* Return the end that is farther from zero, and the nearer one. */
mpfr_srcptr interval_far_end(const interval *a);
mpfr_srcptr interval_near_end(const interval *a);
/* Returns true if defined and within 2^-1100 of zero, on an unknown side or exactly zero. */
bool interval_is_nothing(const interval *a);
/* Passes an operand's doubt on. Returns true if `r` is done, because `a` or `b` is not defined. `b` may be
 * NULL. Also closes the ends of `r`, and they stay closed until an operation opens them. */
bool interval_inherit(interval *r, const interval *a, const interval *b);

void interval_copy(interval *r, const interval *a);
void interval_integer(interval *r, long value);
void interval_ratio(interval *r, mpq_srcptr value);
void interval_pi(interval *r);
void interval_doubtful(interval *r);
void interval_undefined(interval *r);
/* Finishes a function that was evaluated end by end. Makes NaN ends doubtful, and gives an exact zero one
 * sign. */
void interval_settle(interval *r);

void interval_add(interval *r, const interval *a, const interval *b);
void interval_sub(interval *r, const interval *a, const interval *b);
void interval_mul(interval *r, const interval *a, const interval *b);
void interval_div(interval *r, const interval *a, const interval *b);
void interval_neg(interval *r, const interval *a);
void interval_min(interval *r, const interval *a, const interval *b);
void interval_max(interval *r, const interval *a, const interval *b);
void interval_hull(interval *r, const interval *a, const interval *b);
void interval_power(interval *r, const interval *a, mpq_srcptr exponent, interval *scratch);
/* an integer type turns NaN into 0 */
void interval_cast(interval *r, const interval *a, enum element_type type);

/* Rounds x to nearest, ties to even. Numbers beyond the format's largest become an infinity. `out` needs at
 * least the precision of `x`. */
void round_to_format(mpfr_ptr out, mpfr_srcptr x, const struct float_format *format);

void interval_less(interval *r, const interval *a, const interval *b);
void interval_less_equal(interval *r, const interval *a, const interval *b);
void interval_equal(interval *r, const interval *a, const interval *b);

/* The elementary functions, interval_exp and so on. See functions.c. */
typedef void interval_function(interval *r, const interval *a, interval *scratch);
#define FUNCTION(name, ...) interval_function interval_##name;
#include "functions.def"
#undef FUNCTION

#endif
