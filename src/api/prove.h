/* options.prove, after planning: plans of f32 were judged at all inputs before they were accepted
 * (judge/everywhere.h). */
#ifndef ACTGEN_API_PROVE_H
#define ACTGEN_API_PROVE_H

#include "api.h"
#include "progress.h"

/* Proves the errors of the kernel's functions of one f64 by analysis (proof/) and notes what was found in the
 * kernel. DIAG_ACCURACY where a bound cannot be shown, DIAG_STOPPED; what was proved is kept in the disk
 * cache. */
int prove_bounds(actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error);

/* Compares a kernel's machine code with the interpreter: at all inputs where it has one of at most 32 bits,
 * and where it runs here. Others are left to actgen_verify. DIAG_BACKEND if they differ, DIAG_STOPPED; that
 * they are equal is kept in the disk cache. */
int prove_code(const actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error);

#endif
