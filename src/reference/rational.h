/* Exact values of an expression's nodes that are rational, or rational multiples of pi, or logarithms of
 * rational numbers: 0.1*x - 0.3 is zero at x = 3, sin(pi*x) at all whole numbers, and exp(x*log(10)) is 100
 * at 2, which no interval of binary numbers shows. */
#ifndef ACTGEN_RATIONAL_H
#define ACTGEN_RATIONAL_H

#include "interval.h"

enum rational_form {
    RATIONAL_UNKNOWN,
    RATIONAL_PLAIN,
    RATIONAL_TIMES_PI,
    RATIONAL_LOGARITHM, /* of the value, which is positive and not 1 */
};

struct rationals { /* by place in the evaluator's nodes */
    mpq_t *value;
    enum rational_form *form;
    uint32_t count;
};

bool rationals_create(struct rationals *r, uint32_t count); /* false without memory */
void rationals_clear(struct rationals *r);

/* Finds the value of the node at `place` from those of its operands; `truth` is that of an `if`'s
 * condition. */
void rationals_evaluate(struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                        enum truth truth, mpfr_srcptr const *inputs);
/* Returns the node's interval, or its truth value, what is known of it. */
void rationals_refine(const struct rationals *r, uint32_t place, const expr *node, const uint32_t *operands,
                      interval *value);

#endif
