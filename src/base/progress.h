/* The threads that a caller lends to long work, and the function that reports progress and may stop the work.
 *
 * Loops of the work call progress_goes_on every millisecond or so. This function calls the caller's function
 * when it is time. After that function has asked to stop, or after the deadline, progress_goes_on returns
 * false for good. Loops then end, and their results are worthless. The function that began the work returns
 * DIAG_STOPPED. The public call turns it into DIAG_LIMIT if `is_late`. All functions here accept NULL, for
 * work that nobody watches. */
#ifndef ACTGEN_PROGRESS_H
#define ACTGEN_PROGRESS_H

#include "actgen.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    actgen_parallel_fn parallel; /* NULL: only the caller's thread. */
    void *parallel_payload;
    int (*report)(void *payload, double done, const char *what); /* May be NULL. */
    void *report_payload;
    uint64_t deadline; /* In milliseconds of progress_clock(). 0: there is none. */
    /* The members below begin as zeros. */
    const char *what;
    /* The steps of the work that `what` names. 0: unknown. */
    uint64_t steps;
    /* The steps done, and the clock at the last call of `report`. */
    atomic_uint_fast64_t steps_done, reported;
    atomic_bool is_reporting, is_stopped;
    atomic_bool is_late; /* The deadline stopped the work. */
};

/* Returns milliseconds of a clock that is never set. */
uint64_t progress_clock(void);

/* Begins a new piece of work. `what` is a constant text. `steps` is the number of calls of progress_step, or
 * 0 if it is unknown. No other thread may be at work. */
void progress_begin(struct progress *p, const char *what, uint64_t steps);
/* Counts one step. For any thread. */
void progress_step(struct progress *p);
/* Returns true if the work is to go on. For any thread. Only one thread at a time calls the caller's
 * function. */
bool progress_goes_on(struct progress *p);
/* Does the same before work of so many seconds that cannot be interrupted. Returns false also if the deadline
 * is nearer. */
bool progress_has_time(struct progress *p, double seconds);
/* Runs task(context, i) for all i < count, on the caller's threads if there are any. Returns when all are
 * done. The tasks must not depend on each other, or allocate from an arena. */
void progress_parallel(struct progress *p, size_t count, void (*task)(void *context, size_t i),
                       void *context);

#endif
