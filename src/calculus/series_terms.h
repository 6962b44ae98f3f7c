/* Arithmetic of series, for series.c. */
#ifndef ACTGEN_SERIES_TERMS_H
#define ACTGEN_SERIES_TERMS_H

#include "expr.h"

#include <limits.h>

enum {
    SERIES_UNIT = 720, /* powers are multiples of 1/720: halves, thirds, ... sixteenths */
    SERIES_MOST_TERMS = 16,
    SERIES_MOST_POWERS = 8 /* most powers of a series that is substituted into another */
};
/* The order of a remainder that is exactly 0. */
#define SERIES_EXACT (LONG_MAX / 8)
/* The order of a remainder that is smaller than every power of h, such as exp(-1/h). */
#define SERIES_BEYOND (SERIES_EXACT - 1)

enum series_state {
    SERIES_IS_SUM,   /* a sum of terms and a remainder */
    SERIES_IS_TRUTH, /* a known truth value */
    SERIES_IS_NAN,   /* there is no real value on this side */
    SERIES_IS_OPEN,  /* not found, or a truth value that is unknown */
};

struct series_term {
    long power; /* power of h, in units of 1 / SERIES_UNIT */
    const expr *factor;
};

/* A series. Powers rise. No factor is the number 0, but a factor may be a formula that equals 0. The
 * remainder is O(h^order). */
struct series {
    enum series_state state;
    bool truth;
    /* for an open truth value: the condition that other inputs decide; NULL if none is known */
    const expr *condition;
    unsigned count;
    long order;
    struct series_term term[SERIES_MOST_TERMS];
};

/* -- factors -- */

/* The place where factors are made: a DAG of their own, because simplifying a factor walks over its whole
 * DAG. */
struct factors {
    expr_dag *dag;
    uint64_t *work; /* nodes that may still be visited; at 0 all factors are 0 and mean nothing */
    long window;    /* terms are kept if their power is below that of the first term plus this */
};
struct factors factors_new(arena *memory, uint64_t *work, long window);
bool factors_failed(const struct factors *f);
const expr *factor_simplified(struct factors *f, const expr *e); /* `e` may be from any DAG */
const expr *factor_plus(struct factors *f, const expr *a, const expr *b);
const expr *factor_times(struct factors *f, const expr *a, const expr *b);
enum { SIGN_UNKNOWN = 2 };
int factor_sign(struct factors *f, const expr *factor); /* -1, 0 (see series_equal), 1 or SIGN_UNKNOWN */

/* -- series -- */
struct series series_open(enum series_state state); /* `state` is SERIES_IS_NAN or SERIES_IS_OPEN */
struct series series_constant(const expr *value);
struct series series_rest(long order); /* returns O(h^order) without terms */
/* Returns SERIES_IS_SUM if both operands are sums, else the state of an operand that is no sum. */
enum series_state series_both(const struct series *a, const struct series *b);
struct series series_plus(struct factors *f, const struct series *a, const struct series *b);
struct series series_times(struct factors *f, const struct series *a, const struct series *b);
struct series series_scaled(struct factors *f, const struct series *a, const expr *factor);
struct series series_minus(struct factors *f, const struct series *a, const struct series *b);
/* Computes a^exponent over the real values. */
struct series series_power(struct factors *f, const struct series *a, mpq_srcptr exponent);
/* Drops first terms that are 0. Then returns the sign next to the point, or SIGN_UNKNOWN. */
int series_sign(struct factors *f, struct series *a);
/* Returns the first factor if other inputs decide its sign, and with it the sign of the series. Else returns
 * NULL. Where that factor is 0, two kinks meet in one point, and limits may differ. */
const expr *series_deciding_factor(const struct series *a);
/* Returns how many powers of `moving` fit into the window, at least 1 and at most SERIES_MOST_POWERS. */
unsigned series_powers(const struct factors *f, const struct series *moving);
/* Computes the sum of derivative[k]/k! (a - a's constant term)^k over `count` derivatives, and a remainder.
 * `a` has no negative powers. */
struct series series_taylor(struct factors *f, const struct series *a, const expr *const *derivative,
                            unsigned count);
/* Returns `a` without its constant term. */
struct series series_moving(const struct series *a);
/* Returns the constant term, or 0 if there is none. */
const expr *series_at_zero(struct factors *f, const struct series *a);

#endif
