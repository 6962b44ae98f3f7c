/* Quick values: doubles with a bound on their error, by forward error analysis.
 *
 * They assume only IEEE double arithmetic, rounded to nearest. quick_math.h has functions of its own, whose
 * errors QUICK_FUNCTION bounds. A bound is infinite, and the value unknown, where the analysis is no longer
 * linear and next to an overflow, a pole or a NaN. */
#ifndef ACTGEN_QUICK_H
#define ACTGEN_QUICK_H

#include "expr.h"

#include <stddef.h>

/* quick_lanes_long.c compiles this code again for long doubles. Their 64 bits tell the error of an f64 result
 * to some hundredths of an ulp. */
#ifdef QUICK_LONG
typedef long double quick_real;
#define quick_lanes    quick_long_lanes
#define quick_operand  quick_long_operand
#define quick_op       quick_long_op
#define quick_op_table quick_long_op_table
#define quick_ops      quick_long_ops
#else
typedef double quick_real;
#endif

enum { QUICK_BLOCK = 128 }; /* inputs per block, so that a node's lanes stay in the first-level cache */

/* Values and errors with |value - exact| <= error. An error is never NaN, and it is infinite unless the value
 * is finite. Truth values are 0 or 1. Their error is 0 if they are known, QUICK_UNCERTAIN if they may be
 * either, and infinity if they may be undefined. */
struct quick_lanes {
    quick_real value[QUICK_BLOCK], error[QUICK_BLOCK];
};
#define QUICK_UNCERTAIN 1.0

/* Computes one node for lanes 0 .. count-1. `r` is none of the operands. Operands beyond the arity are not
 * read. */
typedef const struct quick_lanes *quick_operand;
typedef void quick_op(struct quick_lanes *restrict r, quick_operand a, quick_operand b, quick_operand c,
                      size_t count);

/* Functions by kind of expression, NULL for leaves. A cast is to f32. A power has its exponent in b, the same
 * in all lanes. One table runs on any processor. The others are the same code compiled for larger vectors. */
typedef quick_op *const quick_op_table[EXPR_KIND_COUNT];
#ifdef QUICK_LONG
extern const quick_op_table quick_ops_long;
#else
extern const quick_op_table quick_ops_plain, quick_ops_avx2, quick_ops_avx512;
#endif
/* Returns the i-th of the tables that this processor can run, best first, and NULL past the end. */
const quick_op_table *quick_ops(size_t i);

#endif
