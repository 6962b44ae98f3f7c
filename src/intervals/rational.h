/* Exact values of nodes that are rational numbers, rational multiples of pi, or logarithms of rational
 * numbers. With them 0.1*x - 0.3 is zero at x = 3, sin(pi*x) is zero at all whole numbers, and exp(x*log(10))
 * is 100 at x = 2. No interval of binary numbers shows this.
 *
 * Other nodes are next to a rational number, as tanh(1000) is below 1. Then 0.3*tanh(x) is below 0.3, and
 * rounds downwards where 0.3 x is a tie. */
#ifndef ACTGEN_RATIONAL_H
#define ACTGEN_RATIONAL_H

#include "interval.h"

enum rational_form {
    RATIONAL_UNKNOWN,
    RATIONAL_PLAIN,
    RATIONAL_TIMES_PI,
    RATIONAL_LOGARITHM, /* the logarithm of the stored value, which is positive and not 1 */
    RATIONAL_BELOW,     /* not known, but below the stored value */
    RATIONAL_ABOVE,     /* not known, but above the stored value */
};

struct rationals { /* indexed by place in the evaluator's nodes */
    mpq_t *value;
    enum rational_form *form;
    uint32_t count;
};

bool rationals_create(struct rationals *r, uint32_t count); /* Returns false if memory runs out. */
void rationals_clear(struct rationals *r);

/* Finds the value of the node at `place` from the values of its operands. For an `if`, `truth` is the truth
 * value of its condition. `intervals` has the intervals of all nodes up to this one. */
void rationals_evaluate(struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                        enum truth truth, mpfr_srcptr const *inputs, const interval *intervals);
/* Narrows the node's interval, or sets its truth value, where exact values are known. */
void rationals_refine(const struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                      interval *value);

#endif
