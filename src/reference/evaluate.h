/* One expression on intervals, at several precisions. */
#ifndef ACTGEN_EVALUATE_H
#define ACTGEN_EVALUATE_H

#include "progress.h"
#include "rational.h"

/* Precisions that are tried one after another. */
enum { LEVEL_USUAL = 8, LEVEL_COUNT = 10 }; /* the last ones are for ties: reference_rounded_far */
extern const mpfr_prec_t level_precision[LEVEL_COUNT];

struct evaluator {
    const expr **nodes;      /* operands before users; the last is the root */
    uint32_t (*operands)[3]; /* places in `nodes` */
    uint32_t count;
    struct level *levels[LEVEL_COUNT]; /* made when first used */
    struct rationals rationals;        /* likewise */
    struct progress *progress;         /* of long evaluations; may be NULL */
};

/* The tables live in the arena, whose escape must be set; the levels are malloc's. */
void evaluator_prepare(struct evaluator *e, arena *memory, const expr *root);
void evaluator_clear(struct evaluator *e);

/* The root's interval, valid until the next call; `inputs[k]` is the exact value of input k (infinities
 * allowed, no NaN). `strained` tells that something left MPFR's exponent range. NULL without memory, or
 * stopped. MPFR's flags are changed. */
const interval *evaluator_run(struct evaluator *e, unsigned level, mpfr_srcptr const *inputs, bool *strained);

/* Evaluates node number `i` from the intervals of its operands: one for each node, in `values`. */
void evaluator_step(const struct evaluator *e, interval *values, interval *scratch, uint32_t i,
                    mpfr_srcptr const *inputs);

/* The interval of node number `node`, if it depends on no input and is no truth value; else NULL. */
const interval *evaluator_constant(struct evaluator *e, unsigned level, uint32_t node);
/* Returns true if node number `node` holds, if it is a truth value that depends on no input. */
enum truth evaluator_truth(struct evaluator *e, unsigned level, uint32_t node);

#endif
