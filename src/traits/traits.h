/* The record of what a formula of one value tells of itself. Each trait is found when it is first asked for,
 * and kept: all shapes, stages and bounds of a search share one record. For one thread at a time. */
#ifndef ACTGEN_TRAITS_H
#define ACTGEN_TRAITS_H

#include "exact_tiny.h"
#include "factor.h"
#include "lines.h"
#include "reference.h"

struct progress;

/* What the formula as written is at an end of its argument's range, or at a zero. */
struct traits_end {
    double x;
    bool is_known;
    double value;
    bool is_zero; /* exactly, so that the sign of `value` is nobody's */
};
enum { TRAITS_ENDS = 4 };

struct traits {
    arena *memory;
    const expr *written, *simplified; /* of EXPR_INPUT 0 */
    bool is_wide;                     /* argument and result are f64, else f32 or less */
    bool is_algebraic;                /* expr_is_algebraic of the simplified formula */
    reference *truth;                 /* of the formula as written: zeros and infinities are asked of it */
    /* The reference of the simplified formula: what is fitted is asked of it, since it answers at once where
     * the written one cancels and climbs to thousands of bits. A fit that is wrong because the simplification
     * was is found when the plan is judged. */
    reference *fitted;
    struct traits_found *found;
};

/* In `memory`, which is the formulas' and outlives it; `progress` may be NULL. NULL without memory. */
struct traits *traits_create(arena *memory, const expr *written, const expr *simplified, bool is_wide,
                             struct progress *progress);
void traits_free(struct traits *t); /* NULL is fine */

/* Each is NULL where there is none, or the reference cannot say. They live as long as the record. */
const struct symmetry *traits_symmetry(struct traits *t);
const struct line *traits_asymptote(struct traits *t, bool negative);
const struct factor *traits_factor(struct traits *t);      /* see factor_find, */
const struct factor *traits_factor_part(struct traits *t); /* and factor_find_part */
/* If the formula is g(x - c), and g decays and mirrors itself as factor_find_part tells: the record of g, and
 * c. */
struct traits *traits_centred(struct traits *t, quad *c);

/* m, if f(x) ~ |x|^m next to 0 on that side; false if there is no such m up to `largest`, which is
 * TRAITS_MOST_POWER at most. */
enum { TRAITS_MOST_POWER = 12 };
bool traits_leading_power(unsigned *m, unsigned largest, struct traits *t, bool negative);

/* The values at -infinity, infinity, -0 and 0. */
const struct traits_end *traits_ends(struct traits *t);
/* Each of those that formula_kinks tells, of the formula as written, once. */
const double *traits_kinks(struct traits *t, unsigned *count);
/* Inputs next to roots: 0, too, if f vanishes there; the others as far as f32 numbers tell. */
const double *traits_roots(struct traits *t, unsigned *count);
/* See exact_tiny.h, of the formula as written. */
const struct exact_tiny *traits_tiny(struct traits *t);

#endif
