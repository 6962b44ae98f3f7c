/* An exhaustive verification in parts. Ranks of MPI do the parts, a journal keeps them, and their sum is the
 * report of an undivided run. */
#ifndef ACTGEN_CLI_VERIFY_PARTS_H
#define ACTGEN_CLI_VERIFY_PARTS_H

#include "input.h"
#include "ranks.h"
#include "verify_record.h"

struct verify_course { /* the task of all ways to verify */
    const struct jobs *jobs;
    const struct record *start;                             /* the state in which each record begins */
    void (*show)(void *payload, const struct record *done); /* called once per job, in order */
    void *payload;
    size_t skipped;          /* the number of jobs whose code cannot run here */
    struct foreign *foreign; /* the function that is judged, or NULL (cli/foreign.h) */
};

/* Runs rank 0: hands out parts, does some itself, and shows the sums. `journal` is a file or NULL; parts that
 * it has are not done again. Returns an exit code. If `*all_told` is false, the other ranks still wait for
 * work. */
int verify_in_parts(struct verify_course *course, const struct ranks *ranks, const char *journal,
                    bool *all_told);
/* Runs another rank: does the parts that rank 0 hands out until there is no more. */
int verify_for_others(const struct verify_course *course, const struct ranks *ranks);

#endif
