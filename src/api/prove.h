/* options.prove, after planning: plans were judged at all inputs before they were accepted (judge/everywhere.h). */
#ifndef ACTGEN_API_PROVE_H
#define ACTGEN_API_PROVE_H

#include "api.h"
#include "progress.h"

/* Compares a kernel's machine code with the interpreter: at all inputs where it has one of at most 32 bits, and where it runs here.
 * Others are left to actgen_verify. DIAG_BACKEND if they differ, DIAG_STOPPED; that they are equal is kept in the disk cache. */
int prove_code(const actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error);

#endif
