/* Quick values: doubles with a bound on their error, by forward error analysis.
 *
 * Assumptions: IEEE double arithmetic to nearest; the functions of quick_math.h and libm's sin, cos and pow
 * are within QUICK_FUNCTION of their values. Bounds that are no longer linear, and everything next to an overflow, a pole or a NaN,
 * are infinite: unknown. */
#ifndef ACTGEN_QUICK_H
#define ACTGEN_QUICK_H

#include "evaluate.h"

enum { QUICK_BLOCK = 128 }; /* inputs in one go: a node's lanes stay in the first-level cache */

/* |value - exact| <= error, which is never NaN, and infinite unless value is finite. Truth values are 0 or 1;
 * their error is 0 if it is known, QUICK_UNCERTAIN if it may be either, infinity if it may be undefined. */
struct quick_lanes {
    double value[QUICK_BLOCK], error[QUICK_BLOCK];
};
#define QUICK_UNCERTAIN 1.0

/* One node for lanes 0 .. count-1. `r` is none of the operands, of which those beyond the arity are not read.
 */
typedef const struct quick_lanes *quick_operand;
typedef void quick_op(struct quick_lanes *restrict r, quick_operand a, quick_operand b, quick_operand c,
                      size_t count);

/* By kind of expression; NULL for leaves and powers. A cast is to f32. One table for any processor, and the
 * same code for others' vectors. */
typedef quick_op *const quick_op_table[EXPR_KIND_COUNT];
extern const quick_op_table quick_ops_plain, quick_ops_avx2, quick_ops_avx512;
/* The tables that this processor can run, best first; NULL past the end. */
const quick_op_table *quick_ops(size_t i);

/* The lanes of one expression's nodes; made when first needed. */
struct quick {
    const quick_op_table *ops;
    struct quick_lanes *lanes; /* by place in the evaluator's nodes, then some for scratch */
};

/* The root's lanes for `count` <= QUICK_BLOCK inputs from number `first` on; NULL without memory. */
const struct quick_lanes *quick_run(struct quick *q, struct evaluator *e, const double *const *inputs,
                                    size_t first, size_t count);
void quick_clear(struct quick *q);

#endif
