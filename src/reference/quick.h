/* Quick values: doubles with a bound on their error, by forward error analysis.
 *
 * IEEE double arithmetic to nearest is all that is assumed: quick_math.h has functions of its own, whose
 * bounds QUICK_FUNCTION covers. Bounds that are no longer linear, and everything next to an overflow, a pole
 * or a NaN, are infinite: unknown. */
#ifndef ACTGEN_QUICK_H
#define ACTGEN_QUICK_H

#include "evaluate.h"
#include "reference.h"

/* quick_long.c compiles the same once more for long doubles, whose 64 bits tell the error of an f64 to some
 * hundredths of an ulp. */
#ifdef QUICK_LONG
typedef long double quick_real;
#define quick_lanes     quick_long_lanes
#define quick_operand   quick_long_operand
#define quick_op        quick_long_op
#define quick_op_table  quick_long_op_table
#define quick_ops       quick_long_ops
#define quick           quick_long
#define quick_clear     quick_long_clear
#define reference_quick reference_quick_long
#else
typedef double quick_real;
#endif

enum { QUICK_BLOCK = 128 }; /* inputs in one go: a node's lanes stay in the first-level cache */

/* |value - exact| <= error, which is never NaN, and infinite unless value is finite. Truth values are 0 or 1;
 * their error is 0 if it is known, QUICK_UNCERTAIN if it may be either, infinity if it may be undefined. */
struct quick_lanes {
    quick_real value[QUICK_BLOCK], error[QUICK_BLOCK];
};
#define QUICK_UNCERTAIN 1.0

/* One node for lanes 0 .. count-1. `r` is none of the operands, of which those beyond the arity are not read.
 */
typedef const struct quick_lanes *quick_operand;
typedef void quick_op(struct quick_lanes *restrict r, quick_operand a, quick_operand b, quick_operand c,
                      size_t count);

/* By kind of expression; NULL for leaves. A cast is to f32; a power's exponent is b, the same in all lanes.
 * One table for any processor, and the same code for others' vectors. */
typedef quick_op *const quick_op_table[EXPR_KIND_COUNT];
#ifdef QUICK_LONG
extern const quick_op_table quick_ops_long;
#else
extern const quick_op_table quick_ops_plain, quick_ops_avx2, quick_ops_avx512;
#endif
/* Quick values of all inputs from -reach to reach as one: |value - f(x)| <= error for each. */
void quick_around_zero(reference *r, double reach, double *value, double *error);

/* The tables that this processor can run, best first; NULL past the end. */
const quick_op_table *quick_ops(size_t i);

#endif
