/* Machine code for the planner's own use: programs that it runs on all 2^32 inputs. */
#ifndef ACTGEN_API_MACHINE_H
#define ACTGEN_API_MACHINE_H

#include "plan.h"

struct machine_context {
    struct actgen_engine *engine;
    const struct target_isa *isa; /* has the requests' profile; it need not be of this machine */
};

/* The context must outlive it. */
struct plan_machine machine_of(struct machine_context *context);

#endif
