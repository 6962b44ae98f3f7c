/* Quick values: doubles with a bound on their error, by forward error analysis.
 *
 * Assumptions: IEEE double arithmetic to nearest; libm's functions are within 8 ulp (glibc states at most 6
 * for those used). Bounds that are no longer linear, and everything next to an overflow, a pole or a NaN, are
 * infinite: unknown. */
#ifndef ACTGEN_QUICK_H
#define ACTGEN_QUICK_H

#include "evaluate.h"

#include <math.h>

typedef struct quick_number {
    double value,
        error; /* |value - exact| <= error, which is never NaN, and infinite unless value is finite */
} quick_number;

#define QUICK_ROUNDING                                                                                       \
    0x1.001p-53 /* one rounding, relative, with room for the roundings of the bounds themselves */
#define QUICK_LIBM 0x1.01p-50 /* 8 ulp */
#define QUICK_TINY                                                                                           \
    0x1p-1020 /* the same two below the normal numbers; itself normal, as subnormals can be slow */
#define QUICK_GROW (1 + 0x1p-48) /* roundings in computing a bound */

/* The end of every bound. A NaN becomes infinity: the comparison is false. */
static inline double quick_bound(double error)
{
    error *= QUICK_GROW;
    return error < INFINITY ? error : INFINITY;
}

quick_number quick_power(quick_number a, double exponent); /* a > 0; the exponent may be a rounded one */
#define FUNCTION(name) quick_number quick_##name(quick_number a);
#include "functions.def"
#undef FUNCTION

enum { QUICK_BLOCK = 128 }; /* inputs in one go: a node's lanes stay in the first-level cache */

struct quick_lanes {
    double value[QUICK_BLOCK], error[QUICK_BLOCK];
};

/* The lanes of one expression's nodes; made when first needed. Truth values are 0 or 1, of infinite error if
 * unknown. */
struct quick {
    struct quick_lanes *lanes; /* by place in the evaluator's nodes, then QUICK_SCRATCH more */
};

/* The root's lanes for `count` <= QUICK_BLOCK inputs from number `first` on; NULL without memory. */
const struct quick_lanes *quick_run(struct quick *q, struct evaluator *e, const double *const *inputs,
                                    size_t first, size_t count);
void quick_clear(struct quick *q);

#endif
