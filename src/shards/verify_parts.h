/* An exhaustive verification in parts: handed out to the ranks of MPI as they finish, kept in a journal, and
 * added up to the report that an undivided one has. */
#ifndef ACTGEN_CLI_VERIFY_PARTS_H
#define ACTGEN_CLI_VERIFY_PARTS_H

#include "input.h"
#include "ranks.h"
#include "verify_record.h"

struct verify_course { /* what all ways to verify are told */
    const struct jobs *jobs;
    const struct record *start;                             /* what records begin as */
    void (*show)(void *payload, const struct record *done); /* once for each job, in their order */
    void *payload;
    size_t skipped; /* jobs whose code cannot run here; counted */
};

/* Rank 0: hands out parts, does some itself, and shows the sums. `journal` is a file or NULL; what it has is
 * not done again. An exit code; where `*all_told` is false the other ranks still wait for work. */
int verify_in_parts(struct verify_course *course, const struct ranks *ranks, const char *journal,
                    bool *all_told);
/* The other ranks: do what rank 0 hands out until it says that there is no more. */
int verify_for_others(const struct verify_course *course, const struct ranks *ranks);

#endif
