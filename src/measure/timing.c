/* Measures the time of calls. Contestants take turns, and the least of many times counts. */
#include "timing.h"

#include <alloca.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_ROUNDS = 32 * ALL_STACK_PLACES };

/* A contestant is slow if one call takes more than slow_ns. Slow contestants do not run untimed before each
 * round. After the least rounds, a contestant drops out when it has used the share slow_budget of all
 * time. */
static const double slow_ns = 2e6, slow_budget = 0.3;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

struct runner {
    struct timed_call call;
    size_t calls; /* The number of calls in a slice. */
    double spent;
    double *ns; /* The nanoseconds per call in each round. */
    size_t rounds;
};

/* Returns the depth of a place on the stack. Consecutive places are far apart, so that they differ in their
 * position within cache lines. */
static size_t stack_bytes(size_t place)
{
    /* It is odd, so that all places occur. */
    enum { STEP = 37 };
    return place * STEP % ALL_STACK_PLACES * 16;
}

__attribute__((noinline)) static double time_slice(const struct runner *r, size_t place)
{
    volatile char *deeper = alloca(stack_bytes(place) + 1);
    *deeper = 0;
    const double start = now_ns();
    for (size_t i = 0; i < r->calls; i++) r->call.run(r->call.context);
    return now_ns() - start;
}

static void choose_calls(struct runner *r, double slice_ns)
{
    r->calls = 1;
    r->spent = time_slice(r, 0); /* Touches the pages for the first time. */
    if (r->spent > slow_ns) return;
    while (r->calls < 1u << 20 && time_slice(r, 0) < slice_ns) r->calls *= 2;
}

static void run_once(struct runner *r, size_t stack_places)
{
    const size_t place = r->rounds % stack_places;
    /* Run untimed first. A processor changes its clock when wide vectors follow narrow ones, and loses tens
     * of microseconds. A user of one kernel does not meet that at every call. */
    const double slice = r->rounds ? r->ns[0] * (double)r->calls : 0;
    if (slice < slow_ns) time_slice(r, place);
    const double ns = time_slice(r, place);
    r->ns[r->rounds++] = ns / (double)r->calls;
    r->spent += ns;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the worst of the least times of all places. Round i was at place i % stack_places. A place with too
 * few rounds may have none that was undisturbed. Then places are merged, so that the result is the worst of
 * the code and not of a disturbance. */
static double worst_place(const struct runner *r, size_t stack_places)
{
    enum { ENOUGH = 5 };
    double worst = 0;
    while (stack_places > 1 && r->rounds / stack_places < ENOUGH) stack_places = (stack_places + 1) / 2;
    for (size_t place = 0; place < stack_places; place++) {
        double least = r->ns[place];
        for (size_t i = place; i < r->rounds; i += stack_places)
            if (r->ns[i] < least) least = r->ns[i];
        if (least > worst) worst = least;
    }
    return worst;
}

static void lower(double *least_at_place, const struct runner *r, size_t stack_places)
{
    for (size_t i = 0; i < r->rounds; i++)
        if (r->ns[i] < least_at_place[i % stack_places]) least_at_place[i % stack_places] = r->ns[i];
}

static struct timing result_of(struct runner *r, size_t stack_places)
{
    if (!r->rounds) return (struct timing){0};
    const double worst = worst_place(r, stack_places);
    qsort(r->ns, r->rounds, sizeof *r->ns, ascending);
    return (struct timing){r->ns[0], r->ns[r->rounds / 2], worst};
}

static bool is_enough(const struct timing_limits *limits, size_t round, double elapsed)
{
    return round >= MOST_ROUNDS || (round >= limits->rounds && elapsed >= limits->enough_ns) ||
           (round >= limits->least_rounds && elapsed >= limits->most_ns) ||
           (limits->is_stopped && limits->is_stopped(limits->stop_context));
}

bool time_in_turn(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                  struct timing *times)
{
    struct runner *runners = calloc(count, sizeof *runners);
    double *ns = calloc(count * MOST_ROUNDS, sizeof *ns);
    const bool complete = runners && ns;
    const size_t stack_places = limits->stack_places ? limits->stack_places : USUAL_STACK_PLACES;
    for (size_t i = 0; i < count; i++) times[i] = (struct timing){0};
    if (!complete) goto end;
    for (size_t i = 0; i < count; i++) {
        runners[i] = (struct runner){.call = calls[i], .ns = ns + i * MOST_ROUNDS};
        if (calls[i].run) choose_calls(&runners[i], limits->slice_ns);
    }
    const double start = now_ns();
    bool any_ran = true;
    for (size_t round = 0; any_ran && !is_enough(limits, round, now_ns() - start); round++) {
        any_ran = false;
        for (size_t i = 0; i < count; i++) {
            const bool is_used_up = runners[i].spent > slow_budget * limits->most_ns && count > 1;
            if (!calls[i].run || (round + 1 >= limits->least_rounds && is_used_up)) continue;
            run_once(&runners[i], stack_places);
            any_ran = true;
        }
    }
    if (limits->least_at_place && count) lower(limits->least_at_place, &runners[0], stack_places);
    for (size_t i = 0; i < count; i++) times[i] = result_of(&runners[i], stack_places);
end:
    free(runners);
    free(ns);
    return complete;
}

struct core_pin pin_to_a_core(void)
{
    struct core_pin pin = {.is_pinned = false};
    cpu_set_t one;
    const int cpu = sched_getcpu();
    CPU_ZERO(&one);
    if (cpu >= 0) CPU_SET((size_t)cpu, &one);
    pin.is_pinned = cpu >= 0 && !sched_getaffinity(0, sizeof pin.before, &pin.before) &&
                    !sched_setaffinity(0, sizeof one, &one);
    return pin;
}

void unpin(const struct core_pin *pin)
{
    if (pin->is_pinned) sched_setaffinity(0, sizeof pin->before, &pin->before);
}
