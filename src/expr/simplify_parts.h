/* Sums and products as lists, for simplify.c. Numbers are EXPR_NUMBER nodes, so that they live in the arena
 * of the DAG. */
#ifndef ACTGEN_SIMPLIFY_PARTS_H
#define ACTGEN_SIMPLIFY_PARTS_H

#include "expr.h"

struct simplifier {
    expr_dag *dag;
    arena *memory;
    const char *broken_rule;
};

struct term { /* of a sum: number * base; of a product: base ^ number */
    const expr *base, *number;
};

struct terms { /* constant + the sum of the terms, or constant * the product of the terms */
    struct term *list;
    uint32_t count;
    const expr *constant;
};

bool simplify_is_broken(const struct simplifier *s, const char *rule);

static inline const expr *number_zero(struct simplifier *s) { return expr_integer(s->dag, 0); }
static inline const expr *number_one(struct simplifier *s) { return expr_integer(s->dag, 1); }
static inline bool number_is_zero(const expr *n) { return expr_is_number(n, 0, 1); }
static inline bool number_is_integer(const expr *n) { return !mpz_cmp_ui(mpq_denref(n->number), 1); }
const expr *number_add(struct simplifier *s, const expr *a, const expr *b);
const expr *number_multiply(struct simplifier *s, const expr *a, const expr *b);
const expr *number_scale(struct simplifier *s, const expr *a,
                         long factor); /* Returns a^exponent. |exponent| is at most 64, and a is not 0 if the
                                          exponent is negative. */
const expr *number_power(struct simplifier *s, const expr *a, long exponent);

struct terms terms_new(struct simplifier *s, const expr *constant);
void terms_add(struct simplifier *s, struct terms *t, const expr *base, const expr *number);
/* Sorts by structure, merges equal bases and drops zeros. In a product, a number to an integer power joins
 * the constant. */
void terms_merge(struct simplifier *s, struct terms *t, bool is_sum);

/* Add factor * e to the sum, and e^exponent to the product. Sums in sums and products in products are
 * opened. */
void collect_sum(struct simplifier *s, struct terms *sum, const expr *e, const expr *factor);
void collect_product(struct simplifier *s, struct terms *product, const expr *e, const expr *exponent);
/* Replaces exp(a)^n * exp(b)^m by exp(n*a + m*b). */
void merge_exponentials(struct simplifier *s, struct terms *product);

/* Returns the merged terms of factor * e. */
struct terms terms_of_sum(struct simplifier *s, const expr *e, const expr *factor);
/* Returns the merged factors of number * e. */
struct terms terms_of_product(struct simplifier *s, const expr *e, const expr *number);
/* Returns true if the formula contains an infinity or 1/0. Then 0 times the formula, the formula minus itself
 * and a quotient of powers of it have no value. */
bool simplify_has_pole(struct simplifier *s, const expr *e);
/* Returns the exponent of `base` among the factors, or 0 if it is none of them. */
const expr *terms_exponent(struct simplifier *s, const struct terms *factors, const expr *base);

const expr *build_sum(struct simplifier *s, const struct terms *sum);
const expr *build_product(struct simplifier *s, const struct terms *product);
bool leads_negative(const expr *e); /* the first term has a negative coefficient */

/* Functions of simplify.c that the parts need. */
const expr *simplify_sum(struct simplifier *s, struct terms *sum);
/* Returns the whole sum in a form in which less cancels (simplify_sums.c), or NULL if no rule fits. */
const expr *simplify_whole_sum(struct simplifier *s, const struct terms *sum);
/* Returns log(factor * u) of a sum of exponentials, without any that overflows, for factor > 0. Returns
 * NULL for another u. */
const expr *simplify_log_of_exponentials(struct simplifier *s, const expr *factor, const expr *u);
/* Returns log(factor * f) of expm1 and erfc, whose values are near 1 on one side. Returns NULL for others. */
const expr *simplify_log_near_one(struct simplifier *s, const expr *factor, const expr *f);
/* Returns the comparison `e` of the operands a and b. It compares a - b with 0 if the rules for sums make
 * one term of the difference. It compares 1 or -1 with 0 if the difference is never 0. */
const expr *simplify_comparison(struct simplifier *s, const expr *e, const expr *const *operand);
const expr *simplify_product(struct simplifier *s, struct terms *product);
/* Gathers powers of one base in a merged product, and powers of abs and sign (simplify_powers.c). Returns
 * true if a rule fits. The product then has to be merged again. */
bool simplify_powers(struct simplifier *s, struct terms *product);
/* Returns true if e >= 0 wherever e has a value. Powers of such a base multiply and add up. */
bool simplify_is_nonnegative(const expr *e);
/* Returns a merged sum of quotients with terms over a common denominator, if terms of the numerator cancel
 * (simplify_quotients.c). Returns NULL if none do. */
const expr *simplify_quotients(struct simplifier *s, const struct terms *sum);
/* Returns a merged sum with 2*max(u, 0)*rest in place of abs(u)*rest + u*rest, which cancels for u < 0.
 * Returns NULL if it has no such pair. */
const expr *simplify_absolute_pairs(struct simplifier *s, const struct terms *sum);
/* Returns true for c + c*exp(u) and c*exp(v) + c*exp(u) with c > 0. The reciprocals are sigmoid(-u)/c and
 * exp(-v)*sigmoid(v - u)/c. Sets *base to the sigmoid and *factor to the rest. */
bool simplify_logistic(struct simplifier *s, const expr *e, const expr **base, const expr **factor);
const expr *simplify_power(struct simplifier *s, const expr *base, const expr *exponent);
const expr *simplify_function(struct simplifier *s, enum expr_kind kind, const expr *u);
/* Returns factor * e. */
const expr *simplify_scale(struct simplifier *s, const expr *e, long factor);
const expr *simplify_multiply(struct simplifier *s, const expr *a, const expr *b);
const expr *simplify_add(struct simplifier *s, const expr *a, const expr *b, long factor_of_b);

#endif
