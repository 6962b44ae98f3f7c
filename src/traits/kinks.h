/* Where a formula of one variable may bend, vanish or jump: inputs that samples must not miss. */
#ifndef ACTGEN_KINKS_H
#define ACTGEN_KINKS_H

#include "expr.h"

/* Calls `visit` with the formula's own numbers, and with the places where its parts that are linear in x
 * are zero or equal to what they are compared with (1/6*x + 1/2 in a clamp: -3 and 3). Approximate: look
 * at the neighbours, too. */
void formula_kinks(arena *memory, const expr *formula, void (*visit)(void *context, double x), void *context);

#endif
