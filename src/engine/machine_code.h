/* Machine code for the planner's own use: programs that it runs on all 2^32 inputs, and loops that it
 * times. */
#ifndef ACTGEN_MACHINE_CODE_H
#define ACTGEN_MACHINE_CODE_H

#include "backend.h"
#include "hash.h"
#include "loader.h"
#include "plan.h"

struct machine_context {
    struct actgen_engine *engine;
    /* Has the profile of the requests. It need not be a set of this machine. */
    const struct target_isa *isa;
    struct progress *progress; /* May be NULL. */
};

/* A function as code in this process, and the hash of its object. */
struct machine_code {
    loader_code *code;
    actgen_fn run; /* NULL: there is no code. */
    char object_hash[HASH_TEXT_SIZE];
};
/* Makes the code. Fails as making or loading an object does. Then *out is zeros. */
int machine_code_make(struct machine_code *out, struct actgen_engine *engine,
                      const struct backend_function *f, const struct backend_options *options,
                      struct diag *error);
void machine_code_clear(struct machine_code *m); /* Keeps the hash. */

/* Returns the machine for the planner. The context must outlive it. */
struct plan_machine machine_of(struct machine_context *context);

#endif
