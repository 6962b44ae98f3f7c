/* Calls the host's function at regular times. */
#include "progress.h"

#include <time.h>

enum { PERIOD = 20 }; /* Milliseconds between two calls of the function. */

uint64_t progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void progress_begin(struct progress *p, const char *what, uint64_t steps)
{
    if (!p) return;
    p->what = what;
    p->steps = steps;
    atomic_store(&p->steps_done, 0);
}

void progress_step(struct progress *p)
{
    if (p) atomic_fetch_add(&p->steps_done, 1);
}

static double share_done(struct progress *p)
{
    const uint64_t done = atomic_load(&p->steps_done);
    if (!p->steps) return -1;
    return done < p->steps ? (double)done / (double)p->steps : 1;
}

bool progress_goes_on(struct progress *p) { return progress_has_time(p, 0); }

static bool is_late(struct progress *p, uint64_t at)
{
    if (!p->deadline || at < p->deadline) return false;
    atomic_store(&p->is_late, true);
    atomic_store(&p->is_stopped, true);
    return true;
}

bool progress_has_time(struct progress *p, double seconds)
{
    if (!p || (!p->report && !p->deadline)) return true;
    if (atomic_load(&p->is_stopped)) return false;
    const uint64_t now = progress_clock();
    if (is_late(p, now + (uint64_t)(1000 * seconds))) return false;
    if (!p->report) return true;
    if (now - atomic_load(&p->reported) < PERIOD || atomic_exchange(&p->is_reporting, true)) return true;
    if (p->report(p->report_payload, share_done(p), p->what ? p->what : ""))
        atomic_store(&p->is_stopped, true);
    atomic_store(&p->reported, now);
    atomic_store(&p->is_reporting, false);
    return !atomic_load(&p->is_stopped);
}

void progress_parallel(struct progress *p, size_t count, void (*task)(void *context, size_t i), void *context)
{
    if (p && p->parallel)
        p->parallel(p->parallel_payload, count, task, context);
    else
        for (size_t i = 0; i < count; i++) task(context, i);
}
