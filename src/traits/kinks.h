/* Inputs where a formula of one variable may bend, vanish or jump, and which samples must not miss. */
#ifndef ACTGEN_KINKS_H
#define ACTGEN_KINKS_H

#include "expr.h"

/* Calls `visit` with the numbers in the formula. Also calls it with the zeros of the parts that are linear in
 * x, and with the inputs where such parts equal what they are compared with. For 1/6*x + 1/2 in a clamp these
 * are -3 and 3. The places are approximate, so look at their neighbours, too. */
void formula_kinks(arena *memory, const expr *formula, void (*visit)(void *context, double x), void *context);

#endif
