/* Evaluation of one expression on intervals, at several precisions. */
#ifndef ACTGEN_EVALUATE_H
#define ACTGEN_EVALUATE_H

#include "magnitude.h"
#include "progress.h"
#include "rational.h"

/* The precisions, which are tried one after another. */
/* the levels after LEVEL_USUAL are for ties: reference_rounded_far */
enum { LEVEL_USUAL = 8, LEVEL_COUNT = 10 };
extern const mpfr_prec_t level_precision[LEVEL_COUNT];

struct evaluator {
    const expr **nodes;      /* operands before their users; the root is last */
    uint32_t (*operands)[3]; /* places in `nodes` */
    uint32_t count;
    struct level *levels[LEVEL_COUNT]; /* made when first used */
    struct rationals rationals;        /* made when first used */
    struct progress *progress;         /* progress of long evaluations; may be NULL */
};

/* Prepares the evaluator. Its tables live in the arena, whose escape must be set. Its levels come from
 * malloc. */
void evaluator_prepare(struct evaluator *e, arena *memory, const expr *root);
void evaluator_clear(struct evaluator *e);

/* Computes the root's interval, which is valid until the next call. `inputs[k]` is the exact value of input
 * k, which may be infinite but not NaN. Sets `strained` if some value left MPFR's exponent range. Returns
 * NULL if memory runs out, or if the work was stopped. Changes MPFR's flags. */
const interval *evaluator_run(struct evaluator *e, unsigned level, mpfr_srcptr const *inputs, bool *strained);

/* Evaluates node number `i` from the intervals of its operands. `values` and `magnitudes` have one entry for
 * each node. `magnitudes` may be NULL. Values beyond MPFR's range then say little. */
void evaluator_step(const struct evaluator *e, interval *values, struct magnitude *magnitudes,
                    interval *scratch, uint32_t i, mpfr_srcptr const *inputs);

/* Returns the interval of node number `node` if the node depends on no input and is no truth value, else
 * NULL. */
const interval *evaluator_constant(struct evaluator *e, unsigned level, uint32_t node);
/* Returns the truth value of node number `node` if the node is one and depends on no input, else
 * TRUTH_UNKNOWN. */
enum truth evaluator_truth(struct evaluator *e, unsigned level, uint32_t node);

#endif
