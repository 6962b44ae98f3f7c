/* Proofs for options.prove, after planning. Plans of f32 were tried on all inputs before the planner accepted
 * them (judge/everywhere.h). */
#ifndef ACTGEN_API_PROVE_H
#define ACTGEN_API_PROVE_H

#include "api.h"
#include "progress.h"

/* Proves the errors of the kernel's functions of one f64 by analysis (proof/), and notes the result in the
 * kernel. The disk cache keeps the proofs. Fails with DIAG_ACCURACY if a bound cannot be shown, or
 * DIAG_STOPPED. */
int prove_bounds(actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error);

/* Compares a kernel's machine code with the interpreter at all inputs. It does so if the kernel has one input
 * of at most 32 bits and the code runs here. Other kernels are left to actgen_verify. The disk cache keeps a
 * positive result. Fails with DIAG_BACKEND if they differ, or DIAG_STOPPED. */
int prove_code(const actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error);

#endif
