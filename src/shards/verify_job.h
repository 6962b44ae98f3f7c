/* One kernel for one instruction set, compiled and compared. */
#ifndef ACTGEN_CLI_VERIFY_JOB_H
#define ACTGEN_CLI_VERIFY_JOB_H

#include "diagnostics.h"
#include "input.h"
#include "verify_record.h"

struct verification {
    const struct jobs *jobs;
    const struct job *job;
    actgen_kernel *kernel; /* NULL: it did not compile */
    struct buffer operands;
    actgen_error error;
    struct problem problem;
    struct record record; /* what is known; its texts live as long as this or the job */
    bool is_ready;        /* there is something to compare */
    bool is_repeated;     /* another job is about the very same code: there is nothing to show */
    int code;             /* the exit code so far */
};

/* Compiles, and describes what was compiled in the record, which starts as `start`; a failure is printed.
 * Close in any case. */
void verification_open(struct verification *out, const struct jobs *jobs, const struct job *job,
                       const struct record *start);
/* Compares the record's part of it: the record gets the report and the verdict. `progress` is called as
 * actgen_verify calls it. */
void verification_run(struct verification *v, int (*progress)(void *payload, double done, double max_ulp),
                      void *payload);
void verification_close(struct verification *v);

#endif
