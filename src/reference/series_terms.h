/* Arithmetic of series, for series.c. */
#ifndef ACTGEN_SERIES_TERMS_H
#define ACTGEN_SERIES_TERMS_H

#include "expr.h"

#include <limits.h>

enum {
    SERIES_UNIT = 720, /* powers are multiples of 1/720: halves, thirds, ... sixteenths */
    SERIES_MOST_TERMS = 16,
    SERIES_MOST_POWERS = 8 /* of what is put into another series */
};
#define SERIES_EXACT (LONG_MAX / 8) /* the order of no rest at all */
#define SERIES_BEYOND                                                                                        \
    (SERIES_EXACT - 1) /* the order of a rest that is smaller than every power, such as exp(-1/h) */

enum series_state {
    SERIES_IS_SUM,   /* of terms and a rest */
    SERIES_IS_TRUTH, /* a truth value, which is known */
    SERIES_IS_NAN,   /* there is no real value on this side */
    SERIES_IS_OPEN,  /* not found */
};

struct series_term {
    long power; /* of h, in units */
    const expr *factor;
};

/* Powers rise; factors are no number 0, but may be formulas that are 0. The rest is O(h^order). */
struct series {
    enum series_state state;
    bool truth;
    const expr
        *condition; /* of a truth value that is open: the one that other inputs decide; NULL: none is known */
    unsigned count;
    long order;
    struct series_term term[SERIES_MOST_TERMS];
};

/* -- factors -- */

/* Where factors are made: in a DAG of their own, since each of them is simplified, which walks over it. */
struct factors {
    expr_dag *dag;
    uint64_t *work; /* nodes that may still be visited; at 0 all factors are 0, and mean nothing */
    long window;    /* terms are kept from the first one's power on, to below that and this */
};
struct factors factors_new(arena *memory, uint64_t *work, long window);
bool factors_failed(const struct factors *f);
const expr *factor_simplified(struct factors *f, const expr *e); /* of any DAG */
const expr *factor_plus(struct factors *f, const expr *a, const expr *b);
const expr *factor_times(struct factors *f, const expr *a, const expr *b);
enum { SIGN_UNKNOWN = 2 };
int factor_sign(struct factors *f, const expr *factor); /* -1, 0 (see series_equal), 1 or SIGN_UNKNOWN */

/* -- series -- */
struct series series_open(enum series_state state); /* SERIES_IS_NAN or SERIES_IS_OPEN */
struct series series_constant(const expr *value);
struct series series_rest(long order); /* O(h^order) alone */
/* Either operand's state, if that is no sum; SERIES_IS_SUM if both are sums. */
enum series_state series_both(const struct series *a, const struct series *b);
struct series series_plus(struct factors *f, const struct series *a, const struct series *b);
struct series series_times(struct factors *f, const struct series *a, const struct series *b);
struct series series_scaled(struct factors *f, const struct series *a, const expr *factor);
struct series series_minus(struct factors *f, const struct series *a, const struct series *b);
/* a^exponent, of the real values. */
struct series series_power(struct factors *f, const struct series *a, mpq_srcptr exponent);
/* Drops first terms that are 0; then returns the sign beside the point, or SIGN_UNKNOWN. */
int series_sign(struct factors *f, struct series *a);
/* Returns the first factor, where other inputs decide its sign, and by that the sign of all; NULL if they do
 * not. Where that factor is 0, two kinks meet in one point, and limits may be others. */
const expr *series_deciding_factor(const struct series *a);
/* The number of powers of `moving` that the window has, at least 1; at most SERIES_MOST_POWERS. */
unsigned series_powers(const struct factors *f, const struct series *moving);
/* The sum of derivative[k]/k! (a - a's constant term)^k; `count` derivatives, and a rest. a has no negative
 * powers. */
struct series series_taylor(struct factors *f, const struct series *a, const expr *const *derivative,
                            unsigned count);
/* The other terms and the rest. */
struct series series_moving(const struct series *a);
/* The constant term, 0 if there is none. */
const expr *series_at_zero(struct factors *f, const struct series *a);

#endif
