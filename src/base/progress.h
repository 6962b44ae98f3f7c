/* What the caller of long work lends to it: threads, and a function that hears what is being done and may
 * stop it.
 *
 * Work asks progress_goes_on in its loops, every millisecond or so: the function is called from there, when
 * it is time. Once it has asked to stop, or the time is over, progress_goes_on stays false: loops end, what
 * they were to find is worthless, and whoever began the work returns DIAG_STOPPED, which the public call
 * makes DIAG_LIMIT if `is_late`. Every function takes NULL for work that nobody watches. */
#ifndef ACTGEN_PROGRESS_H
#define ACTGEN_PROGRESS_H

#include "actgen.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    actgen_parallel_fn parallel; /* NULL: none but the caller's thread */
    void *parallel_payload;
    int (*report)(void *payload, double done, const char *what); /* NULL: nobody wants to hear it */
    void *report_payload;
    uint64_t deadline; /* of progress_clock(); 0: none */
    /* The rest begins as zeros. */
    const char *what;
    uint64_t steps;                            /* of the work that `what` names; 0: nobody knows */
    atomic_uint_fast64_t steps_done, reported; /* milliseconds of the clock at the last call */
    atomic_bool is_reporting, is_stopped;
    atomic_bool is_late; /* the deadline stopped it */
};

/* Milliseconds of a clock that is never set. */
uint64_t progress_clock(void);

/* What is done from now on: a constant text, and how many progress_step it takes, 0 if that is unknown. Not
 * while threads work on it. */
void progress_begin(struct progress *p, const char *what, uint64_t steps);
/* One step more is done. Any thread. */
void progress_step(struct progress *p);
/* Whether the work is to go on. Any thread; the function is called by one at a time. */
bool progress_goes_on(struct progress *p);
/* Asks as progress_goes_on does, before work that cannot be interrupted and takes so many seconds: not if the
 * deadline is nearer. */
bool progress_has_time(struct progress *p, double seconds);
/* Runs task(context, i) for all i < count, by the caller's threads if there are any, and returns when all are
 * done. The tasks must not depend on each other, nor allocate from an arena. */
void progress_parallel(struct progress *p, size_t count, void (*task)(void *context, size_t i),
                       void *context);

#endif
