/* Sums and products as lists, for simplify.c. Numbers are EXPR_NUMBER nodes, so that they live in the
 * DAG's arena. */
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

struct terms { /* constant + sum of terms, or constant * product of terms */
    struct term *list;
    uint32_t count;
    const expr *constant;
};

bool simplify_is_broken(const struct simplifier *s, const char *rule);

const expr *number_add(struct simplifier *s, const expr *a, const expr *b);
const expr *number_multiply(struct simplifier *s, const expr *a, const expr *b);
const expr *number_scale(struct simplifier *s, const expr *a, long factor);
const expr *number_power(struct simplifier *s, const expr *a,
                         long exponent); /* a^exponent, |exponent| <= 64, a != 0 if < 0 */

struct terms terms_new(struct simplifier *s, const expr *constant);
void terms_add(struct simplifier *s, struct terms *t, const expr *base, const expr *number);
/* Sorts by structure, merges equal bases, drops zeros. Number bases of a product with integer exponents
 * join the constant. */
void terms_merge(struct simplifier *s, struct terms *t, bool is_sum);

/* Adds factor * e to the sum, e^exponent to the product; sums in sums and products in products are opened. */
void collect_sum(struct simplifier *s, struct terms *sum, const expr *e, const expr *factor);
void collect_product(struct simplifier *s, struct terms *product, const expr *e, const expr *exponent);
/* exp(a)^n exp(b)^m becomes exp(n a + m b). */
void merge_exponentials(struct simplifier *s, struct terms *product);

struct terms terms_of_sum(struct simplifier *s, const expr *e,
                          const expr *factor); /* of factor * e, merged */

const expr *build_sum(struct simplifier *s, const struct terms *sum);
const expr *build_product(struct simplifier *s, const struct terms *product);
bool leads_negative(const expr *e); /* the first term has a negative coefficient */

/* simplify.c's own, needed by the parts */
const expr *simplify_sum(struct simplifier *s, struct terms *sum);
/* The whole sum in a form in which less cancels (simplify_sums.c); NULL if no rule fits. */
const expr *simplify_whole_sum(struct simplifier *s, const struct terms *sum);
/* log(factor * u), factor > 0, of a sum of exponentials, without any that overflows; NULL for another u. */
const expr *simplify_log_of_exponentials(struct simplifier *s, const expr *factor, const expr *u);
/* log(factor * f) of expm1 and erfc, whose values are beside 1 on one side; NULL for others. */
const expr *simplify_log_near_one(struct simplifier *s, const expr *factor, const expr *f);
/* Compares a - b with 0 where the rules for sums make one term of that, and 1 or -1 where that is never 0;
 * `e` is a comparison, of the operands a and b. */
const expr *simplify_comparison(struct simplifier *s, const expr *e, const expr *const *operand);
const expr *simplify_product(struct simplifier *s, struct terms *product);
/* (c + c exp(u))^-1 is sigmoid(-u)/c, and (c exp(v) + c exp(u))^-1 is exp(-v) sigmoid(v - u)/c: returns true
 * for c > 0, and sets *base to the sigmoid, *factor to the rest. */
bool simplify_logistic(struct simplifier *s, const expr *e, const expr **base, const expr **factor);
const expr *simplify_power(struct simplifier *s, const expr *base, const expr *exponent);
const expr *simplify_function(struct simplifier *s, enum expr_kind kind, const expr *u);
const expr *simplify_scale(struct simplifier *s, const expr *e, long factor); /* factor * e */
const expr *simplify_multiply(struct simplifier *s, const expr *a, const expr *b);
const expr *simplify_add(struct simplifier *s, const expr *a, const expr *b, long factor_of_b);

#endif
