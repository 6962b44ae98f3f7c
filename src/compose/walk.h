/* The state of the walk over a formula, for the files that walk it. */
#ifndef ACTGEN_WALK_H
#define ACTGEN_WALK_H

#include "compose.h"

struct walk {
    struct composer *composer;
    struct number *value; /* values by node id, a condition is in `high` */
    /* By node id: true if the node is used outside of the branch below. NULL if there is no branch. */
    bool *outside;
    float branch[2]; /* the inputs for which a condition chooses the branch */
    const expr *const *nodes;
    uint32_t count;
    const bool *wanted; /* by node id */
};

static inline struct number value_of(const struct walk *w, const expr *e) { return w->value[e->id]; }

/* Returns true if the node is a constant number. */
static inline bool is_folded(const expr *e) { return expr_is_constant(e) && !expr_is_truth(e); }

/* Returns true if the factor belongs below the fraction bar because its exponent is negative. */
static inline bool is_divisor(const expr *e) { return e->kind == EXPR_POWER && mpq_sgn(e->number) < 0; }

enum { MOST_CONSTANTS = 16 }; /* The constant factors of a product that are folded into one. */

/* Finds the factor of a product whose other factors are constants, and multiplies these. `constants` has
 * COMPOSE_CONSTANT_BITS. Returns NULL if there is no such factor. */
const expr *product_single_factor(mpfr_ptr constants, const expr *product);

/* Returns a product as one quotient, with the constant factors folded into one number. */
struct number product_as_quotient(struct walk *w, const expr *e);

#endif
