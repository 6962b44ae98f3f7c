/* Chooses the plans and the loop of a kernel: by a plan file, by times, or by estimates. */
#ifndef ACTGEN_RACE_H
#define ACTGEN_RACE_H

#include "kernel.h"
#include "store.h"

/* Finds the plans of all pieces, in the kernel's plan file or the cache, by times or by estimates, as the
 * request says. The next step is kernel_lower. k->loop and k->tuning are set if times chose. Fails with
 * DIAG_STOPPED, DIAG_ACCURACY, or with DIAG_INVALID for a bad plan in the plan file. */
int choose_plans(struct lowering *l, actgen_kernel *k, struct planning *planning, struct diag *error);

/* Times the plans and loops for the kernel, and takes the fastest (race.c). Sets k->loop to the loop that
 * won, and k->timings. Fails with DIAG_STOPPED if progress says so. */
int race_kernel(struct lowering *l, actgen_kernel *k, struct planning *planning, struct diag *error);

#endif
