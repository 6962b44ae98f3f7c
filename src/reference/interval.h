/* Intervals lo <= exact <= hi of MPFR numbers, and arithmetic on them with outward rounding.
 *
 * lo == hi is an exact value; an exact zero carries the sign that IEEE arithmetic gives it, so that poles
 * have a sign. An exact infinity (both ends) is a limit or a pole; an infinite end beside a finite one is a
 * finite value beyond MPFR's range. An open end is not the exact value itself, as 1 is not tanh(1000): on
 * which side of a tie that value lies is then known without the thousands of bits that show how far it is.
 * Results must not alias operands; all of one operation have the same precision. */
#ifndef ACTGEN_INTERVAL_H
#define ACTGEN_INTERVAL_H

#include "expr.h"
#include "float_format.h"

#include <mpfr.h>
#include <stdbool.h>

enum interval_state {
    INTERVAL_DEFINED,
    INTERVAL_DOUBTFUL,  /* perhaps undefined: more precision may tell */
    INTERVAL_UNDEFINED, /* certainly: log(-1), inf - inf, 0 / 0 */
};

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };

typedef struct interval {
    mpfr_t lo, hi;
    enum interval_state state; /* unless DEFINED, the ends mean nothing */
    enum truth truth;          /* of comparisons, whose ends mean nothing */
    bool lo_open, hi_open;     /* lo < exact, exact < hi: false where that is not known */
} interval;

enum { INTERVAL_SCRATCH = 3 }; /* intervals that a function may use up */

void interval_init(interval *r, mpfr_prec_t precision);
void interval_clear(interval *r);

bool interval_is_point(const interval *a);    /* defined and exact */
bool interval_is_zero(const interval *a);     /* defined and exactly zero */
bool interval_is_infinite(const interval *a); /* defined and exactly an infinity */
bool interval_is_nothing(
    const interval *a); /* defined and within 2^-1100 of zero, on an unknown side or none */
/* Passes an operand's doubt on: true if `r` is done, because `a` (or `b`, may be NULL) is not defined. Its
 * ends are closed until something opens them. */
bool interval_inherit(interval *r, const interval *a, const interval *b);

void interval_copy(interval *r, const interval *a);
void interval_integer(interval *r, long value);
void interval_ratio(interval *r, mpq_srcptr value);
void interval_pi(interval *r);
void interval_doubtful(interval *r);
void interval_undefined(interval *r);
/* For functions evaluated end by end: makes NaN ends doubtful and gives an exact zero one sign. */
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
void interval_cast(interval *r, const interval *a, enum element_type type); /* NaN becomes an integer's 0 */

/* `out` needs at least the precision of `x`. To nearest, ties to even; beyond the largest number an infinity.
 */
void round_to_format(mpfr_ptr out, mpfr_srcptr x, const struct float_format *format);

void interval_less(interval *r, const interval *a, const interval *b);
void interval_less_equal(interval *r, const interval *a, const interval *b);
void interval_equal(interval *r, const interval *a, const interval *b);

/* The elementary functions, interval_exp and so on: functions.c. */
typedef void interval_function(interval *r, const interval *a, interval *scratch);
#define FUNCTION(name, ...) interval_function interval_##name;
#include "functions.def"
#undef FUNCTION

#endif
