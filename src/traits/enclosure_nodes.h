/* The nodes of an enclosure, for code that continues from them. They hold the values of each node of the
 * formula over the interval that was asked for last. */
#ifndef ACTGEN_ENCLOSURE_NODES_H
#define ACTGEN_ENCLOSURE_NODES_H

#include "enclosure.h"

#include <gmp.h>

/* An exponent: a node, or a multiple of the input. */
struct exponent {
    const expr *power, *opposite; /* the exponent, and its negative; NULL if it is a multiple */
    /* The multiple if `power` is NULL. Sums of slopes are exact. NaN: only the exponent's value is known. */
    double slope;
};
static inline bool exponent_is_zero(const struct exponent *e) { return !e->power && e->slope == 0; }

struct node {
    const expr *e;
    uint32_t operand[3];
    struct exponent exponent; /* exponent of a function that can decay or grow */
    struct enclosed scale;    /* exp(rest), where the exponent is a multiple and a rest */
};

/* exp(exponent) * factor. This form compares values of opposite signs after both have decayed below all
 * doubles, as in the derivatives of the gated functions. It also gives products in which one factor decays as
 * the other grows. */
struct scaled {
    struct exponent exponent;
    struct enclosed at; /* the exponent's value over the interval */
    struct enclosed factor;
};

struct enclosure {
    struct arena_guest guest; /* guest of the expression's arena */
    arena *memory;
    uint32_t count;
    struct node *nodes;      /* operands before users */
    double low, high;        /* interval that was asked for last; empty if low > high */
    struct enclosed *values; /* indexed by node, over this interval */
    struct scaled *scaled;
};

/* Sets the exponents of the nodes that have one. */
void enclosure_find_exponents(struct enclosure *e);
/* Returns a node's value as a factor and an exponent. `plain` is its enclosure without. */
struct scaled enclosure_scaled_value(const struct enclosure *e, const struct node *n, struct enclosed plain);

/* Returns the enclosure of a value that is also known as a factor and an exponent. */
struct enclosed enclosed_narrowed(struct enclosed plain, const struct scaled *scaled);

/* Arithmetic on enclosures that are defined. */
struct enclosed enclosed_between(double low, double high);
struct enclosed enclosed_above(struct enclosed a, double low); /* clips to values strictly above `low` */
/* Clips to positive or negative values. Takes any enclosure. */
struct enclosed enclosed_signed(struct enclosed a, bool positive, bool negative);
struct enclosed enclosed_negative_of(struct enclosed a);
struct enclosed enclosed_sum(struct enclosed a, struct enclosed b);
struct enclosed enclosed_product(struct enclosed a, struct enclosed b);
struct enclosed enclosed_inverse(struct enclosed a);
struct enclosed enclosed_power(struct enclosed a, mpq_srcptr number);
struct enclosed enclosed_function(enum expr_kind kind, struct enclosed a);
struct enclosed enclosed_number(mpq_srcptr number);
/* Returns the intersection of two enclosures of one value. */
struct enclosed enclosed_common(struct enclosed a, struct enclosed b);

#endif
