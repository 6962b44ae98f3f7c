/* A record of the traits of a formula of one value. Each trait is found when it is first asked for, and then
 * kept. All shapes, stages and bounds of a search share one record. It is for one thread at a time. */
#ifndef ACTGEN_TRAITS_H
#define ACTGEN_TRAITS_H

#include "exact_tiny.h"
#include "factor.h"
#include "lines.h"
#include "reference.h"

struct progress;

/* The value of the formula as written at an end of its argument's range, or at a zero. */
struct traits_end {
    double x;
    bool is_known;
    double value;
    bool is_zero; /* the value is exactly zero, so its sign means nothing */
};
enum { TRAITS_ENDS = 4 };

struct traits {
    arena *memory;
    const expr *written, *simplified; /* formulas of EXPR_INPUT 0 */
    bool is_wide;                     /* argument and result are f64; otherwise f32 or less */
    bool is_algebraic;                /* expr_is_algebraic of the simplified formula */
    reference *truth;                 /* reference of the formula as written, for zeros and infinities */
    /* The reference of the simplified formula, for fits. It answers at once where the written formula cancels
     * and would climb to thousands of bits. If the simplification is wrong, the fit is wrong, and judging the
     * plan finds that. */
    reference *fitted;
    struct traits_found *found;
};

/* Creates a record in `memory`, which also holds the formulas and must outlive the record. `progress` may be
 * NULL. Returns NULL if memory runs out. */
struct traits *traits_create(arena *memory, const expr *written, const expr *simplified, bool is_wide,
                             struct progress *progress);
void traits_free(struct traits *t); /* NULL is fine */

/* Each returns NULL if there is no such trait, or if the reference cannot decide it. Results live as long as
 * the record. */
const struct symmetry *traits_symmetry(struct traits *t);
const struct line *traits_asymptote(struct traits *t, bool negative);
const struct factor *traits_factor(struct traits *t);      /* see factor_find */
const struct factor *traits_factor_part(struct traits *t); /* see factor_find_part */
/* Returns the record of g, and c, if the formula is g(x - c). g must decay and mirror itself as
 * factor_find_part tells. */
struct traits *traits_centred(struct traits *t, quad *c);

/* Finds m with f(x) ~ |x|^m next to 0 on that side. Returns false if there is no such m up to `largest`,
 * which is at most TRAITS_MOST_POWER. */
enum { TRAITS_MOST_POWER = 12 };
bool traits_leading_power(unsigned *m, unsigned largest, struct traits *t, bool negative);

/* Returns the values at -infinity, infinity, -0 and 0. */
const struct traits_end *traits_ends(struct traits *t);
/* Returns each place of formula_kinks once, for the formula as written. */
const double *traits_kinks(struct traits *t, unsigned *count);
/* Returns inputs next to roots, including 0 if f vanishes there. Other roots are found as far as f32 numbers
 * show them. */
const double *traits_roots(struct traits *t, unsigned *count);
/* Returns the behaviour at 0 of the formula as written. See exact_tiny.h. */
const struct exact_tiny *traits_tiny(struct traits *t);

#endif
