/* The verification of one kernel for one instruction set. */
#ifndef ACTGEN_CLI_VERIFY_JOB_H
#define ACTGEN_CLI_VERIFY_JOB_H

#include "diagnostics.h"
#include "input.h"
#include "verify_record.h"

struct verification {
    const struct jobs *jobs;
    const struct job *job;
    actgen_kernel *kernel; /* NULL if it did not compile */
    struct buffer operands;
    actgen_error error;
    struct problem problem;
    struct record record; /* its texts live as long as this struct or the job */
    /* The function that is judged in place of the kernel, or NULL: as in actgen_verify_options. */
    void (*judged)(void *payload, size_t n, const void *x, void *y);
    void *judged_payload;
    bool is_ready;    /* there is something to compare */
    bool is_repeated; /* another job has the very same code, so this one shows nothing */
    int code;         /* the exit code so far */
};

/* Compiles the job, and describes the kernel in the record, which starts as `start`. Prints a failure. Close
 * in any case. */
void verification_open(struct verification *out, const struct jobs *jobs, const struct job *job,
                       const struct record *start);
/* Verifies the part that the record names, and sets the record's report and verdict. `progress` is called as
 * actgen_verify calls it. */
void verification_run(struct verification *v, int (*progress)(void *payload, double done, double max_ulp),
                      void *payload);
void verification_close(struct verification *v);

#endif
