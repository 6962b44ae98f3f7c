/* Derivatives as the language promises them, also at kinks. */
#ifndef ACTGEN_CALCULUS_H
#define ACTGEN_CALCULUS_H

#include "expr.h"

/* The work done on all derivatives of a file, which has limits. */
struct calculus {
    uint32_t steps;        /* the sizes of the formulas */
    uint64_t work_on_ties; /* in nodes that are visited. At the limit of slopes.c some kinks may be missed. */
    const expr *refused;   /* a function whose derivative was wanted and is no formula, or NULL */
};

/* Returns d e / d input. At kinks it follows the rules of docs/language.md. */
const expr *derivative_of(struct calculus *c, expr_dag *dag, const expr *e, const expr *input);
/* Returns the derivative of `e`, a formula of input 0, as a formula of the value of `e`, which becomes
 * input 0. Returns NULL if this version finds none, and the reason in *problem. */
const expr *derivative_from_result(expr_dag *dag, const expr *e, const char **problem);

#endif
