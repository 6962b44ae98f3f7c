/* Choices by time: a plan for each piece of a kernel, and the loop, for one processor. They are bytes under a
 * key, in the disk cache and in plan files. Each program that is read must pass lane_verify. Each plan of a
 * plan file is judged like a candidate of a search before it is taken. */
#ifndef ACTGEN_TUNING_H
#define ACTGEN_TUNING_H

#include "kernel.h"
#include "store.h"

/* Takes the kernel's record from its plan file. Sets k->loop and k->tuning. *found is false if the file has
 * none. Fails with DIAG_STOPPED, DIAG_ACCURACY, or with DIAG_INVALID for a bad plan. */
int tuning_from_file(bool *found, struct lowering *l, actgen_kernel *k, struct planning *planning,
                     struct diag *error);

/* The place of a kernel's record of times on this processor. */
struct tuning_place {
    const char *processor;
    char key[HASH_TEXT_SIZE];    /* The key in plan files. */
    char stored[HASH_TEXT_SIZE]; /* The key in the disk cache. */
};
struct tuning_place tuning_place_here(const struct lowering *l, const actgen_kernel *k);
/* Takes the record from the disk cache. Sets k->loop and k->tuning. Returns false if there is none. */
bool tuning_find(struct lowering *l, actgen_kernel *k, struct planning *planning,
                 const struct tuning_place *place);
/* Makes the record of the plans that were taken and of k->loop. Sets k->tuning, and stores the record. */
void tuning_store(const struct lowering *l, actgen_kernel *k, const struct planning *planning,
                  const struct tuning_place *place);

#endif
