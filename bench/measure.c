/* The time of a call: contestants in turn, so that what disturbs one disturbs all, and the least of many. */
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_ROUNDS = 2000, LEAST_ROUNDS = 3 };

/* A slice must be long beside the clock's own cost. A slow contestant, which takes more than a slice by itself, is not
 * run twice a round, and from some time on not at all. */
static const double slice_ns = 20e3, slow_ns = 2e6, slow_budget = 0.3 /* of all the time, a contestant */;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct runner {
    struct call call;
    size_t calls; /* a slice */
    double spent;
    double *ns; /* of each round, a call */
    size_t rounds;
};

static double time_slice(const struct runner *r)
{
    double start = now_ns();
    for (size_t i = 0; i < r->calls; i++) r->call.run(r->call.context);
    return now_ns() - start;
}

static void choose_calls(struct runner *r)
{
    r->calls = 1;
    r->spent = time_slice(r); /* first touches */
    if (r->spent > slow_ns) return;
    while (r->calls < 1u << 16 && time_slice(r) < slice_ns) r->calls *= 2;
}

static void run_once(struct runner *r)
{
    /* Untimed first: a processor changes its clock, at a loss for some microseconds, when wide vectors begin after narrow
     * ones, which no user of one kernel goes through at every call. */
    double slice = r->rounds ? r->ns[0] * (double)r->calls : 0;
    if (slice < slow_ns) time_slice(r);
    double ns = time_slice(r);
    r->ns[r->rounds++] = ns / (double)r->calls;
    r->spent += ns;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct timing result_of(struct runner *r)
{
    if (!r->rounds) return (struct timing){0, 0};
    qsort(r->ns, r->rounds, sizeof *r->ns, ascending);
    return (struct timing){r->ns[0], r->ns[r->rounds / 2]};
}

void measure_calls(const struct call *calls, size_t count, double seconds, struct timing *times)
{
    struct runner *runners = calloc(count, sizeof *runners);
    double *ns = calloc(count * MOST_ROUNDS, sizeof *ns);
    for (size_t i = 0; i < count; i++) times[i] = (struct timing){0, 0};
    if (!runners || !ns) goto end;
    for (size_t i = 0; i < count; i++) {
        runners[i] = (struct runner){.call = calls[i], .ns = ns + i * MOST_ROUNDS};
        choose_calls(&runners[i]);
    }
    double start = now_ns(), budget = 1e9 * seconds;
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        if (round >= LEAST_ROUNDS && now_ns() - start > budget) break;
        for (size_t i = 0; i < count; i++) {
            bool used_up = runners[i].spent > slow_budget * budget;
            if (round < LEAST_ROUNDS - 1 || !used_up || count == 1) run_once(&runners[i]);
        }
    }
    for (size_t i = 0; i < count; i++) times[i] = result_of(&runners[i]);
end:
    free(runners);
    free(ns);
}

struct loop_call {
    const struct contestant *contestant;
    size_t n;
    const float *x;
    float *y;
};

static void run_contestant(const void *context)
{
    const struct loop_call *c = context;
    contestant_run(c->contestant, c->n, c->x, c->y);
}

void measure(struct contestant *const *list, size_t count, const float *x, float *y, size_t n, double seconds,
             struct timing *times)
{
    struct loop_call loops[MOST_CONTESTANTS];
    struct call calls[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) {
        loops[i] = (struct loop_call){list[i], n, x, y};
        calls[i] = (struct call){run_contestant, &loops[i]};
    }
    measure_calls(calls, count, seconds, times);
}

bool pin_to_a_core(void)
{
    cpu_set_t one;
    int cpu = sched_getcpu();
    if (cpu < 0) return false;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}
